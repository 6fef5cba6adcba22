// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/value_range.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

#include "analysis/values/linear_form.h"
#include "support/order.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using isa::Opcode;

std::uint64_t maskOf(unsigned bits) {
  return residue(~std::uint64_t{0}, bits);
}
std::int64_t leastSigned(unsigned bits) {
  return signedResidue(std::uint64_t{1} << (bits - 1), bits);
}
std::int64_t greatestSigned(unsigned bits) {
  return static_cast<std::int64_t>(maskOf(bits) >> 1);
}

// Of one value, that are looked at in one place.
constexpr std::size_t kMostConditions = 32;

// How many low bits of `range` are known.
unsigned knownLowBits(const ValueRange& range) {
  return static_cast<unsigned>(std::countr_one(range.zeros | range.ones));
}

// Makes what one part says count for the others.  False if they contradict each other.
bool tighten(ValueRange& range) {
  const unsigned bits = range.bits;
  if (range == ValueRange::all(bits)) return true;
  const std::uint64_t mask = maskOf(bits);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  for (int pass = 0; pass < 2; ++pass) {
    // Bits that the bounds have in common from the top on.
    const std::uint64_t differing = range.lowest ^ range.highest;
    const std::uint64_t common = mask & ~maskOf(static_cast<unsigned>(std::bit_width(differing)));
    range.ones |= range.lowest & common;
    range.zeros |= ~range.lowest & common;
    if ((range.ones & range.zeros) != 0) return false;

    range.lowest = std::max(range.lowest, range.ones);
    range.highest = std::min(range.highest, mask & ~range.zeros);
    // The nearest numbers inwards that have the known low bits.
    const std::uint64_t lowMask = maskOf(std::min(knownLowBits(range), 63u));
    const std::uint64_t low = range.ones & lowMask;
    const std::uint64_t up = (range.lowest & ~lowMask) + low;
    if (up < range.lowest && up + lowMask + 1 <= mask) {
      range.lowest = up + lowMask + 1;
    } else if (up > range.lowest) {
      range.lowest = up;
    }
    const std::uint64_t down = (range.highest & ~lowMask) + low;
    if (down > range.highest) {
      if (down < lowMask + 1) return false;
      range.highest = down - lowMask - 1;
    } else {
      range.highest = down;
    }
    if (range.lowest > range.highest) return false;

    if (((range.lowest ^ range.highest) & sign) == 0) {
      range.signedLowest = std::max(range.signedLowest, signedResidue(range.lowest, bits));
      range.signedHighest = std::min(range.signedHighest, signedResidue(range.highest, bits));
    }
    if (range.signedLowest > range.signedHighest) return false;
    if ((range.signedLowest < 0) == (range.signedHighest < 0)) {
      range.lowest =
          std::max(range.lowest, residue(static_cast<std::uint64_t>(range.signedLowest), bits));
      range.highest =
          std::min(range.highest, residue(static_cast<std::uint64_t>(range.signedHighest), bits));
    }
    if (range.lowest > range.highest) return false;
  }
  return true;
}

// For parts that cannot contradict each other, because the value exists.
ValueRange tightened(ValueRange range) {
  const ValueRange before = range;
  return tighten(range) ? range : before;
}

}  // namespace

ValueRange ValueRange::all(unsigned bits) {
  ValueRange range;
  range.bits = static_cast<std::uint8_t>(bits);
  if (bits == 0) return range;
  range.highest = maskOf(bits);
  range.signedLowest = leastSigned(bits);
  range.signedHighest = greatestSigned(bits);
  return range;
}

ValueRange ValueRange::of(std::uint64_t value, unsigned bits) {
  ValueRange range;
  range.bits = static_cast<std::uint8_t>(bits);
  range.lowest = range.highest = range.ones = residue(value, bits);
  range.zeros = maskOf(bits) & ~range.ones;
  range.signedLowest = range.signedHighest = signedResidue(value, bits);
  return range;
}

ValueRange ValueRange::between(std::uint64_t lowest, std::uint64_t highest, unsigned bits) {
  ValueRange range = all(bits);
  range.lowest = lowest;
  range.highest = highest;
  return tightened(range);
}

