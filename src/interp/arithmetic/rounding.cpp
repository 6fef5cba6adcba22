// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/arithmetic/rounding.h"

#include <algorithm>
#include <bit>

namespace ptxopt::interp {

namespace {

constexpr std::uint64_t lowMask(int bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

// The last `shift` bits are dropped; true if the magnitude must be rounded away from zero.
bool roundsAway(std::uint64_t significand, int shift, bool sticky, bool negative,
                Rounding rounding) {
  std::uint64_t lost;
  std::uint64_t half;
  bool odd;
  if (shift > 64) {
    lost = 0;
    half = 1;
    sticky = sticky || significand != 0;
    odd = false;
  } else if (shift == 0) {
    lost = 0;
    half = 1;
    odd = (significand & 1) != 0;
  } else {
    lost = significand & lowMask(shift);
    half = std::uint64_t{1} << (shift - 1);
    odd = shift < 64 && (significand >> shift & 1) != 0;
  }
  const bool exact = lost == 0 && !sticky;
  switch (rounding) {
    case Rounding::Zero:
      return false;
    case Rounding::Down:
      return negative && !exact;
    case Rounding::Up:
      return !negative && !exact;
    case Rounding::NearestAway:
      return lost >= half;
    case Rounding::NearestEven:
      return lost > half || (lost == half && (sticky || odd));
  }
  return false;
}

}  // namespace

Real unpack(FloatFormat format, std::uint64_t bits) {
  Real value;
  value.negative = (bits >> (format.width() - 1) & 1) != 0;
  const std::uint64_t fraction = bits & lowMask(format.fractionBits);
  const int exponent = static_cast<int>(bits >> format.fractionBits & lowMask(format.exponentBits));
  if (exponent == (1 << format.exponentBits) - 1) {
    value.kind = fraction != 0 ? Real::Class::NaN : Real::Class::Infinity;
  } else if (exponent != 0) {
    value.kind = Real::Class::Finite;
    value.significand = fraction | std::uint64_t{1} << format.fractionBits;
    value.exponent = exponent - format.bias() - format.fractionBits;
  } else if (fraction != 0) {
    value.kind = Real::Class::Finite;
    value.significand = fraction;
    value.exponent = 1 - format.bias() - format.fractionBits;
  }
  return value;
}

std::uint64_t pack(FloatFormat format, const Real& value, Rounding rounding) {
  const std::uint64_t infinity = lowMask(format.exponentBits) << format.fractionBits;
  const std::uint64_t sign = std::uint64_t{value.negative} << (format.width() - 1);
  switch (value.kind) {
    case Real::Class::Zero:
      return sign;
    case Real::Class::Infinity:
      return sign | infinity;
    case Real::Class::NaN:
      return lowMask(format.width() - 1);
    case Real::Class::Finite:
      break;
  }
  // Moves the leading bit to position 63: the number is 1.xxx * 2^exponent.
  const int leading = std::countl_zero(value.significand);
  const std::uint64_t significand = value.significand << leading;
  const int exponent = value.exponent - leading + 63;

  const int smallest = 1 - format.bias();
  const int shift = 63 - format.fractionBits + std::max(0, smallest - exponent);
  std::uint64_t kept = shift < 64 ? significand >> shift : 0;
  if (roundsAway(significand, shift, value.sticky, value.negative, rounding)) ++kept;

  // The implicit bit of a normal number, and a carry out of the fraction, increment the exponent.
  const int biased = std::max(exponent, smallest) + format.bias() - 1;
  const std::uint64_t magnitude =
      (static_cast<std::uint64_t>(biased) << format.fractionBits) + kept;
  if (biased < (1 << format.exponentBits) && magnitude < infinity) return sign | magnitude;
  const bool toInfinity = rounding == Rounding::NearestEven || rounding == Rounding::NearestAway ||
                          rounding == (value.negative ? Rounding::Down : Rounding::Up);
  return sign | (toInfinity ? infinity : infinity - 1);
}

Real fromInteger(std::uint64_t magnitude, bool negative) {
  Real value;
  if (magnitude == 0) return value;
  value.kind = Real::Class::Finite;
  value.negative = negative;
  value.significand = magnitude;
  return value;
}

RoundedInteger toInteger(const Real& value, Rounding rounding) {
  RoundedInteger result;
  result.negative = value.negative;
  switch (value.kind) {
    case Real::Class::Zero:
    case Real::Class::NaN:
      return {};
    case Real::Class::Infinity:
      result.magnitude = ~std::uint64_t{0};
      return result;
    case Real::Class::Finite:
      break;
  }
  if (value.exponent >= 0) {
    const bool fits = value.exponent <= std::countl_zero(value.significand);
    result.magnitude = fits ? value.significand << value.exponent : ~std::uint64_t{0};
    return result;
  }
  const int shift = -value.exponent;
  result.magnitude = shift < 64 ? value.significand >> shift : 0;
  if (roundsAway(value.significand, shift, value.sticky, value.negative, rounding)) {
    ++result.magnitude;
  }
  return result;
}

}  // namespace ptxopt::interp
