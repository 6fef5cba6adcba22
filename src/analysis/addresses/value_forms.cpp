// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/value_forms.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "analysis/addresses/extensions.h"
#include "analysis/addresses/induction_variables.h"
#include "analysis/addresses/linear_arithmetic.h"
#include "analysis/addresses/operand_forms.h"
#include "analysis/addresses/phi_alternatives.h"
#include "analysis/addresses/pure_instructions.h"
#include "analysis/addresses/value_leaves.h"
#include "analysis/flow/uniform_shuffles.h"
#include "analysis/threads/warp_numbers.h"
#include "analysis/values/parameter_bytes.h"
#include "isa/banks.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using isa::Opcode;

using Shuffles = std::vector<const Instruction*>;  // few

bool contains(const Shuffles& shuffles, const Instruction& instruction) {
  return std::ranges::find(shuffles, &instruction) != shuffles.end();
}

// On which addresses and branches depend, as far as they are integers.
BitSet neededValues(const Ssa& ssa, const ValueRanges& ranges, const Shuffles& shuffles) {
  const Cfg& cfg = ssa.cfg();
  BitSet needed(ssa.valueCount());
  std::vector<ValueId> work;
  const auto need = [&](ValueId v) {
    if (v != ValueId::None && ranges.of(v).bits != 0 && needed.set(v)) work.push_back(v);
  };
  for (const BlockId b : cfg.blocks()) {
    if (!cfg.isReachable(b)) continue;
    for (const Instruction& instruction : cfg.instructions(b)) {
      for (const Operand& operand : instruction.operands()) {
        if (operand.kind == OperandKind::Address && operand.base == ir::AddressBase::Register) {
          need(ssa.use(instruction, operand));
        }
      }
      if (!instruction.guard) continue;
      for (const Condition& condition : ranges.conditions().ofGuard(instruction)) {
        need(condition.value);
      }
    }
    for (const BranchConditions::Placed& placed : ranges.conditions().ofBlock(b)) {
      need(placed.condition.value);
    }
  }
  while (!work.empty()) {
    const ValueId v = work.back();
    work.pop_back();
    if (ssa.isPhi(v)) {
      for (const ValueId operand : ssa.phiOperands(v)) need(operand);
    } else if (ssa.isDefinition(v)) {
      need(ssa.old(v));
      const Instruction& instruction = ssa.instruction(v);
      if (isPureInteger(instruction) || contains(shuffles, instruction)) {
        ssa.forEachUse(instruction, need);
      }
    }
  }
  return needed;
}

class Evaluator {
 public:
  Evaluator(const Ssa& ssa, const ValueRanges& ranges, const Loops& loops, bool runsOnce,
            LinearForms& forms, PointerSources& pointers)
      : ssa_(ssa),
        cfg_(ssa_.cfg()),
        function_(cfg_.function()),
        ranges_(ranges),
        loops_(loops),
        forms_(forms),
        pointers_(pointers),
        shuffles_(uniformShuffles(cfg_)),
        formOfValue_(ssa_.valueCount(), FormId::None),
        inductions_(ssa, ranges, loops, formOfValue_, forms),
        extensions_(ssa, ranges, forms, pointers),
        leaves_(ssa, ranges, loops, runsOnce, forms, pointers),
        operands_(ssa, ranges, runsOnce, formOfValue_, forms),
        arithmetic_(ranges, operands_, extensions_, leaves_, forms, pointers) {}

  IdVector<ValueId, FormId> run() {
    const BitSet needed = neededValues(ssa_, ranges_, shuffles_);
    forms_.reserve(needed.count());
    needed.forEach<ValueId>([&](ValueId v) {
      formOfValue_[v] = evaluate(v);
      extensions_.noteNumber(formOfValue_[v], v);
    });
    PhiAlternatives alternatives(ssa_, loops_, formOfValue_, inductions_, forms_, pointers_);
    for (const ValueId phi : openPhis_) alternatives.find(phi);
    return std::move(formOfValue_);
  }

 private:
  unsigned bitsOf(ValueId v) const { return ranges_.of(v).bits; }