ValueRange ValueRange::betweenSigned(std::int64_t lowest, std::int64_t highest, unsigned bits) {
  ValueRange range = all(bits);
  range.signedLowest = lowest;
  range.signedHighest = highest;
  return tightened(range);
}

Interval ValueRange::asUnsigned() const {
  const auto bound = [](std::uint64_t value, std::int64_t none) {
    return value > INT64_MAX ? none : static_cast<std::int64_t>(value);
  };
  // A lowest bound above 2^63 says more than 0, which is still right.
  return {bound(lowest, 0), bound(highest, Interval::kNoHighest)};
}

ValueRange join(const ValueRange& a, const ValueRange& b) {
  if (a.bits != b.bits) return ValueRange();
  ValueRange both = a;
  both.lowest = std::min(a.lowest, b.lowest);
  both.highest = std::max(a.highest, b.highest);
  both.signedLowest = std::min(a.signedLowest, b.signedLowest);
  both.signedHighest = std::max(a.signedHighest, b.signedHighest);
  both.zeros = a.zeros & b.zeros;
  both.ones = a.ones & b.ones;
  return both;
}

ValueRange meet(const ValueRange& a, const ValueRange& b) {
  if (a.bits != b.bits) return a;
  ValueRange both = a;
  both.lowest = std::max(a.lowest, b.lowest);
  both.highest = std::min(a.highest, b.highest);
  both.signedLowest = std::max(a.signedLowest, b.signedLowest);
  both.signedHighest = std::min(a.signedHighest, b.signedHighest);
  both.zeros = a.zeros | b.zeros;
  both.ones = a.ones | b.ones;
  return tighten(both) ? both : a;
}

// ---- arithmetic --------------------------------------------------------------------------------

