// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/value_range.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "analysis/values/feasible_edges.h"
#include "analysis/values/parameter_bytes.h"
#include "analysis/values/value_range_arithmetic.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using isa::Opcode;

ValueRange rangeOfSpecial(const SpecialName& name, const LaunchShape& shape, unsigned bits) {
  const isa::SpecialRegister& row = isa::specialRegisters()[name.index];
  const unsigned rowBits = static_cast<unsigned>(isa::bitWidth(row.type));
  const auto upTo = [&](std::uint64_t highest) {
    return highest > maskOf(bits) ? ValueRange::all(bits) : ValueRange::between(0, highest, bits);
  };
  switch (name.which) {
    case SpecialName::Which::Tid:
      if (name.component > 2) return ValueRange::of(0, bits);
      return upTo(shape.most[name.component] - 1);
    case SpecialName::Which::Ntid:
      if (name.component > 2) return ValueRange::all(bits);
      if (shape.block) return ValueRange::of((*shape.block)[name.component], bits);
      return meet(upTo(shape.most[name.component]), ValueRange::between(1, maskOf(bits), bits));
    case SpecialName::Which::Ctaid:
      return upTo(name.component == 0 ? 0x7ffffffe : 65534);
    case SpecialName::Which::LaneId:
      return upTo(31);
    case SpecialName::Which::Nctaid:
    case SpecialName::Which::Other:
      break;
  }
  return rowBits != 0 && rowBits < bits ? upTo(maskOf(rowBits)) : ValueRange::all(bits);
}

}  // namespace

// ---- the fixpoint ------------------------------------------------------------------------------

class ValueRanges::Solver {
 public:
  Solver(ValueRanges& ranges, const Ssa& ssa)
      : out_(ranges),
        ssa_(ssa),
        cfg_(ssa.cfg()),
        feasible_(ssa, ranges),
        reached_(cfg_.vertexCount()),
        taken_(cfg_.edgeCount()),
        order_(cfg_, cfg_.entry()),
        known_(ssa.valueCount()),
        bits_(ssa.valueCount()),
        hasGrown_(ssa.valueCount()),
        changedIn_(ssa.valueCount()) {
    const std::vector<std::uint8_t> ofRegister = bitsOfRegisters();
    for (const ValueId v : ssa.values()) {
      if (!ssa.isCarry(v)) bits_[v] = ofRegister[static_cast<std::size_t>(ssa.reg(v))];
      if (bits_[v] != 0) out_.ranges_[v] = ValueRange::all(bits_[v]);
      if (ssa.kind(v) == Ssa::Kind::Entry) known_.set(v);
    }
    for (EdgeId e = 0; e < cfg_.edgeCount(); ++e) hasLoop_ |= isRetreating(e);
    if (hasLoop_) definitions_.reserve(ssa.valueCount());
  }

  void run() {
    for (round_ = 0; round_ <= boundOf(Limit::RangeRounds) || changed_; ++round_) {
      changed_ = false;
      sweep(Phase::Grow);
      // Without loops nothing comes back.
      if (!changed_ || !hasLoop_) break;
    }
    if (!wasWidened_) return;
    sweep(Phase::Shrink);
    sweep(Phase::Shrink);
  }

 private:
  enum class Phase : std::uint8_t { Grow, Shrink };

  // 0 for a register that holds no integer of at most 64 bits.
  std::vector<std::uint8_t> bitsOfRegisters() const {
    const ir::Function& function = cfg_.function();
    std::vector<std::uint8_t> all(function.registerCount());
    for (const ir::RegisterRange& range : function.registers()) {
      const int bits = isa::bitWidth(range.type);
      const bool isNumber = range.vectorWidth == 1 && !isa::isFloat(range.type) &&
                            (bits == 8 || bits == 16 || bits == 32 || bits == 64);
      if (!isNumber) continue;
      std::fill_n(all.begin() + range.first, range.count, static_cast<std::uint8_t>(bits));
    }
    return all;
  }

  struct Definition {
    ValueId value;
    const Instruction* instruction;
  };

