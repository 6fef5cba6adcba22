// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/threads/elected_leaders.h"

#include <algorithm>

#include "analysis/flow/callee.h"
#include "analysis/flow/device_runtime.h"
#include "analysis/threads/non_exited_threads.h"
#include "analysis/threads/warp_uniformity.h"
#include "analysis/values/branch_conditions.h"
#include "analysis/values/integer_operation.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using isa::Opcode;

// No thread elects or ends during the call.  Ending the whole grid does no harm.
bool isHarmlessCall(const ir::Function& caller, const Instruction& call) {
  const Callee callee = calleeOf(caller, call);
  return callee.function != nullptr && !callee.isAlias && !callee.function->hasBody() &&
         findDeviceRuntimeFunction(callee.function->nameText()) != nullptr;
}

}  // namespace

ElectedLeaders::ElectedLeaders(const Ssa& ssa, const ValueRanges& ranges, const LinearForms& forms,
                               const IdVector<ValueId, FormId>& formOfValue)
    : ssa_(&ssa), ranges_(&ranges) {
  findElections();
  if (elections_.empty()) return;
  const Cfg& cfg = ssa.cfg();
  const NonExitedThreads warps(cfg, Liveness(cfg),
                               uniformInWarps(ssa, ranges.shape(), forms, formOfValue));
  BitSet allExecute(cfg.vertexCount());
  for (const BlockId b : cfg.blocks()) {
    if (warps.allExecute(b)) allExecute.set(b);
  }
  keepThoseThatCount(allExecute);
  if (!elections_.empty()) findMasksOfBlocks();
}

// ---- elections ---------------------------------------------------------------------------------

// No elections if some code may execute instructions that are unknown here.
void ElectedLeaders::findElections() {
  const Cfg& cfg = ssa_->cfg();
  const InstructionNumbers& numbers = ssa_->instructions();
  if (!cfg.function().isEntry()) return;
  for (std::uint32_t n = 0; n < numbers.count(); ++n) {
    const bool isElection = numbers[n].is(Opcode::Elect) && cfg.isReachable(numbers[n].block);
    if (isElection) elections_.push_back(&numbers[n]);
  }
  if (elections_.empty()) return;
  for (std::uint32_t n = 0; n < numbers.count(); ++n) {
    const isa::InstructionDesc& desc = *numbers[n].desc;
    const bool isCall = desc.control == isa::Control::Call;
    if (!desc.known() || (isCall && !isHarmlessCall(cfg.function(), numbers[n]))) {
      elections_.clear();
      return;
    }
  }
}

// 0 if the mask is not known.
std::uint32_t ElectedLeaders::maskOfElection(const Instruction& election) const {
  const ValueRange mask = ranges_->ofOperand(election, *election.operand(1), 32);
  return mask.isConstant() ? static_cast<std::uint32_t>(mask.lowest) : 0;
}

void ElectedLeaders::keepThoseThatCount(const BitSet& allExecute) {
  const Cfg& cfg = ssa_->cfg();
  BitSet nonUniform(cfg.vertexCount());  // after an election that does not count, or with one
  std::vector<BlockId> work;
  for (const Instruction* election : elections_) {
    const bool counts = !election->guard && maskOfElection(*election) != 0;
    if (counts && allExecute.test(election->block)) continue;
    if (nonUniform.set(election->block)) work.push_back(election->block);
  }
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    for (const BlockId next : cfg.successors(b)) {
      if (nonUniform.set(next)) work.push_back(next);
    }
  }
  std::erase_if(elections_,
                [&](const Instruction* election) { return nonUniform.test(election->block); });
}

// ---- which instructions leaders execute --------------------------------------------------------

void ElectedLeaders::findMasksOfBlocks() {
  const Cfg& cfg = ssa_->cfg();
  maskOfBlock_.assign(cfg.vertexCount(), 0);
  for (const BlockId b : ssa_->dominators().preorder()) {
    const BlockId above = ssa_->dominators().parent(b);
    if (above == BlockId::None) continue;
    maskOfBlock_[b] = maskOfBlock_[above];
    if (maskOfBlock_[b] != 0 || cfg.inEdges(b).size() != 1) continue;
    const EdgeId edge = cfg.inEdges(b)[0];
    const Instruction* branch = cfg.block(cfg.source(edge)).terminator;
    if (branch == nullptr || !branch->guard || cfg.kind(edge) == EdgeKind::Endless) continue;
    const bool isTaken = cfg.kind(edge) != EdgeKind::Fallthrough;
    maskOfBlock_[b] = maskWhere(ssa_->guard(*branch), isTaken != branch->guard.negated());
  }
}

