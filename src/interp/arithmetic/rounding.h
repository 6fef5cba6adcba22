// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binary floating-point formats as bit patterns, and exact rounding into them.
//
// Conversions go through Real, an exact real number with a sticky bit.  So one algorithm covers
// every rounding mode and every narrow format (round the significand to the target's precision,
// depending on the lost bits), and nothing is rounded twice.
#pragma once

#include <cstdint>

namespace ptxopt::interp {

enum class Rounding : std::uint8_t { NearestEven, Zero, Down, Up, NearestAway };

struct FloatFormat {
  int exponentBits;
  int fractionBits;
  int width() const { return 1 + exponentBits + fractionBits; }
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
};
inline constexpr FloatFormat kF16{5, 10};
inline constexpr FloatFormat kBF16{8, 7};
inline constexpr FloatFormat kF32{8, 23};
inline constexpr FloatFormat kF64{11, 52};

// (negative ? -1 : 1) * significand * 2^exponent.  `sticky`: the magnitude exceeds this by less
// than one unit in the last place of the significand.
struct Real {
  enum class Class : std::uint8_t { Zero, Finite, Infinity, NaN };
  Class kind = Class::Zero;
  bool negative = false;
  bool sticky = false;
  int exponent = 0;
  std::uint64_t significand = 0;  // not 0 if Finite
};

Real unpack(FloatFormat format, std::uint64_t bits);

// A NaN becomes the canonical NaN: sign 0, all other bits 1 (PTX ISA 9.7.3).  Overflow gives an
// infinity or the largest finite number, following IEEE 754 for the rounding mode.
std::uint64_t pack(FloatFormat format, const Real& value, Rounding rounding);

Real fromInteger(std::uint64_t magnitude, bool negative);

// Rounds to an integer; larger magnitudes give 2^64 - 1.  NaN: 0.
struct RoundedInteger {
  std::uint64_t magnitude = 0;
  bool negative = false;
};
RoundedInteger toInteger(const Real& value, Rounding rounding);

}  // namespace ptxopt::interp