namespace {

ValueRange add(const ValueRange& a, const ValueRange& b) {
  const unsigned bits = a.bits;
  ValueRange sum = ValueRange::all(bits);
  const std::uint64_t mask = maskOf(bits);
  const bool lowestWraps = a.lowest > mask - b.lowest;
  const bool highestWraps = a.highest > mask - b.highest;
  if (lowestWraps == highestWraps) {
    sum.lowest = residue(a.lowest + b.lowest, bits);
    sum.highest = residue(a.highest + b.highest, bits);
  }
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  if (!__builtin_add_overflow(a.signedLowest, b.signedLowest, &lowest) &&
      !__builtin_add_overflow(a.signedHighest, b.signedHighest, &highest) &&
      lowest >= leastSigned(bits) && highest <= greatestSigned(bits)) {
    sum.signedLowest = lowest;
    sum.signedHighest = highest;
  }
  const std::uint64_t low = maskOf(std::min({knownLowBits(a), knownLowBits(b), bits}));
  sum.ones = (a.ones + b.ones) & low;
  sum.zeros = ~(a.ones + b.ones) & low;
  return tightened(sum);
}

ValueRange complement(const ValueRange& a) {
  const std::uint64_t mask = maskOf(a.bits);
  ValueRange result = a;
  result.lowest = mask & ~a.highest;
  result.highest = mask & ~a.lowest;
  result.signedLowest = ~a.signedHighest;
  result.signedHighest = ~a.signedLowest;
  std::swap(result.zeros, result.ones);
  return result;
}

// a - b, as ~(~a + b).
ValueRange subtract(const ValueRange& a, const ValueRange& b) {
  return complement(add(complement(a), b));
}

ValueRange multiply(const ValueRange& a, const ValueRange& b) {
  const unsigned bits = a.bits;
  ValueRange product = ValueRange::all(bits);
  std::uint64_t highest = 0;
  if (!__builtin_mul_overflow(a.highest, b.highest, &highest) && highest <= maskOf(bits)) {
    product.lowest = a.lowest * b.lowest;
    product.highest = highest;
  }
  std::array<std::int64_t, 4> corners = {};
  const bool overflows = __builtin_mul_overflow(a.signedLowest, b.signedLowest, &corners[0]) ||
                         __builtin_mul_overflow(a.signedLowest, b.signedHighest, &corners[1]) ||
                         __builtin_mul_overflow(a.signedHighest, b.signedLowest, &corners[2]) ||
                         __builtin_mul_overflow(a.signedHighest, b.signedHighest, &corners[3]);
  const auto [least, greatest] = std::ranges::minmax(corners);
  if (!overflows && least >= leastSigned(bits) && greatest <= greatestSigned(bits)) {
    product.signedLowest = least;
    product.signedHighest = greatest;
  }
  const int zeros = std::countr_one(a.zeros) + std::countr_one(b.zeros);
  product.zeros |= maskOf(std::min(static_cast<unsigned>(zeros), bits));
  return tightened(product);
}

// Shift amounts at or above the width give 0: docs/soundness/ B17.
ValueRange shiftLeft(const ValueRange& a, const ValueRange& amount) {
  const unsigned bits = a.bits;
  if (amount.lowest >= bits) return ValueRange::of(0, bits);
  if (amount.isConstant()) {
    const auto by = static_cast<unsigned>(amount.lowest);
    ValueRange result = multiply(a, ValueRange::of(std::uint64_t{1} << by, bits));
    result.zeros |= residue(a.zeros << by, bits) | maskOf(by);
    result.ones |= residue(a.ones << by, bits);
    return tightened(result);
  }
  ValueRange result = ValueRange::all(bits);
  result.zeros = maskOf(std::min(
      static_cast<unsigned>(std::countr_one(a.zeros)) + static_cast<unsigned>(amount.lowest),
      bits));
  if (amount.highest < bits && a.highest <= (maskOf(bits) >> amount.highest)) {
    result.highest = a.highest << amount.highest;
  }
  return tightened(result);
}

ValueRange shiftRight(const ValueRange& a, const ValueRange& amount, bool isSigned) {
  const unsigned bits = a.bits;
  ValueRange result = ValueRange::all(bits);
  if (isSigned) {
    // Clamped: at or above the width the sign fills all bits.
    const auto least = static_cast<unsigned>(std::min<std::uint64_t>(amount.lowest, 63));
    const auto most = static_cast<unsigned>(std::min<std::uint64_t>(amount.highest, 63));
    result.signedLowest = std::min(a.signedLowest >> least, a.signedLowest >> most);
    result.signedHighest = std::max(a.signedHighest >> least, a.signedHighest >> most);
    return tightened(result);
  }
  const auto shifted = [&](std::uint64_t value, std::uint64_t by) {
    return by >= bits ? 0 : value >> by;
  };
  result.lowest = shifted(a.lowest, amount.highest);
  result.highest = shifted(a.highest, amount.lowest);
  if (amount.isConstant() && amount.lowest < bits) {
    const auto by = static_cast<unsigned>(amount.lowest);
    result.ones = a.ones >> by;
    result.zeros = (a.zeros >> by) | (maskOf(bits) & ~(maskOf(bits) >> by));
  }
  return tightened(result);
}

enum class Logic : std::uint8_t { And, Or, Xor };

ValueRange combine(Logic logic, const ValueRange& a, const ValueRange& b) {
  ValueRange result = ValueRange::all(a.bits);
  switch (logic) {
    case Logic::And:
      result.ones = a.ones & b.ones;
      result.zeros = a.zeros | b.zeros;
      result.highest = std::min(a.highest, b.highest);
      break;
    case Logic::Or:
      result.ones = a.ones | b.ones;
      result.zeros = a.zeros & b.zeros;
      result.lowest = std::max(a.lowest, b.lowest);
      break;
    case Logic::Xor:
      result.ones = (a.ones & b.zeros) | (a.zeros & b.ones);
      result.zeros = (a.ones & b.ones) | (a.zeros & b.zeros);
      break;
  }
  return tightened(result);
}

// The low bits of `a`.
ValueRange truncate(const ValueRange& a, unsigned bits) {
  if (a.bits == bits) return a;
  ValueRange result = ValueRange::all(bits);
  const std::uint64_t mask = maskOf(bits);
  if (a.highest <= mask) {
    result.lowest = a.lowest;
    result.highest = a.highest;
  }
  if (a.signedLowest >= leastSigned(bits) && a.signedHighest <= greatestSigned(bits)) {
    result.signedLowest = a.signedLowest;
    result.signedHighest = a.signedHighest;
  }
  result.zeros = a.zeros & mask;
  result.ones = a.ones & mask;
  return tightened(result);
}

ValueRange extend(const ValueRange& a, unsigned bits, bool isSigned) {
  if (a.bits == bits) return a;
  ValueRange result = isSigned ? ValueRange::betweenSigned(a.signedLowest, a.signedHighest, bits)
                               : ValueRange::between(a.lowest, a.highest, bits);
  // The low bits stay; the sign bit itself may be known only as part of the interval.
  const std::uint64_t mask = maskOf(a.bits - (isSigned ? 1u : 0u));
  result.zeros |= a.zeros & mask;
  result.ones |= a.ones & mask;
  return tightened(result);
}

ValueRange resize(const ValueRange& a, unsigned bits, bool isSigned) {
  return bits <= a.bits ? truncate(a, bits) : extend(a, bits, isSigned);
}

ValueRange remainder(const ValueRange& a, const ValueRange& b, bool isSigned) {
  const unsigned bits = a.bits;
  // By zero it may be anything.
  if (isSigned) {
    if (a.signedLowest < 0 || b.signedLowest <= 0) return ValueRange::all(bits);
    const std::int64_t most = std::min(a.signedHighest, b.signedHighest - 1);
    return a.signedHighest < b.signedLowest ? a : ValueRange::betweenSigned(0, most, bits);
  }
  if (b.lowest == 0) return ValueRange::all(bits);
  if (a.highest < b.lowest) return a;
  ValueRange result = ValueRange::between(0, std::min(a.highest, b.highest - 1), bits);
  if (b.isConstant() && std::has_single_bit(b.lowest)) {
    return combine(Logic::And, a, ValueRange::of(b.lowest - 1, bits));
  }
  return result;
}

ValueRange divide(const ValueRange& a, const ValueRange& b, bool isSigned) {
  const unsigned bits = a.bits;
  if (isSigned) {
    if (a.signedLowest < 0 || b.signedLowest <= 0) return ValueRange::all(bits);
    return ValueRange::betweenSigned(a.signedLowest / b.signedHighest,
                                     a.signedHighest / b.signedLowest, bits);
  }
  if (b.lowest == 0) return ValueRange::all(bits);
  return ValueRange::between(a.lowest / b.highest, a.highest / b.lowest, bits);
}

ValueRange extreme(const ValueRange& a, const ValueRange& b, bool isMax, bool isSigned) {
  const unsigned bits = a.bits;
  const auto pick = [&](auto x, auto y) { return isMax ? std::max(x, y) : std::min(x, y); };
  const ValueRange bounds =
      isSigned ? ValueRange::betweenSigned(pick(a.signedLowest, b.signedLowest),
                                           pick(a.signedHighest, b.signedHighest), bits)
               : ValueRange::between(pick(a.lowest, b.lowest), pick(a.highest, b.highest), bits);
  return meet(bounds, tightened(join(a, b)));
}

ValueRange extractBits(const ValueRange& a, const ValueRange& position, const ValueRange& length,
                       bool isSigned) {
  const unsigned bits = a.bits;
  // Both amounts are taken modulo 256; a field that begins above the top bit is 0 or the sign.
  if (position.highest > 255 || length.highest > 255) return ValueRange::all(bits);
  if (length.highest >= bits) return ValueRange::all(bits);
  const auto most = static_cast<unsigned>(length.highest);
  if (isSigned) {
    if (most == 0) return ValueRange::of(0, bits);
    return ValueRange::betweenSigned(leastSigned(most), greatestSigned(most), bits);
  }
  if (position.isConstant() && length.isConstant()) {
    return combine(Logic::And, shiftRight(a, position, false), ValueRange::of(maskOf(most), bits));
  }
  return ValueRange::between(0, maskOf(most), bits);
}

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
    case SpecialName::Which::Other:
      break;
  }
  return rowBits != 0 && rowBits < bits ? upTo(maskOf(rowBits)) : ValueRange::all(bits);
}

