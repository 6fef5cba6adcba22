// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/induction_variables.h"

#include <algorithm>

#include "analysis/addresses/pure_instructions.h"
#include "support/limits.h"

namespace ptxopt::analysis {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using isa::Opcode;

namespace {

// What is known of an induction variable, read as signed or as unsigned numbers.
struct Numbers {
  Interval type;     // all numbers of its width
  Interval initial;  // where the loop is entered
  Interval latch;    // at the ends of rounds after which there is another one
  Interval header;   // always
};

// How often `by` can be added.  Exact as integers from one round to the next: then the distance is
// all there is to go.
std::int64_t roundsWithin(const Numbers& numbers, std::int64_t by) {
  const Interval next = numbers.latch + Interval::of(by);
  if (!next.isBounded() || next.lowest < numbers.type.lowest ||
      next.highest > numbers.type.highest || !numbers.initial.isBounded() ||
      !numbers.header.isBounded()) {
    return Interval::kNoHighest;
  }
  const Interval distance = by > 0 ? numbers.header - Interval::of(numbers.initial.lowest)
                                   : Interval::of(numbers.initial.highest) - numbers.header;
  if (!distance.hasHighest()) return Interval::kNoHighest;
  return std::max<std::int64_t>(distance.highest, 0) / (by > 0 ? by : -by);
}

}  // namespace

FormId InductionVariables::of(ValueId phi) {
  const BlockId header = ssa_.block(phi);
  const LoopId loop = loops_.loopOf(header);
  if (loop == LoopId::None || loops_.header(loop) != header || !loops_.isReducible(loop))
    return FormId::None;
  const Ways ways = waysInto(phi, loop);
  if (ways.initial == FormId::None || ways.step == FormId::None) return FormId::None;
  const FormId steps = forms_.multiply(ways.step, forms_.ofLeaf(rounds(loop), bitsOf(phi)));
  return steps == FormId::None ? FormId::None : forms_.add(ways.initial, steps);
}

LeafId InductionVariables::rounds(LoopId loop) {
  Leaf leaf;
  leaf.key = {LeafKind::Iteration, 64, indexOf(loop), 0};
  leaf.interval = {0, mostRounds(loop)};
  return forms_.intern(leaf);
}

bool InductionVariables::isBackEdge(ValueId phi, std::size_t operand, LoopId loop) const {
  const std::span<const EdgeId> edges = ssa_.cfg().inEdges(ssa_.block(phi));
  return operand < edges.size() && loops_.contains(loop, ssa_.cfg().source(edges[operand]));
}

InductionVariables::Ways InductionVariables::waysInto(ValueId phi, LoopId loop) {
  const std::span<const ValueId> operands = ssa_.phiOperands(phi);
  Ways found;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k] == ValueId::None) continue;
    const bool isBack = isBackEdge(phi, k, loop);
    const FormId form = isBack ? stepBetween(phi, operands[k]) : formOfValue_[operands[k]];
    FormId& slot = isBack ? found.step : found.initial;
    if (form == FormId::None || (slot != FormId::None && slot != form)) return {};
    slot = form;
  }
  return found;
}

// next - phi, if `next` is made from `phi` by adding and subtracting what does not change in the
// loop of the phi.
FormId InductionVariables::stepBetween(ValueId phi, ValueId next) {
  const unsigned bits = bitsOf(phi);
  FormId total = forms_.constant(0, bits);
  for (std::size_t steps = 0; !reaches(steps, Limit::InductionSteps); ++steps) {
    if (next == phi) return total;
    if (!ssa_.isDefinition(next) || ssa_.old(next) != ValueId::None) return FormId::None;
    const Instruction& instruction = ssa_.instruction(next);
    const isa::InstructionDesc& desc = *instruction.desc;
    if (!isPureInteger(instruction) || desc.has(".sat") ||
        static_cast<unsigned>(isa::bitWidth(desc.type)) != bits || bitsOf(next) != bits) {
      return FormId::None;
    }
    const Operand* const left = instruction.operand(1);
    const Operand* const right = instruction.operand(2);
    if (desc.opcode == Opcode::Mov && left->kind == OperandKind::Register) {
      next = ssa_.use(instruction, *left);
      continue;
    }
    if (desc.opcode != Opcode::Add && desc.opcode != Opcode::Sub) return FormId::None;
    const FormId addend = invariant(instruction, *right, phi, bits);
    if (addend != FormId::None && left->kind == OperandKind::Register) {
      total =
          desc.opcode == Opcode::Add ? forms_.add(total, addend) : forms_.subtract(total, addend);
      next = ssa_.use(instruction, *left);
      continue;
    }
    const FormId other = invariant(instruction, *left, phi, bits);
    if (desc.opcode == Opcode::Sub || other == FormId::None ||
        right->kind != OperandKind::Register) {
      return FormId::None;
    }
    total = forms_.add(total, other);
    next = ssa_.use(instruction, *right);
  }
  return FormId::None;
}