  // The first one visits every instruction, the others those that may give something else.
  void sweep(Phase phase) {
    ++sweep_;
    std::size_t at = 0;
    std::size_t position = 0;
    for (const BlockId b : order_.blocks()) {
      findTakenEdges(b);
      for (const ValueId phi : ssa_.phis(b)) {
        if (bits_[phi] != 0) visitPhi(phi, phase);
      }
      if (sweep_ == 1) {
        for (const Instruction& instruction : cfg_.instructions(b)) {
          ssa_.forEachDefinition(instruction, [&](ValueId v) {
            if (bits_[v] == 0) return;
            define({v, &instruction});
            if (hasLoop_ && dependsOnOthers(v, instruction)) {
              definitions_.push_back({v, &instruction});
            }
          });
        }
        ends_.push_back(definitions_.size());
        continue;
      }
      for (const std::size_t last = ends_[position++]; at < last; ++at) {
        if (isStale(definitions_[at])) define(definitions_[at]);
      }
    }
  }

  void define(const Definition& definition) {
    const ValueId v = definition.value;
    ValueRange result = resultOf(v, *definition.instruction);
    if (const ValueId old = ssa_.old(v); old != ValueId::None && known_.test(old)) {
      result = tightened(join(result, out_.ranges_[old]));
    }
    set(v, result);
  }

  bool dependsOnOthers(ValueId v, const Instruction& instruction) const {
    if (ssa_.old(v) != ValueId::None) return true;
    const isa::InstructionDesc& desc = *instruction.desc;
    return desc.known() && !desc.isLoad() && !isa::isFloat(desc.type);
  }

  // Something that it is computed from has changed since the last sweep came here.
  bool isStale(const Definition& definition) const {
    // What its predicate compares may have changed.
    if (definition.instruction->desc->opcode == Opcode::Selp) return true;
    const auto hasChanged = [&](ValueId v) {
      return v != ValueId::None && changedIn_[v] + 1 >= sweep_;
    };
    bool isStale = hasChanged(ssa_.old(definition.value));
    ir::forEachRegister(*definition.instruction, [&](const Operand& operand) {
      if (isStale || !operand.reads) return;
      const ValueId source = ssa_.use(*definition.instruction, operand);
      isStale = hasChanged(source);
      if (isStale || source == ValueId::None) return;
      for (const BranchConditions::Placed& placed : out_.conditions_->ofValue(source)) {
        isStale |= hasChanged(placed.condition.otherValue);
      }
    });
    return isStale;
  }

  void set(ValueId value, const ValueRange& range) {
    if (known_.set(value) || out_.ranges_[value] != range) {
      changed_ = true;
      changedIn_[value] = sweep_;
    }
    out_.ranges_[value] = range;
  }

  // ---- phis -----------------------------------------------------------------------------------

  // By what is known so far: an edge that nothing takes yet brings nothing to a phi.  What is taken
  // once remains so.
  void findTakenEdges(BlockId block) {
    bool isReached = block == cfg_.entry();
    for (const EdgeId edge : cfg_.inEdges(block)) {
      if (!taken_.test(edge) && reached_.test(cfg_.source(edge)) && feasible_.isEverTaken(edge)) {
        taken_.set(edge);
        changed_ = true;
      }
      isReached |= taken_.test(edge);
    }
    if (isReached) reached_.set(block);
  }