ValueRange ofComparison(Comparison comparison, const ValueRange& other) {
  const unsigned bits = other.bits;
  const std::uint64_t most = maskOf(bits);
  const std::int64_t least = leastSigned(bits);
  const std::int64_t greatest = greatestSigned(bits);
  switch (comparison) {
    using enum Comparison;
    case Equal:
      return other;
    case NotEqual:
      break;
    case Less:
      if (other.signedHighest > least)
        return ValueRange::betweenSigned(least, other.signedHighest - 1, bits);
      break;
    case LessEqual:
      return ValueRange::betweenSigned(least, other.signedHighest, bits);
    case Greater:
      if (other.signedLowest < greatest)
        return ValueRange::betweenSigned(other.signedLowest + 1, greatest, bits);
      break;
    case GreaterEqual:
      return ValueRange::betweenSigned(other.signedLowest, greatest, bits);
    case UnsignedLess:
      if (other.highest > 0) return ValueRange::between(0, other.highest - 1, bits);
      break;
    case UnsignedLessEqual:
      return ValueRange::between(0, other.highest, bits);
    case UnsignedGreater:
      if (other.lowest < most) return ValueRange::between(other.lowest + 1, most, bits);
      break;
    case UnsignedGreaterEqual:
      return ValueRange::between(other.lowest, most, bits);
  }
  return ValueRange::all(bits);
}

