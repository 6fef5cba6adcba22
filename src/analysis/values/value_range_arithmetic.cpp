// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/value_range_arithmetic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace ptxopt::analysis {

namespace {

// Makes what one part says count for the others.  False if they contradict each other.
bool tighten(ValueRange& range) {
  const unsigned bits = range.bits;
  if (range.isAll()) return true;
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

}  // namespace

ValueRange tightened(ValueRange range) {
  const ValueRange before = range;
  return tighten(range) ? range : before;
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

ValueRange add(const ValueRange& a, const ValueRange& b) {
  // A number of which nothing is known leaves nothing known of the sum.
  if (a.isAll()) return a;
  if (b.isAll()) return b;
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

// As ~(~a + b).
ValueRange subtract(const ValueRange& a, const ValueRange& b) {
  return complement(add(complement(a), b));
}

ValueRange multiply(const ValueRange& a, const ValueRange& b) {
  if (a.isAll() && b.isAll()) return a;
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

}  // namespace ptxopt::analysis
