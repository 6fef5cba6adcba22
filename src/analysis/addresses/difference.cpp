// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/difference.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "analysis/values/linear_form.h"

namespace ptxopt::analysis {

namespace {

constexpr std::uint64_t kUnbounded = ~std::uint64_t{0};

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                   : static_cast<std::uint64_t>(value);
}
// The largest of the absolute numbers.
std::uint64_t magnitude(Interval values) {
  if (!values.isBounded()) return kUnbounded;
  return std::max(magnitude(values.lowest), magnitude(values.highest));
}
std::uint64_t saturatingMultiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kUnbounded : product;
}

}  // namespace

std::int64_t firstMultiple(Interval interval, std::int64_t unit) {
  return interval.lowest / unit + std::int64_t{interval.lowest % unit > 0};
}
std::int64_t lastMultiple(Interval interval, std::int64_t unit) {
  return interval.highest / unit - std::int64_t{interval.highest % unit < 0};
}

std::uint64_t Digit::size() const {
  return magnitude(coefficient);
}
std::uint64_t Digit::most() const {
  return magnitude(values);
}

namespace {

// Without digits that are 0 wherever the difference is in `window`: those that are larger than all
// others can make up, as a multiple of a ring is (C8(ii).7).
Difference withoutLarge(Difference difference, Interval window) {
  std::ranges::sort(difference.digits, {}, &Digit::size);
  while (!difference.digits.empty()) {
    Interval others = Interval::of(difference.constant) - window;
    for (std::size_t k = 0; k + 1 < difference.digits.size(); ++k) {
      others = others + difference.digits[k].values * difference.digits[k].coefficient;
    }
    const Digit& largest = difference.digits.back();
    const Interval all = others + largest.values * largest.coefficient;
    // No multiple of 2^bits but 0 is among them.
    const std::uint64_t most = std::uint64_t{1} << std::min(difference.bits, 62u);
    const bool isZero = all.isBounded() && magnitude(all) < most &&
                        largest.size() > magnitude(others) && largest.values.contains(0);
    if (!isZero) break;
    difference.digits.pop_back();
  }
  return difference;
}

}  // namespace

AliasRule avoids(const Difference& given, Interval window) {
  const Difference difference = withoutLarge(given, window);
  Interval sum = Interval::of(difference.constant);
  std::uint64_t divisor = 0;
  for (const Digit& digit : difference.digits) {
    sum = sum + digit.values * digit.coefficient;
    divisor = std::gcd(divisor, digit.size());
  }
  if (sum.isBounded()) {
    if (difference.bits < 63) {
      // Some number of the sum is one of the window plus a multiple of 2^bits?
      const std::int64_t modulus = std::int64_t{1} << difference.bits;
      const Interval distance = sum - window;
      if (distance.isBounded()) {
        if (firstMultiple(distance, modulus) > lastMultiple(distance, modulus)) {
          return AliasRule::Ranges;
        }
      }
    } else if (sum.highest < window.lowest || sum.lowest > window.highest) {
      // Bounds below 2^62 leave no room for a multiple of 2^64.
      const Interval half{-(std::int64_t{1} << 62), std::int64_t{1} << 62};
      if (half.contains(sum.lowest) && half.contains(sum.highest)) return AliasRule::Ranges;
    }
  }
  // Modulo the powers of two in the divisor, which divide the ring as well.
  if (divisor != 0) {
    const int twos = std::countr_zero(divisor);
    if (twos < 62) {
      // The first number from the lower end of the window on that has the residue of the constant.
      const auto gap = residue(static_cast<std::uint64_t>(difference.constant) -
                                   static_cast<std::uint64_t>(window.lowest),
                               static_cast<unsigned>(twos));
      if (gap > static_cast<std::uint64_t>(window.highest - window.lowest)) {
        return AliasRule::Residues;
      }
    }
  }
  return AliasRule::None;
}

bool meansSameThread(const Difference& difference, Interval window, unsigned dimensions) {
  if (dimensions == 0) return true;
  if (magnitude(difference.constant) >> 62 != 0) return false;
  // What is left for the digits to make up, after the smaller ones.
  Interval rest = window - Interval::of(difference.constant);

  unsigned modulusBits = difference.bits;
  std::vector<Digit> digits;
  for (const Digit& digit : difference.digits) {
    if (digit.most() == kUnbounded ||
        saturatingMultiply(digit.size(), digit.most()) == kUnbounded) {
      modulusBits = std::min(modulusBits, static_cast<unsigned>(std::countr_zero(digit.size())));
      if (digit.threadDimensions != 0) return false;
    } else {
      digits.push_back(digit);
    }
  }
  std::ranges::sort(digits, {}, &Digit::size);
  // Those after the last one of a thread id need not be told apart: together they are a multiple
  // of their divisor.
  std::size_t threadEnd = digits.size();
  std::uint64_t divisor = 0;
  while (threadEnd > 0 && digits[threadEnd - 1].threadDimensions == 0) {
    divisor = std::gcd(divisor, digits[--threadEnd].size());
  }
  unsigned determined = 0;
  bool areTogether = false;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    determined |= digits[k].threadDimensions;
    if (k == threadEnd) areTogether = divisor > magnitude(rest);
    if (determined != 0 && digits[k].size() <= magnitude(rest) && !areTogether) return false;
    rest = rest - digits[k].values * digits[k].coefficient;
  }
  const bool wraps =
      !rest.isBounded() || (modulusBits < 64 && magnitude(rest) >= std::uint64_t{1} << modulusBits);
  return !wraps && (dimensions & ~determined) == 0;
}

}  // namespace ptxopt::analysis