  void visitPhi(ValueId phi, Phase phase) {
    const BlockId block = ssa_.block(phi);
    const std::span<const ValueId> operands = ssa_.phiOperands(phi);
    const std::span<const EdgeId> edges = cfg_.inEdges(block);
    ValueRange joined;
    bool hasOperand = false;
    bool isHeader = false;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] == ValueId::None) continue;
      if (k < edges.size()) isHeader |= isRetreating(edges[k]);
      if (!known_.test(operands[k]) || (k < edges.size() && !taken_.test(edges[k]))) continue;
      const ValueRange incoming =
          k < edges.size() ? onEdge(operands[k], edges[k]) : out_.ranges_[operands[k]];
      joined = hasOperand ? join(joined, incoming) : incoming;
      hasOperand = true;
    }
    if (!hasOperand) return;
    joined = tightened(joined);
    if (phase == Phase::Grow && known_.test(phi)) {
      const ValueRange old = out_.ranges_[phi];
      joined = tightened(join(old, joined));
      if (joined == old) return;
      if (isHeader && reaches(round_, Limit::RangeRounds)) {
        wasWidened_ = true;
        joined = ValueRange::all(joined.bits);
      } else if (isHeader && !hasGrown_.set(phi)) {
        wasWidened_ = true;
        joined = widened(old, joined, operands, edges);
      }
    }
    set(phi, joined);
  }

  bool isRetreating(EdgeId edge) const {
    const std::uint32_t source = order_.position(cfg_.source(edge));
    return source != kNone && source >= order_.position(cfg_.target(edge));
  }

  ValueRange onEdge(ValueId value, EdgeId edge) const {
    ValueRange range = out_.at(value, cfg_.source(edge));
    for (const Condition& condition : out_.conditions_->ofEdge(edge)) {
      if (condition.value == value) range = out_.refined(range, condition);
    }
    return range;
  }

  // What the conditions alone say about an operand, given that it grew to `joined` from `old`.
  ValueRange limitOf(ValueId value, EdgeId edge, const ValueRange& old) const {
    if (!isRetreating(edge)) return onEdge(value, edge);
    ValueRange limit = limitOfSelection(value);
    const auto apply = [&](const Condition& condition) {
      limit = out_.refined(limit, condition);
      if (condition.comparison != Comparison::NotEqual || condition.bits != limit.bits) return;
      // Counting towards a number from one side, most likely: the next rounds check that.
      const ValueRange other = rangeOfOther(condition);
      if (!other.isConstant()) return;
      if (old.highest < other.lowest) {
        limit = meet(limit, ValueRange::between(0, other.lowest - 1, limit.bits));
      } else if (old.lowest > other.lowest) {
        limit = meet(limit, ValueRange::between(other.lowest + 1, maskOf(limit.bits), limit.bits));
      }
    };
    for (const Condition& condition : out_.conditions_->ofEdge(edge)) {
      if (condition.value == value) apply(condition);
    }
    for (const BranchConditions::Placed& placed : out_.conditions_->ofValue(value)) {
      if (ssa_.dominators().dominates(placed.block, cfg_.source(edge))) apply(placed.condition);
    }
    return limit;
  }

  // The source of a whole copy of the same width, or the value itself.
  ValueId copiedFrom(ValueId value) const {
    if (!ssa_.isDefinition(value) || ssa_.old(value) != ValueId::None) return value;
    const Instruction& mov = ssa_.instruction(value);
    const Operand* const source = mov.operand(1);
    const bool isCopy = mov.desc->opcode == Opcode::Mov && mov.desc->known() && source != nullptr &&
                        source->isWholeRegister();
    if (!isCopy) return value;
    const ValueId copied = ssa_.use(mov, *source);
    return copied != ValueId::None && bits_[copied] == bits_[value] ? copied : value;
  }

  // What the predicate of a selp alone says about its result.
  ValueRange limitOfSelection(ValueId value) const {
    const ValueRange all = ValueRange::all(bits_[value]);
    value = copiedFrom(value);
    if (!ssa_.isDefinition(value) || ssa_.old(value) != ValueId::None) return all;
    const Instruction& selp = ssa_.instruction(value);
    const bool isSelection = selp.desc->opcode == Opcode::Selp && selp.desc->known() &&
                             isa::bitWidth(selp.desc->type) == static_cast<int>(all.bits);
    if (!isSelection) return all;
    const auto ofSource = [&](std::size_t k) {
      const Operand& source = *selp.operand(k);
      if (source.kind == OperandKind::Integer) {
        return ValueRange::of(static_cast<std::uint64_t>(source.immediate), all.bits);
      }
      return refinedBy(conditionsOfSelection(selp, k == 1), selp, k, all);
    };
    return join(ofSource(1), ofSource(2));
  }

  ValueRange rangeOfOther(const Condition& condition) const {
    return out_.rangeOf(condition.otherValue, *condition.other, condition.bits);
  }

  ValueRange widened(const ValueRange& old, const ValueRange& grown,
                     std::span<const ValueId> operands, std::span<const EdgeId> edges) const {
    ValueRange limit = grown;
    for (std::size_t k = 0; k < operands.size() && k < edges.size(); ++k) {
      if (operands[k] != ValueId::None) limit = join(limit, limitOf(operands[k], edges[k], old));
    }
    ValueRange result = grown;
    if (grown.lowest < old.lowest) result.lowest = limit.lowest;
    if (grown.highest > old.highest) result.highest = limit.highest;
    if (grown.signedLowest < old.signedLowest) result.signedLowest = limit.signedLowest;
    if (grown.signedHighest > old.signedHighest) result.signedHighest = limit.signedHighest;
    // Of the bits only those at the bottom are worth keeping; the others follow from the bounds.
    const std::uint64_t low = maskOf(std::min(knownLowBits(grown), unsigned{grown.bits}));
    result.zeros &= low;
    result.ones &= low;
    return tightened(result);
  }

  // ---- instructions ---------------------------------------------------------------------------

  // What operand `v` of the instruction gets where the instruction is executed.
  ValueRange resultOf(ValueId v, const Instruction& instruction) const {
    const ValueRange unknown = ValueRange::all(bits_[v]);
    const Operand* const target = ssa_.operand(v);
    if (target == nullptr || !instruction.desc->known() || target->component != 0 ||
        target->reads) {
      return unknown;
    }
    const isa::InstructionDesc& desc = *instruction.desc;
    const unsigned typeBits = static_cast<unsigned>(isa::bitWidth(desc.type));
    if (typeBits == 0 || typeBits > 64 || isa::isFloat(desc.type)) return unknown;
    if (desc.isLoad()) {
      const auto bytes = parameterBytes(cfg_.function(), instruction, *target);
      const ValueRange loaded =
          bytes ? analysis::rangeOf(cfg_.function(), *bytes) : ValueRange::all(typeBits);
      if (typeBits == bits_[v]) return loaded;
      // Narrow numbers are extended by their type.
      return typeBits < bits_[v] ? extend(loaded, bits_[v], isa::isSigned(desc.type)) : unknown;
    }
    if (target != instruction.operand(0)) return unknown;
    const ValueRange result = evaluate(instruction, typeBits);
    if (result.bits == bits_[v]) return result;
    if (desc.opcode == Opcode::Cvt && result.bits != 0 && result.bits < bits_[v]) {
      return extend(result, bits_[v], isa::isSigned(desc.type));
    }
    return unknown;
  }

  // Most have no qualifier but their type.
  static bool mayClamp(const isa::InstructionDesc& desc) {
    return desc.qualifiers.size() > 1 && (desc.has(".sat") || desc.has(".relu"));
  }

  // No bits: nothing is known.
  ValueRange evaluate(const Instruction& instruction, unsigned bits) const {
    const isa::InstructionDesc& desc = *instruction.desc;
    if (mayClamp(desc) || desc.readsCarry) return {};
    const bool isSigned = isa::isSigned(desc.type);
    const auto source = [&](std::size_t k, unsigned width) {
      const Operand* operand = instruction.operand(k);
      return operand == nullptr ? ValueRange::all(width)
                                : out_.ofOperand(instruction, *operand, width);
    };
    const auto a = [&] { return source(1, bits); };
    const auto b = [&] { return source(2, bits); };
    const auto amount = [&](std::size_t k) { return source(k, 32); };
    switch (desc.opcode) {
      case Opcode::Mov:
        return a();
      case Opcode::Add:
        return add(a(), b());
      case Opcode::Sub:
        return subtract(a(), b());
      case Opcode::Neg:
        return subtract(ValueRange::of(0, bits), a());
      case Opcode::Not:
        return complement(a());
      case Opcode::Mul:
        return product(instruction, bits);
      case Opcode::Mad: {
        const ValueRange factor = product(instruction, bits);
        return factor.bits == 0 ? factor : add(factor, source(3, factor.bits));
      }
      case Opcode::Shl:
        return shiftLeft(a(), amount(2));
      case Opcode::Shr:
        return shiftRight(a(), amount(2), isSigned);
      case Opcode::And:
        return combine(Logic::And, a(), b());
      case Opcode::Or:
        return combine(Logic::Or, a(), b());
      case Opcode::Xor:
        return combine(Logic::Xor, a(), b());
      case Opcode::Rem:
        return remainder(a(), b(), isSigned);
      case Opcode::Div:
        return divide(a(), b(), isSigned);
      case Opcode::Min:
        return extreme(a(), b(), false, isSigned);
      case Opcode::Max:
        return extreme(a(), b(), true, isSigned);
      case Opcode::Selp:
        return selected(instruction, bits);
      case Opcode::Bfe:
        return extractBits(a(), amount(2), amount(3), isSigned);
      case Opcode::Popc:
      case Opcode::Clz:
        return ValueRange::between(0, bits, 32);
      case Opcode::Abs: {
        const ValueRange x = a();
        if (x.signedLowest >= 0) return x;
        if (x.signedLowest == leastSigned(bits)) return {};
        const std::int64_t most = std::max(-x.signedLowest, x.signedHighest);
        return ValueRange::betweenSigned(0, most, bits);
      }
      case Opcode::Cvt: {
        const unsigned from = static_cast<unsigned>(isa::bitWidth(desc.sourceType));
        if (from == 0 || from > 64 || isa::isFloat(desc.sourceType)) return {};
        return resize(source(1, from), bits, isa::isSigned(desc.sourceType));
      }
      default:
        return {};
    }
  }

  // Each source is what the predicate says of it where it is selected: `i + 1 > 2 ? 0 : i + 1` is
  // at most 2.  One of the two where the predicate never selects the other.
  ValueRange selected(const Instruction& selp, unsigned bits) const {
    const ValueRange first = out_.ofOperand(selp, *selp.operand(1), bits);
    const ValueRange second = out_.ofOperand(selp, *selp.operand(2), bits);
    if (first == second && first.isConstant()) return first;
    const std::vector<Condition> ifFirst = conditionsOfSelection(selp, true);
    const std::vector<Condition> ifSecond = conditionsOfSelection(selp, false);
    if (!feasible_.mayHold(ifFirst, selp.block)) return second;
    if (!feasible_.mayHold(ifSecond, selp.block)) return first;
    return tightened(
        join(refinedBy(ifFirst, selp, 1, first), refinedBy(ifSecond, selp, 2, second)));
  }

  // What holds where the first source of a selp is selected, or the second one.
  std::vector<Condition> conditionsOfSelection(const Instruction& selp, bool isFirst) const {
    const Operand* const operand = selp.operand(3);
    if (operand == nullptr || operand->kind != OperandKind::Register) return {};
    return out_.conditions_->ofPredicate(ssa_.use(selp, *operand), isFirst != operand->negated);
  }

  ValueRange refinedBy(const std::vector<Condition>& conditions, const Instruction& instruction,
                       std::size_t source, ValueRange range) const {
    const Operand& operand = *instruction.operand(source);
    if (conditions.empty() || !operand.isWholeRegister()) return range;
    const ValueId value = ssa_.use(instruction, operand);
    for (const Condition& condition : conditions) {
      if (condition.value == value) range = out_.refined(range, condition);
    }
    return range;
  }

  // Of the first two sources.
  ValueRange product(const Instruction& instruction, unsigned bits) const {
    const isa::InstructionDesc& desc = *instruction.desc;
    const ValueRange a = out_.ofOperand(instruction, *instruction.operand(1), bits);
    const ValueRange b = out_.ofOperand(instruction, *instruction.operand(2), bits);
    const bool isSigned = isa::isSigned(desc.type);
    if (desc.has(".lo")) return multiply(a, b);
    const ValueRange wide =
        bits <= 32 ? multiply(extend(a, 2 * bits, isSigned), extend(b, 2 * bits, isSigned))
                   : ValueRange();
    if (desc.has(".wide")) return wide;
    if (!desc.has(".hi") || wide.bits == 0) return {};
    return truncate(shiftRight(wide, ValueRange::of(bits, 32), isSigned), bits);
  }

  ValueRanges& out_;
  const Ssa& ssa_;
  const Cfg& cfg_;
  const FeasibleEdges feasible_;
  BitSet reached_;  // blocks, and the exit
  BitSet taken_;    // edges
  const BlockOrder order_;
  BitSet known_;  // values that some round found a number for
  IdVector<ValueId, std::uint8_t> bits_;
  BitSet hasGrown_;                             // phis in headers of loops
  IdVector<ValueId, std::uint32_t> changedIn_;  // the last sweep that did
  std::vector<Definition> definitions_;         // what later sweeps look at
  std::vector<std::size_t> ends_;  // of the definitions of a block, in the order of blocks
  std::uint32_t sweep_ = 0;
  unsigned round_ = 0;
  bool changed_ = true;
  bool hasLoop_ = false;
  bool wasWidened_ = false;
};