// `range` without the number `value`, where that is a bound.
ValueRange without(ValueRange range, const ValueRange& value) {
  if (!value.isConstant()) return range;
  const std::int64_t asSigned = value.signedLowest;
  const ValueRange before = range;
  if (range.lowest == value.lowest && range.lowest < range.highest) ++range.lowest;
  if (range.highest == value.lowest && range.lowest < range.highest) --range.highest;
  if (range.signedLowest == asSigned && asSigned < range.signedHighest) ++range.signedLowest;
  if (range.signedHighest == asSigned && range.signedLowest < asSigned) --range.signedHighest;
  return tighten(range) ? range : before;
}

}  // namespace

// ---- the fixpoint ------------------------------------------------------------------------------

class ValueRanges::Solver {
 public:
  Solver(ValueRanges& ranges, const Ssa& ssa)
      : out_(ranges),
        ssa_(ssa),
        cfg_(ssa.cfg()),
        order_(cfg_, cfg_.entry()),
        known_(ssa.valueCount()),
        bits_(ssa.valueCount()),
        changedIn_(ssa.valueCount()) {
    for (ValueId v = 0; v < ssa.valueCount(); ++v) {
      bits_[v] = bitsOf(v);
      out_.ranges_[v] = ValueRange::all(bits_[v]);
      if (ssa.kind(v) == Ssa::Kind::Entry) known_.set(v);
    }
    for (EdgeId e = 0; e < cfg_.edgeCount(); ++e) hasLoop_ |= isRetreating(e);
    if (hasLoop_) definitions_.reserve(ssa.valueCount());
  }