  FormId evaluate(ValueId v) {
    const ValueRange& range = ranges_.of(v);
    if (range.isConstant()) return forms_.constant(range.lowest, range.bits);
    if (ssa_.kind(v) == Ssa::Kind::Entry) return leaves_.opaque(v);
    if (ssa_.isPhi(v)) return ofPhi(v);

    const ValueId old = ssa_.old(v);
    const FormId result = ofInstruction(v);
    if (old == ValueId::None) return result == FormId::None ? leaves_.opaque(v) : result;
    // docs/soundness/ D6.4
    const FormId before = formOfValue_[old];
    if (result == FormId::None || before == FormId::None) return leaves_.opaque(v);
    return result == before ? result : leaves_.merged(leaves_.of(v), {result, before});
  }

  // None: nothing is known.
  FormId ofInstruction(ValueId v) {
    const Instruction& instruction = ssa_.instruction(v);
    const Operand* const target = ssa_.operand(v);
    if (target == nullptr || target->component != 0 || target->reads ||
        !instruction.desc->known()) {
      return FormId::None;
    }
    if (const FormId parameter = ofParameter(v, instruction, *target); parameter != FormId::None) {
      return parameter;
    }
    if (isConstantLoad(instruction)) {
      Leaf leaf = leaves_.ofResult(v);
      leaf.stable = leaf.uniform = true;
      return forms_.ofLeaf(forms_.intern(leaf), bitsOf(v));
    }
    if (contains(shuffles_, instruction)) {
      // Of a number that all threads of the warp have it is that number.
      const FormId form = operands_.of(instruction, *instruction.operand(1), bitsOf(v));
      const bool isOfAll =
          form != FormId::None && (forms_.isUniform(form) ||
                                   (rowsAreWholeWarps(ranges_.shape()) && isOfWarp(forms_, form)));
      return isOfAll ? form : FormId::None;
    }
    if (!isPureInteger(instruction)) return FormId::None;
    if (target == instruction.operand(0)) {
      const FormId linear = arithmetic_.of(v, instruction);
      if (linear != FormId::None && forms_.form(linear).bits == bitsOf(v) &&
          !exceeds(forms_.form(linear).terms.size(), Limit::ValueTerms)) {
        return linear;
      }
    }
    return ofOperation(v, instruction, *target);
  }

  // ld.param of the entry: the same bytes are the same number, everywhere and always.
  FormId ofParameter(ValueId v, const Instruction& instruction, const Operand& target) {
    const auto bytes = parameterBytes(function_, instruction, target);
    const bool isSigned = isa::isSigned(instruction.desc->type);
    if (!bytes || bytes->bits > bitsOf(v) || (bytes->bits < bitsOf(v) && isSigned)) {
      return FormId::None;
    }
    Leaf leaf;
    leaf.key = {LeafKind::Parameter, bytes->bits, static_cast<std::uint32_t>(bytes->parameter),
                bytes->offset};
    leaf.stable = leaf.uniform = true;
    leaf.interval = rangeOf(function_, *bytes).asUnsigned();
    return forms_.ofLeaf(forms_.intern(leaf), bitsOf(v));
  }

  // ld.const at an address that is the same for all threads, always.
  bool isConstantLoad(const Instruction& instruction) {
    const Operand* address = instruction.operand(1);
    const isa::InstructionDesc& desc = *instruction.desc;
    if (!desc.isLoad() || desc.space != isa::Space::Const || isa::namesBank(desc) ||
        address == nullptr || address->kind != OperandKind::Address) {
      return false;
    }
    if (address->base == ir::AddressBase::Symbol) return true;
    if (address->base != ir::AddressBase::Register) return false;
    const FormId form = formOfValue_[ssa_.use(instruction, *address)];
    return form != FormId::None && forms_.isUniform(form);
  }

