// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/phi_alternatives.h"

#include <algorithm>
#include <array>
#include <bit>

#include "support/limits.h"

namespace ptxopt::analysis {

void PhiAlternatives::find(ValueId phi) {
  LinearForms::Alternatives all = ofCycle(phi);
  if (all.forms.empty()) all.forms = ofClosure(phi);
  if (!all.forms.empty() && !exceeds(all.forms.size(), Limit::Alternatives)) {
    forms_.setAlternatives(forms_.form(formOfValue_[phi]).terms[0].leaf, std::move(all));
  }
}

// Phis of one header, each of which takes the value of the next one in every round.
LinearForms::Alternatives PhiAlternatives::ofCycle(ValueId phi) {
  const LoopId loop = loops_.loopOf(ssa_.block(phi));
  if (loop == LoopId::None || loops_.header(loop) != ssa_.block(phi) || !loops_.isReducible(loop)) {
    return {};
  }
  LinearForms::Alternatives result;
  ValueId at = phi;
  do {
    const auto [initial, next] = waysInto(at, loop);
    if (initial == FormId::None || next == ValueId::None || !forms_.isStable(initial) ||
        reaches(result.forms.size(), Limit::Alternatives)) {
      return {};
    }
    result.forms.push_back(initial);
    if (at == phi && isToggle(formOfValue_[next], phi)) {
      result.forms.push_back(toggled(initial, next));
      break;
    }
    at = phiOf(formOfValue_[next]);
    if (at == ValueId::None || ssa_.block(at) != ssa_.block(phi)) return {};
  } while (at != phi);
  result.round = inductions_.rounds(loop);
  return result;
}

// The form with which the loop is entered, and the value that comes around it; None for several.
std::pair<FormId, ValueId> PhiAlternatives::waysInto(ValueId phi, LoopId loop) const {
  const std::span<const ValueId> operands = ssa_.phiOperands(phi);
  const std::span<const EdgeId> edges = ssa_.cfg().inEdges(ssa_.block(phi));
  FormId initial = FormId::None;
  ValueId next = ValueId::None;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k] == ValueId::None) continue;
    const FormId form = formOfValue_[operands[k]];
    if (form == FormId::None) return {FormId::None, ValueId::None};
    if (k < edges.size() && loops_.contains(loop, ssa_.cfg().source(edges[k]))) {
      if (next != ValueId::None && next != operands[k]) return {FormId::None, ValueId::None};
      next = operands[k];
    } else {
      if (initial != FormId::None && initial != form) return {FormId::None, ValueId::None};
      initial = form;
    }
  }
  return {initial, next};
}

// All stable forms that phis take from each other; none where something else comes in too.
std::vector<FormId> PhiAlternatives::ofClosure(ValueId phi) const {
  std::vector<ValueId> phis = {phi};
  std::vector<FormId> forms;
  for (std::size_t k = 0; k < phis.size(); ++k) {
    if (reaches(k, Limit::Alternatives)) return {};
    for (const ValueId operand : ssa_.phiOperands(phis[k])) {
      const FormId form = operand == ValueId::None ? FormId::None : formOfValue_[operand];
      if (form == FormId::None) return {};
      if (const ValueId other = phiOf(form); other != ValueId::None) {
        if (std::ranges::find(phis, other) == phis.end()) phis.push_back(other);
      } else if (forms_.isStable(form)) {
        if (std::ranges::find(forms, form) == forms.end()) forms.push_back(form);
      } else {
        return {};
      }
    }
  }
  return forms;
}

// The phi in a loop of which it is a copy.
ValueId PhiAlternatives::phiOf(FormId id) const {
  const LinearForm form = forms_.form(id);
  if (form.constant != 0 || form.terms.size() != 1 || form.terms[0].coefficient != 1) {
    return ValueId::None;
  }
  const Leaf& leaf = forms_.leaf(form.terms[0].leaf);
  const bool isWhole = leaf.key.kind == LeafKind::Value && leaf.key.bits == form.bits;
  if (!isWhole || leaf.stable) return ValueId::None;
  const ValueId value{leaf.key.id};
  return ssa_.isPhi(value) ? value : ValueId::None;
}

bool PhiAlternatives::isToggle(FormId id, ValueId phi) const {
  const LinearForm form = forms_.form(id);
  if (form.constant != 0 || form.terms.size() != 1 || form.terms[0].coefficient != 1) {
    return false;
  }
  const Leaf& leaf = forms_.leaf(form.terms[0].leaf);
  if (leaf.key.kind != LeafKind::Operation) return false;
  const LinearForms::Operation operation = forms_.operation(leaf);
  return operation.desc->opcode == isa::Opcode::Xor && operation.sources.size() == 2 &&
         phiOf(operation.sources[0]) == phi && forms_.form(operation.sources[1]).isConstant() &&
         forms_.form(operation.sources[0]).bits == form.bits && leaf.key.bits == form.bits;
}

// What the xor `value` makes of another form.
FormId PhiAlternatives::toggled(FormId form, ValueId value) {
  Leaf leaf = forms_.leaf(forms_.form(formOfValue_[value]).terms[0].leaf);
  const LinearForms::Operation operation = forms_.operation(leaf);
  const isa::InstructionDesc* const instruction = operation.desc;
  const FormId mask = operation.sources[1];
  const unsigned bits = leaf.key.bits;
  if (forms_.form(form).isConstant()) {
    return forms_.constant(forms_.form(form).constant ^ forms_.form(mask).constant, bits);
  }
  leaf.stable = forms_.isStable(form);
  leaf.uniform = forms_.isUniform(form);
  const LeafId id =
      forms_.internOperation(leaf, instruction, std::array{form, mask}, operation.result);
  pointers_.addOperation(id, {form, mask},
                         static_cast<unsigned>(std::bit_width(forms_.form(mask).constant)), bits);
  return forms_.ofLeaf(id, bits);
}

}  // namespace ptxopt::analysis