  void run() {
    for (round_ = 0; round_ <= kRounds || changed_; ++round_) {
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
  static constexpr unsigned kPatience = 2;
  static constexpr unsigned kRounds = 8;

  std::uint8_t bitsOf(ValueId value) const {
    if (ssa_.isCarry(value)) return 0;
    const ir::RegisterRange& range = cfg_.function().rangeOf(ssa_.reg(value));
    const int bits = isa::bitWidth(range.type);
    const bool isNumber = range.vectorWidth == 1 && !isa::isFloat(range.type) &&
                          (bits == 8 || bits == 16 || bits == 32 || bits == 64);
    return isNumber ? static_cast<std::uint8_t>(bits) : std::uint8_t{0};
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
    for (const BlockId b : order_.vertices()) {
      const auto [first, end] = ssa_.phis(b);
      for (ValueId phi = first; phi < end; ++phi) {
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
    if (const ValueId old = ssa_.old(v); old != kNone && known_.test(old)) {
      result = tightened(join(result, out_.ranges_[old]));
    }
    set(v, result);
  }

  bool dependsOnOthers(ValueId v, const Instruction& instruction) const {
    if (ssa_.old(v) != kNone) return true;
    const isa::InstructionDesc& desc = *instruction.desc;
    return desc.known() && desc.opcode != Opcode::Ld && desc.opcode != Opcode::Ldu &&
           !isa::isFloat(desc.type);
  }

  // Something that it is computed from has changed since the last sweep came here.
  bool isStale(const Definition& definition) const {
    const auto hasChanged = [&](ValueId v) { return v != kNone && changedIn_[v] + 1 >= sweep_; };
    bool isStale = hasChanged(ssa_.old(definition.value));
    ir::forEachRegister(*definition.instruction, [&](const Operand& operand) {
      if (isStale || !operand.reads) return;
      const ValueId source = ssa_.use(*definition.instruction, operand);
      isStale = hasChanged(source);
      if (isStale || source == kNone) return;
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

  void visitPhi(ValueId phi, Phase phase) {
    const BlockId block = ssa_.block(phi);
    const std::span<const ValueId> operands = ssa_.phiOperands(phi);
    const std::span<const EdgeId> edges = cfg_.inEdges(block);
    ValueRange joined;
    bool hasOperand = false;
    bool isHeader = false;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] == kNone) continue;
      if (k < edges.size()) isHeader |= isRetreating(edges[k]);
      if (!known_.test(operands[k])) continue;
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
      wasWidened_ |= isHeader && round_ >= kPatience;
      if (isHeader && round_ >= kRounds) {
        joined = ValueRange::all(joined.bits);
      } else if (isHeader && round_ >= kPatience) {
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
    ValueRange limit = ValueRange::all(bits_[value]);
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

  ValueRange rangeOfOther(const Condition& condition) const {
    return out_.rangeOf(condition.otherValue, *condition.other, condition.bits);
  }

  ValueRange widened(const ValueRange& old, const ValueRange& grown,
                     std::span<const ValueId> operands, std::span<const EdgeId> edges) const {
    ValueRange limit = grown;
    for (std::size_t k = 0; k < operands.size() && k < edges.size(); ++k) {
      if (operands[k] != kNone) limit = join(limit, limitOf(operands[k], edges[k], old));
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
    const bool isLoad = desc.opcode == Opcode::Ld || desc.opcode == Opcode::Ldu;
    const unsigned typeBits = static_cast<unsigned>(isa::bitWidth(desc.type));
    if (typeBits == 0 || typeBits > 64 || isa::isFloat(desc.type)) return unknown;
    if (isLoad) {
      // Narrow numbers are extended by their type.
      if (typeBits >= bits_[v]) return unknown;
      return extend(ValueRange::all(typeBits), bits_[v], isa::isSigned(desc.type));
    }
    if (target != instruction.operand(0)) return unknown;
    const ValueRange result = evaluate(instruction, typeBits);
    if (result.bits == bits_[v]) return result;
    if (desc.opcode == Opcode::Cvt && result.bits != 0 && result.bits < bits_[v]) {
      return extend(result, bits_[v], isa::isSigned(desc.type));
    }
    return unknown;
  }

  // No bits: nothing is known.
  ValueRange evaluate(const Instruction& instruction, unsigned bits) const {
    const isa::InstructionDesc& desc = *instruction.desc;
    if (desc.has(".sat") || desc.has(".relu") || desc.readsCarry) return {};
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
        return tightened(join(a(), b()));
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
  const ReversePostorder order_;
  BitSet known_;  // values that some round found a number for
  std::vector<std::uint8_t> bits_;
  std::vector<std::uint32_t> changedIn_;  // the last sweep that did, by value
  std::vector<Definition> definitions_;   // what later sweeps look at
  std::vector<std::size_t> ends_;         // of the definitions of a block, in the order of blocks
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
  if (all.size() <= kMostConditions) {
    apply(all);
    return range;
  }
  const auto end = std::ranges::upper_bound(all, block, {}, &BranchConditions::Placed::block);
  const auto above = all.first(static_cast<std::size_t>(end - all.begin()));
  apply(above.first(std::min(above.size(), kMostConditions / 2)));
  apply(above.last(std::min(above.size(), kMostConditions / 2)));
  return range;
}

ValueRange ValueRanges::ofOperand(const Instruction& instruction, const Operand& operand,
                                  unsigned bits) const {
  if (operand.kind == OperandKind::Register && operand.component == 0 && !operand.negated) {
    const ValueId value = ssa_->use(instruction, operand);
    if (value == kNone) return ValueRange::all(bits);
    const ValueRange range = at(value, instruction.block);
    return range.bits < bits ? ValueRange::all(bits) : truncate(range, bits);
  }
  return rangeOf(kNone, operand, bits);
}

// Of a value at its definition, or else of an operand that is no register.
ValueRange ValueRanges::rangeOf(ValueId value, const Operand& operand, unsigned bits) const {
  if (value != kNone) {
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
