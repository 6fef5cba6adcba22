// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating point by exact arithmetic on integers, to compare the interpreter with: every operation
// gives the exact number, and one rounding at the end makes bits of it.  Shares nothing with
// src/interp.
#pragma once

#include <cstdint>

namespace ptxopt::interp::reference {

enum class Mode : std::uint8_t { NearestEven, Zero, Down, Up, NearestAway };

// What the largest exponent is for: infinity and NaNs, one NaN (all bits set) and numbers, or
// numbers alone.
enum class Top : std::uint8_t { Ieee, OneNaN, Numbers };

struct Format {
  int exponentBits;
  int fractionBits;
  Top top = Top::Ieee;

  int width() const { return 1 + exponentBits + fractionBits; }
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  std::uint64_t signBit() const { return std::uint64_t{1} << (width() - 1); }
  // Of an IEEE format.
  std::uint64_t infinity() const;
  std::uint64_t smallestNormal() const { return std::uint64_t{1} << fractionBits; }
  std::uint64_t largest() const;
  std::uint64_t canonicalNaN() const { return signBit() - 1; }
  std::uint64_t one() const { return static_cast<std::uint64_t>(bias()) << fractionBits; }
};

inline constexpr Format kHalf{5, 10};
inline constexpr Format kBFloat{8, 7};
inline constexpr Format kTensor32{8, 10};
inline constexpr Format kSingle{8, 23};
inline constexpr Format kDouble{11, 52};
inline constexpr Format kE4M3{4, 3, Top::OneNaN};
inline constexpr Format kE5M2{5, 2};
inline constexpr Format kE2M3{2, 3, Top::Numbers};
inline constexpr Format kE3M2{3, 2, Top::Numbers};
inline constexpr Format kE2M1{2, 1, Top::Numbers};

__extension__ using Magnitude = unsigned __int128;

// magnitude * 2^exponent and, where `sticky`, a little more, less than one unit of the magnitude.
struct Number {
  enum class Kind : std::uint8_t { Finite, Infinity, NaN };
  Kind kind = Kind::Finite;
  bool negative = false;
  bool sticky = false;
  int exponent = 0;
  Magnitude magnitude = 0;

  bool isZero() const { return kind == Kind::Finite && magnitude == 0 && !sticky; }
  bool isNaN() const { return kind == Kind::NaN; }
};

Number decode(Format format, std::uint64_t bits);
Number fromInteger(std::uint64_t magnitude, bool negative);
inline Number fromSigned(std::int64_t value) {
  return fromInteger(
      value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value),
      value < 0);
}

// A NaN gives format.canonicalNaN().  Overflow gives infinity or the largest number, as the
// rounding says; formats without infinity: the largest number.
std::uint64_t encode(Format format, const Number& number, Mode mode);

Number negate(Number a);
// `mode` decides the sign of an exact zero.
Number add(const Number& a, const Number& b, Mode mode);
Number multiply(const Number& a, const Number& b);
Number divide(const Number& a, const Number& b);
Number squareRoot(const Number& a);

// To an integer value.
Number roundToIntegral(const Number& a, Mode mode);
// -1, 0, 1; neither is a NaN.
int compare(const Number& a, const Number& b);

// Subnormal bits become a zero of their sign.
std::uint64_t flush(Format format, std::uint64_t bits);
// Bits in [0, 1]; a NaN and -0 become +0.
std::uint64_t saturate(Format format, std::uint64_t bits);
bool isNaN(Format format, std::uint64_t bits);

}  // namespace ptxopt::interp::reference