ValueRanges::ValueRanges(const Ssa& ssa, const BranchConditions& conditions,
                         const LaunchShape& shape)
    : ssa_(&ssa), conditions_(&conditions), shape_(shape), ranges_(ssa.valueCount()) {
  Solver(*this, ssa).run();
}

ValueRanges::ValueRanges(const Ssa& ssa, const BranchConditions& conditions,
                         const Assumptions& assumptions)
    : ValueRanges(ssa, conditions, LaunchShape::of(ssa.cfg().function(), assumptions)) {}

ValueRange ValueRanges::at(ValueId value, BlockId block) const {
  ValueRange range = ranges_[value];
  if (range.bits == 0) return range;
  const auto apply = [&](std::span<const BranchConditions::Placed> some) {
    for (const BranchConditions::Placed& placed : some) {
      if (ssa_->dominators().dominates(placed.block, block)) {
        range = refined(range, placed.condition);
      }
    }
  };
  // They stand in the order of the text.  Of many, the first and those right above count.
  const std::span<const BranchConditions::Placed> all = conditions_->ofValue(value);
  if (!exceeds(all.size(), Limit::RangeConditions)) {
    apply(all);
    return range;
  }
  const auto end = std::ranges::upper_bound(all, block, {}, &BranchConditions::Placed::block);
  const auto above = all.first(static_cast<std::size_t>(end - all.begin()));
  const std::size_t half = std::min(above.size(), boundOf(Limit::RangeConditions) / 2);
  apply(above.first(half));
  apply(above.last(half));
  return range;
}