  // A pure instruction that is not linear: equal sources, equal results.
  FormId ofOperation(ValueId v, const Instruction& instruction, const Operand& target) {
    const isa::InstructionDesc& desc = *instruction.desc;
    std::vector<FormId> sources;
    for (const Operand& operand : instruction.operands()) {
      if (operand.writes || operand.kind == OperandKind::Vector) continue;
      // A number may be of another width than the type: an amount of a shift, the addend of
      // mad.wide.  So it keeps all of its bits.
      unsigned bits = static_cast<unsigned>(isa::bitWidth(desc.type));
      if (operand.kind == OperandKind::Register) bits = registerBits(operand);
      if (operand.kind == OperandKind::Integer) bits = 64;
      const FormId source = bits == 0 ? FormId::None : operands_.of(instruction, operand, bits);
      if (source == FormId::None) return FormId::None;
      sources.push_back(source);
    }
    Leaf leaf = leaves_.of(v);
    const auto isStable = [&](FormId source) { return forms_.isStable(source); };
    const auto isUniform = [&](FormId source) { return forms_.isUniform(source); };
    leaf.stable = std::ranges::all_of(sources, isStable);
    leaf.uniform = std::ranges::all_of(sources, isUniform);
    const auto result = static_cast<std::uint32_t>(&target - instruction.operands().data());
    const LeafId id = forms_.internOperation(leaf, &desc, sources, result);
    const std::uint64_t changed = changedBits(instruction, bitsOf(v));
    pointers_.addOperation(id, std::move(sources), static_cast<unsigned>(std::bit_width(changed)),
                           bitsOf(v), static_cast<unsigned>(std::countr_zero(changed)));
    return forms_.ofLeaf(id, bitsOf(v));
  }

  unsigned registerBits(const Operand& operand) const {
    const ir::RegisterRange& range = function_.rangeOf(operand.reg());
    const int bits = isa::bitWidth(range.type);
    return range.vectorWidth == 1 && bits <= 64 ? static_cast<unsigned>(bits) : 0;
  }

  // The bits of an address, the first operand, that and, or, xor with something may change
  // (C3.3.5).
  std::uint64_t changedBits(const Instruction& instruction, unsigned bits) const {
    const Opcode opcode = instruction.desc->opcode;
    if (opcode != Opcode::And && opcode != Opcode::Or && opcode != Opcode::Xor) {
      return residue(~std::uint64_t{0}, bits);
    }
    const ValueRange mask = ranges_.ofOperand(instruction, *instruction.operand(2), bits);
    return residue(~(opcode == Opcode::And ? mask.ones : mask.zeros), bits);
  }

  FormId ofPhi(ValueId phi) {
    const FormId induction = inductions_.of(phi);
    if (induction != FormId::None &&
        !exceeds(forms_.form(induction).terms.size(), Limit::ValueTerms)) {
      return induction;
    }
    // Equal on every way in.  An operand that is not evaluated yet comes around a loop.
    std::vector<FormId> sources;
    std::vector<ValueId> later;
    for (const ValueId operand : ssa_.phiOperands(phi)) {
      if (operand == ValueId::None || operand == phi) continue;
      const FormId form = formOfValue_[operand];
      if (form == FormId::None) {
        later.push_back(operand);
      } else if (std::ranges::find(sources, form) == sources.end()) {
        sources.push_back(form);
      }
    }
    if (later.empty() && sources.size() == 1) return sources.front();
    const LeafId leaf = forms_.intern(leaves_.of(phi));
    if (later.empty() && leaves_.areFewAndStable(sources)) {
      forms_.setAlternatives(leaf, {sources, LeafId::None});
    } else if (leaves_.areFewAndStable(sources)) {
      openPhis_.push_back(phi);
    }
    pointers_.addUnion(leaf, std::move(sources), 0, std::move(later));
    return forms_.ofLeaf(leaf, bitsOf(phi));
  }

  const Ssa& ssa_;
  const Cfg& cfg_;
  const ir::Function& function_;
  const ValueRanges& ranges_;
  const Loops& loops_;
  LinearForms& forms_;
  PointerSources& pointers_;
  const Shuffles shuffles_;
  std::vector<ValueId> openPhis_;
  IdVector<ValueId, FormId> formOfValue_;
  InductionVariables inductions_;
  Extensions extensions_;
  ValueLeaves leaves_;
  OperandForms operands_;
  LinearArithmetic arithmetic_;
};

}  // namespace

IdVector<ValueId, FormId> formsOfValues(const Ssa& ssa, const ValueRanges& ranges,
                                        const Loops& loops, bool runsOnce, LinearForms& forms,
                                        PointerSources& pointers) {
  return Evaluator(ssa, ranges, loops, runsOnce, forms, pointers).run();
}

}  // namespace ptxopt::analysis
