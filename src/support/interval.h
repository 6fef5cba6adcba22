// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intervals of mathematical integers, with 64-bit bounds.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ptxopt {

// The integers from `lowest` to `highest`, inclusive.  The smallest and the largest number of the
// type mean "no bound"; a bound that does not fit into 64 bits becomes "no bound".
struct Interval {
  static constexpr std::int64_t kNoLowest = INT64_MIN;
  static constexpr std::int64_t kNoHighest = INT64_MAX;

  std::int64_t lowest = kNoLowest;
  std::int64_t highest = kNoHighest;

  static constexpr Interval of(std::int64_t value) { return {value, value}; }

  bool hasLowest() const { return lowest != kNoLowest; }
  bool hasHighest() const { return highest != kNoHighest; }
  bool isBounded() const { return hasLowest() && hasHighest(); }
  bool isEmpty() const { return lowest > highest; }
  bool isSingle() const { return lowest == highest && isBounded(); }
  bool contains(std::int64_t value) const { return lowest <= value && value <= highest; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

namespace interval_detail {

// a + b if both bounds exist; `none` if one is missing or the sum does not fit.
inline std::int64_t addBounds(std::int64_t a, std::int64_t b, std::int64_t none) {
  std::int64_t sum = 0;
  if (a == none || b == none || __builtin_add_overflow(a, b, &sum)) return none;
  return sum;
}

}  // namespace interval_detail

inline Interval operator+(Interval a, Interval b) {
  return {interval_detail::addBounds(a.lowest, b.lowest, Interval::kNoLowest),
          interval_detail::addBounds(a.highest, b.highest, Interval::kNoHighest)};
}

inline Interval operator-(Interval a) {
  return {a.hasHighest() ? -a.highest : Interval::kNoLowest,
          a.hasLowest() ? -a.lowest : Interval::kNoHighest};
}

inline Interval operator-(Interval a, Interval b) {
  return a + -b;
}

inline Interval operator*(Interval a, std::int64_t factor) {
  if (factor == 0) return Interval::of(0);
  if (factor < 0) {
    if (factor == INT64_MIN) return {};
    return -(a * -factor);
  }
  Interval product;
  if (!a.hasLowest() || __builtin_mul_overflow(a.lowest, factor, &product.lowest)) {
    product.lowest = Interval::kNoLowest;
  }
  if (!a.hasHighest() || __builtin_mul_overflow(a.highest, factor, &product.highest)) {
    product.highest = Interval::kNoHighest;
  }
  return product;
}

inline Interval intersection(Interval a, Interval b) {
  return {std::max(a.lowest, b.lowest), std::min(a.highest, b.highest)};
}

// The smallest interval that contains both; an empty one adds nothing.
inline Interval hull(Interval a, Interval b) {
  if (a.isEmpty()) return b;
  if (b.isEmpty()) return a;
  return {std::min(a.lowest, b.lowest), std::max(a.highest, b.highest)};
}

}  // namespace ptxopt