std::uint32_t ElectedLeaders::maskOf(const Instruction& instruction) {
  if (maskOfBlock_.empty() || !ssa_->cfg().isReachable(instruction.block)) return 0;
  if (instruction.guard) {
    const std::uint32_t mask = maskWhere(ssa_->guard(instruction), !instruction.guard.negated());
    if (mask != 0) return mask;
  }
  return maskOfBlock_[instruction.block];
}

std::uint32_t ElectedLeaders::maskWhere(ValueId predicate, bool holds) {
  const MaybeRest rest = restOf(predicate);
  return rest && (rest->value != 0) != holds ? rest->mask : 0;
}

// ---- values in the other threads of a warp -----------------------------------------------------

ElectedLeaders::MaybeRest ElectedLeaders::restOf(ValueId value) {
  if (value == ValueId::None || reaches(nesting_, Limit::LeaderNesting)) return std::nullopt;
  const ValueRange& range = ranges_->of(value);
  if (range.isConstant()) return Rest{0, range.lowest};
  // A phi that depends on itself has no known value.
  const auto [found, isNew] = known_.try_emplace(value);
  if (!isNew) return found->second;
  ++nesting_;
  const MaybeRest rest = ssa_->isPhi(value)          ? ofPhi(value)
                         : ssa_->isDefinition(value) ? ofDefinition(value)
                                                     : std::nullopt;
  --nesting_;
  return known_[value] = rest;
}

namespace {

// The mask for facts about two values together; none if their masks differ.
std::optional<std::uint32_t> commonMask(std::uint32_t a, std::uint32_t b) {
  if (a != 0 && b != 0 && a != b) return std::nullopt;
  return a != 0 ? a : b;
}

}  // namespace

ElectedLeaders::MaybeRest ElectedLeaders::ofPhi(ValueId value) {
  MaybeRest all;
  for (const ValueId operand : ssa_->phiOperands(value)) {
    if (operand == ValueId::None) continue;  // from unreachable code
    const MaybeRest one = restOf(operand);
    if (!one) return std::nullopt;
    if (!all) {
      all = one;
      continue;
    }
    const auto mask = commonMask(all->mask, one->mask);
    if (!mask || all->value != one->value) return std::nullopt;
    all->mask = *mask;
  }
  return all;
}

ElectedLeaders::MaybeRest ElectedLeaders::ofDefinition(ValueId value) {
  const Instruction& instruction = ssa_->instruction(value);
  const Operand* target = ssa_->operand(value);
  if (!instruction.desc->known() || target == nullptr || target->component != 0 || target->reads) {
    return std::nullopt;
  }
  if (!instruction.guard) return ofResult(value);
  const MaybeRest guard = restOf(ssa_->guard(instruction));
  if (!guard) return std::nullopt;
  const bool isExecuted = (guard->value != 0) != instruction.guard.negated();
  MaybeRest rest = isExecuted ? ofResult(value) : restOf(ssa_->old(value));
  if (!rest) return std::nullopt;
  const auto mask = commonMask(guard->mask, rest->mask);
  if (!mask) return std::nullopt;
  rest->mask = *mask;
  return rest;
}

// The result of the instruction, if it is executed.
ElectedLeaders::MaybeRest ElectedLeaders::ofResult(ValueId value) {
  const Instruction& instruction = ssa_->instruction(value);
  const Operand* const first = instruction.operand(0);
  const Operand* const target = ssa_->operand(value);
  if (instruction.is(Opcode::Elect)) {
    const bool counts = std::ranges::find(elections_, &instruction) != elections_.end();
    const bool isPredicate = first->kind == OperandKind::Pair && target == first + 2;
    if (!counts || !isPredicate) return std::nullopt;
    return Rest{maskOfElection(instruction), 0};
  }
  if (target != first) return std::nullopt;
  switch (instruction.desc->opcode) {
    case Opcode::Setp:
      return ofSetp(instruction);
    case Opcode::Selp: {
      const MaybeRest which = ofSource(instruction, instruction.operand(3));
      if (!which || isa::isFloat(instruction.desc->type)) return std::nullopt;
      MaybeRest rest = ofSource(instruction, instruction.operand(which->value != 0 ? 1 : 2));
      const auto mask = rest ? commonMask(which->mask, rest->mask) : std::nullopt;
      if (!mask) return std::nullopt;
      rest->mask = *mask;
      return rest;
    }
    case Opcode::Cvt: {
      // A number with the same value in any integer type.
      const MaybeRest rest = ofSource(instruction, instruction.operand(1));
      const bool isInteger = isa::bitWidth(instruction.desc->type) > 0 &&
                             isa::bitWidth(instruction.desc->sourceType) > 0 &&
                             !isa::isFloat(instruction.desc->type) &&
                             !isa::isFloat(instruction.desc->sourceType);
      return isInteger && rest && rest->value <= 0x7f ? rest : std::nullopt;
    }
    default:
      return ofArithmetic(instruction);
  }
}