ValueRange ValueRanges::ofOperand(const Instruction& instruction, const Operand& operand,
                                  unsigned bits) const {
  if (operand.kind == OperandKind::Register && operand.component == 0 && !operand.negated) {
    const ValueId value = ssa_->use(instruction, operand);
    if (value == ValueId::None) return ValueRange::all(bits);
    if (conditions_->ofValue(value).empty()) return rangeOf(value, operand, bits);
    const ValueRange range = at(value, instruction.block);
    return range.bits < bits ? ValueRange::all(bits) : truncate(range, bits);
  }
  return rangeOf(ValueId::None, operand, bits);
}

// Of a value at its definition, or else of an operand that is no register.
ValueRange ValueRanges::rangeOf(ValueId value, const Operand& operand, unsigned bits) const {
  if (value != ValueId::None) {
    const ValueRange& range = ranges_[value];
    return range.bits < bits ? ValueRange::all(bits) : truncate(range, bits);
  }
  if (operand.kind == OperandKind::Integer) {
    return ValueRange::of(static_cast<std::uint64_t>(operand.immediate), bits);
  }
  if (const auto name = specialName(ssa_->cfg().function(), operand)) {
    return ofSpecial(*name, bits);
  }
  return ValueRange::all(bits);
}

ValueRange ValueRanges::ofSpecial(const SpecialName& name, unsigned bits) const {
  return rangeOfSpecial(name, shape_, bits);
}

ValueRange ValueRanges::refined(const ValueRange& range, const Condition& condition) const {
  if (condition.bits != range.bits) return range;
  const ValueRange other = rangeOf(condition.otherValue, *condition.other, condition.bits);
  if (condition.comparison == Comparison::NotEqual) return without(range, other);
  return meet(range, ofComparison(condition.comparison, other));
}

}  // namespace ptxopt::analysis