// The form of an operand that has one value while the loop of the phi runs.
FormId InductionVariables::invariant(const Instruction& instruction, const Operand& operand,
                                     ValueId phi, unsigned bits) {
  if (operand.kind == OperandKind::Integer) {
    return forms_.constant(static_cast<std::uint64_t>(operand.immediate), bits);
  }
  if (operand.kind != OperandKind::Register || operand.component != 0) return FormId::None;
  const ValueId v = ssa_.use(instruction, operand);
  if (v == ValueId::None || bitsOf(v) != bits) return FormId::None;
  if (ranges_.of(v).isConstant()) return forms_.constant(ranges_.of(v).lowest, bits);
  // Defined above the header, and not in it: it dominates the loop from outside.
  const bool isOutside = ssa_.block(v) != ssa_.block(phi) &&
                         ssa_.dominators().dominates(ssa_.block(v), ssa_.block(phi));
  return isOutside ? formOfValue_[v] : FormId::None;
}

// How often the back edges can be taken, by the induction variables that do not wrap.
std::int64_t InductionVariables::mostRounds(LoopId loop) {
  const auto [at, isNew] = mostRounds_.try_emplace(loop, Interval::kNoHighest);
  if (!isNew) return at->second;
  const BlockId header = loops_.header(loop);
  std::int64_t most = Interval::kNoHighest;
  for (const ValueId phi : ssa_.phis(header)) {
    if (bitsOf(phi) != 0) most = std::min(most, mostRounds(phi, loop));
  }
  mostRounds_[loop] = most;
  return most;
}

std::int64_t InductionVariables::mostRounds(ValueId phi, LoopId loop) {
  const std::span<const ValueId> operands = ssa_.phiOperands(phi);
  const std::span<const EdgeId> edges = ssa_.cfg().inEdges(ssa_.block(phi));
  const unsigned bits = bitsOf(phi);
  const ValueRange all = ValueRange::all(bits);
  const ValueRange& always = ranges_.of(phi);
  constexpr Interval kNothing{1, 0};
  Numbers asSigned{all.asSigned(), kNothing, kNothing, always.asSigned()};
  Numbers asUnsigned{all.asUnsigned(), kNothing, kNothing, always.asUnsigned()};
  FormId step = FormId::None;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k] == ValueId::None) continue;
    if (isBackEdge(phi, k, loop)) {
      const FormId form = stepBetween(phi, operands[k]);
      if (form == FormId::None || (step != FormId::None && step != form)) {
        return Interval::kNoHighest;
      }
      step = form;
      const ValueRange atLatch = ranges_.at(phi, ssa_.cfg().source(edges[k]));
      asSigned.latch = hull(asSigned.latch, atLatch.asSigned());
      asUnsigned.latch = hull(asUnsigned.latch, atLatch.asUnsigned());
    } else {
      const ValueRange& initial = ranges_.of(operands[k]);
      asSigned.initial = hull(asSigned.initial, initial.asSigned());
      asUnsigned.initial = hull(asUnsigned.initial, initial.asUnsigned());
    }
  }
  if (step == FormId::None || !forms_.form(step).isConstant()) return Interval::kNoHighest;
  const std::int64_t by = signedResidue(forms_.form(step).constant, bits);
  if (by == 0) return Interval::kNoHighest;
  return std::min(roundsWithin(asSigned, by),
                  bits == 64 ? Interval::kNoHighest : roundsWithin(asUnsigned, by));
}

}  // namespace ptxopt::analysis