ElectedLeaders::MaybeRest ElectedLeaders::ofSource(const Instruction& instruction,
                                                   const Operand* source) {
  if (source == nullptr) return std::nullopt;
  if (source->kind == OperandKind::Integer) {
    return Rest{0, static_cast<std::uint64_t>(source->immediate)};
  }
  if (source->kind != OperandKind::Register || source->component != 0) return std::nullopt;
  const ValueId value = ssa_->use(instruction, *source);
  MaybeRest rest = restOf(value);
  if (!rest || !source->negated) return rest;
  if (ranges_->of(value).bits != 0) return std::nullopt;  // not a predicate
  rest->value = rest->value == 0 ? 1 : 0;
  return rest;
}

ElectedLeaders::MaybeRest ElectedLeaders::ofSetp(const Instruction& setp) {
  const std::optional<Comparison> comparison = comparisonOf(*setp.desc);
  if (!comparison || setp.operand(3) != nullptr) return std::nullopt;
  const MaybeRest a = ofSource(setp, setp.operand(1));
  const MaybeRest b = ofSource(setp, setp.operand(2));
  const auto mask = a && b ? commonMask(a->mask, b->mask) : std::nullopt;
  if (!mask) return std::nullopt;
  const auto bits = static_cast<unsigned>(isa::bitWidth(setp.desc->type));
  return Rest{*mask, holds(*comparison, a->value, b->value, bits) ? 1u : 0u};
}

ElectedLeaders::MaybeRest ElectedLeaders::ofArithmetic(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const bool isPredicate = desc.type == isa::Type::Pred;
  const auto source = [&](std::size_t k) { return ofSource(instruction, instruction.operand(k)); };
  const auto isNumber = [](const MaybeRest& rest, bool number) {
    return rest && (rest->value != 0) == number;
  };
  if (desc.opcode == Opcode::And || desc.opcode == Opcode::Or) {
    // One operand may decide the result.
    const bool decides = desc.opcode == Opcode::Or;
    const MaybeRest a = source(1);
    const MaybeRest b = source(2);
    if (isPredicate || !decides) {
      if (isNumber(a, decides)) return Rest{a->mask, decides ? 1u : 0u};
      if (isNumber(b, decides)) return Rest{b->mask, decides ? 1u : 0u};
    }
  }
  std::uint32_t mask = 0;
  std::vector<std::uint64_t> sources;
  for (std::size_t k = 1; instruction.operand(k) != nullptr; ++k) {
    const MaybeRest rest = source(k);
    const auto both = rest ? commonMask(mask, rest->mask) : std::nullopt;
    if (!both) return std::nullopt;
    mask = *both;
    sources.push_back(rest->value);
  }
  if (!isPredicate) {
    const std::optional<IntegerOperation> operation = IntegerOperation::of(desc);
    if (!operation || operation->sourceCount() != sources.size()) return std::nullopt;
    const std::optional<std::uint64_t> value = operation->evaluate(sources);
    return value ? MaybeRest(Rest{mask, *value}) : std::nullopt;
  }
  const auto is = [&](std::size_t k) { return sources[k] != 0; };
  switch (desc.opcode) {
    case Opcode::Mov:
    case Opcode::And:  // neither operand has decided: both are the same
    case Opcode::Or:
      return Rest{mask, is(0) ? 1u : 0u};
    case Opcode::Not:
      return Rest{mask, is(0) ? 0u : 1u};
    case Opcode::Xor:
      return Rest{mask, is(0) != is(1) ? 1u : 0u};
    default:
      return std::nullopt;
  }
}

}  // namespace ptxopt::analysis
