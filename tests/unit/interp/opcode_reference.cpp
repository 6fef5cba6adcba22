// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opcode_reference.h"

#include <algorithm>
#include <utility>

namespace ptxopt::interp::reference {

namespace {

using Kind = Number::Kind;

int bitLength(Magnitude value) {
  int length = 0;
  while (value != 0) {
    value >>= 1;
    ++length;
  }
  return length;
}

Number special(Kind kind, bool negative = false) {
  Number result;
  result.kind = kind;
  result.negative = negative;
  return result;
}

// Moves the last place to 2^exponent; what falls off is sticky.
Number withExponent(Number a, int exponent) {
  const int right = exponent - a.exponent;
  if (right <= 0) {
    a.magnitude <<= -right;
  } else if (right >= 128) {
    a.sticky = a.sticky || a.magnitude != 0;
    a.magnitude = 0;
  } else {
    const Magnitude kept = a.magnitude >> right;
    a.sticky = a.sticky || kept << right != a.magnitude;
    a.magnitude = kept;
  }
  a.exponent = exponent;
  return a;
}

// Whether magnitude + (lost part) rounds up, given the last kept bit and the two parts that are
// lost: the first lost bit and whether anything follows it.
bool roundsUp(bool odd, bool first, bool rest, bool negative, Mode mode) {
  switch (mode) {
    case Mode::NearestEven:
      return first && (rest || odd);
    case Mode::NearestAway:
      return first;
    case Mode::Zero:
      return false;
    case Mode::Down:
      return negative && (first || rest);
    case Mode::Up:
      return !negative && (first || rest);
  }
  return false;
}

// The multiple of 2^exponent that `a` rounds to.
Number roundTo(const Number& a, int exponent, Mode mode) {
  // One bit more than is kept says whether half a unit is lost.
  Number finer = withExponent(a, exponent - 1);
  Number result = finer;
  result.exponent = exponent;
  result.magnitude = finer.magnitude >> 1;
  result.sticky = false;
  const bool odd = (result.magnitude & 1) != 0;
  if (roundsUp(odd, (finer.magnitude & 1) != 0, finer.sticky, a.negative, mode)) {
    ++result.magnitude;
  }
  return result;
}

}  // namespace

std::uint64_t Format::infinity() const {
  return ((std::uint64_t{1} << exponentBits) - 1) << fractionBits;
}
std::uint64_t Format::largest() const {
  switch (top) {
    case Top::Ieee:
      return infinity() - 1;
    case Top::OneNaN:
      return canonicalNaN() - 1;
    case Top::Numbers:
      break;
  }
  return signBit() - 1;
}

Number decode(Format format, std::uint64_t bits) {
  const bool negative = (bits & format.signBit()) != 0;
  bits &= format.signBit() - 1;
  if (isNaN(format, bits)) return special(Kind::NaN);
  if (format.top == Top::Ieee && bits == format.infinity()) {
    return special(Kind::Infinity, negative);
  }
  Number result;
  result.negative = negative;
  const std::uint64_t fraction = bits & (format.smallestNormal() - 1);
  const int biased = static_cast<int>(bits >> format.fractionBits);
  result.magnitude = biased == 0 ? fraction : fraction | format.smallestNormal();
  result.exponent = std::max(biased, 1) - format.bias() - format.fractionBits;
  return result;
}

Number fromInteger(std::uint64_t magnitude, bool negative) {
  Number result;
  result.negative = negative;
  result.magnitude = magnitude;
  return result;
}

std::uint64_t encode(Format format, const Number& number, Mode mode) {
  if (number.isNaN()) return format.canonicalNaN();
  const std::uint64_t sign = number.negative ? format.signBit() : 0;
  if (number.kind == Kind::Infinity) {
    return sign | (format.top == Top::Ieee ? format.infinity() : format.largest());
  }
  if (number.isZero()) return sign;
  const int smallest = 1 - format.bias();
  int leading = bitLength(number.magnitude) + number.exponent - 1;
  int place = std::max(leading, smallest) - format.fractionBits;
  Number rounded = roundTo(number, place, mode);
  if (rounded.magnitude >> (format.fractionBits + 1) != 0) {
    rounded.magnitude >>= 1;
    ++place;
  }
  if (rounded.magnitude < format.smallestNormal()) {
    return sign | static_cast<std::uint64_t>(rounded.magnitude);
  }
  const int biased = place + format.fractionBits + format.bias();
  const std::uint64_t fraction =
      static_cast<std::uint64_t>(rounded.magnitude) & (format.smallestNormal() - 1);
  const bool overflows =
      biased >= 1 << format.exponentBits ||
      ((static_cast<std::uint64_t>(biased) << format.fractionBits) | fraction) > format.largest();
  if (!overflows) {
    return sign | static_cast<std::uint64_t>(biased) << format.fractionBits | fraction;
  }
  const bool away = mode == Mode::NearestEven || mode == Mode::NearestAway ||
                    mode == (number.negative ? Mode::Down : Mode::Up);
  return sign | (away && format.top == Top::Ieee ? format.infinity() : format.largest());
}

Number negate(Number a) {
  a.negative = !a.negative;
  return a;
}

Number add(const Number& first, const Number& second, Mode mode) {
  Number a = first;
  Number b = second;
  if (a.isNaN() || b.isNaN()) return special(Kind::NaN);
  if (a.kind == Kind::Infinity || b.kind == Kind::Infinity) {
    if (a.kind == b.kind && a.negative != b.negative) return special(Kind::NaN);
    return a.kind == Kind::Infinity ? a : b;
  }
  if (a.isZero() && b.isZero()) {
    if (a.negative != b.negative) a.negative = mode == Mode::Down;
    return a;
  }
  if (a.isZero()) return b;
  if (b.isZero()) return a;
  // `a` gets the higher leading bit, and its last place as low as 126 bits allow.
  if (bitLength(a.magnitude) + a.exponent < bitLength(b.magnitude) + b.exponent) std::swap(a, b);
  const int lowest = a.exponent + bitLength(a.magnitude) - 126;
  const int place = std::max(lowest, std::min(a.exponent, b.exponent));
  a = withExponent(a, place);
  b = withExponent(b, place);
  Number result = a;
  result.sticky = b.sticky;
  if (a.negative == b.negative) {
    result.magnitude = a.magnitude + b.magnitude;
    return result;
  }
  if (a.magnitude == b.magnitude && !b.sticky) {
    result.magnitude = 0;
    result.negative = mode == Mode::Down;
    return result;
  }
  // Aligned places without a sticky part can still compare the other way round.
  if (a.magnitude < b.magnitude) {
    result.magnitude = b.magnitude - a.magnitude;
    result.negative = b.negative;
    return result;
  }
  result.magnitude = a.magnitude - b.magnitude - (b.sticky ? 1 : 0);
  return result;
}

Number multiply(const Number& a, const Number& b) {
  if (a.isNaN() || b.isNaN()) return special(Kind::NaN);
  const bool negative = a.negative != b.negative;
  if (a.kind == Kind::Infinity || b.kind == Kind::Infinity) {
    return a.isZero() || b.isZero() ? special(Kind::NaN) : special(Kind::Infinity, negative);
  }
  Number result;
  result.negative = negative;
  result.magnitude = a.magnitude * b.magnitude;
  result.exponent = a.exponent + b.exponent;
  return result;
}

Number divide(const Number& a, const Number& b) {
  if (a.isNaN() || b.isNaN()) return special(Kind::NaN);
  const bool negative = a.negative != b.negative;
  if (a.kind == Kind::Infinity) {
    return b.kind == Kind::Infinity ? special(Kind::NaN) : special(Kind::Infinity, negative);
  }
  if (b.isZero()) return a.isZero() ? special(Kind::NaN) : special(Kind::Infinity, negative);
  Number result;
  result.negative = negative;
  if (b.kind == Kind::Infinity || a.isZero()) return result;
  const int shift = 126 - bitLength(a.magnitude);
  const Magnitude dividend = a.magnitude << shift;
  result.magnitude = dividend / b.magnitude;
  result.sticky = result.magnitude * b.magnitude != dividend;
  result.exponent = a.exponent - shift - b.exponent;
  return result;
}

Number squareRoot(const Number& a) {
  if (a.isNaN() || a.isZero()) return a;
  if (a.negative) return special(Kind::NaN);
  if (a.kind == Kind::Infinity) return a;
  int shift = 126 - bitLength(a.magnitude);
  if ((a.exponent - shift) % 2 != 0) --shift;
  const Magnitude radicand = a.magnitude << shift;
  Magnitude root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const Magnitude trial = root | Magnitude{1} << bit;
    if (trial * trial <= radicand) root = trial;
  }
  Number result;
  result.magnitude = root;
  result.sticky = root * root != radicand;
  result.exponent = (a.exponent - shift) / 2;
  return result;
}

Number roundToIntegral(const Number& a, Mode mode) {
  if (a.kind != Kind::Finite || a.isZero() || a.exponent >= 0) return a;
  return roundTo(a, 0, mode);
}

int compare(const Number& a, const Number& b) {
  if (a.isZero() && b.isZero()) return 0;
  const bool isEqualInfinity = a.kind == Kind::Infinity && b.kind == a.kind;
  if (isEqualInfinity && a.negative == b.negative) return 0;
  const Number difference = add(a, negate(b), Mode::NearestEven);
  if (difference.isZero()) return 0;
  return difference.negative ? -1 : 1;
}

std::uint64_t flush(Format format, std::uint64_t bits) {
  const bool isSubnormal = (bits & (format.signBit() - 1)) < format.smallestNormal();
  return isSubnormal ? bits & format.signBit() : bits;
}

std::uint64_t saturate(Format format, std::uint64_t bits) {
  if (isNaN(format, bits) || (bits & format.signBit()) != 0) return 0;
  return std::min(bits, format.one());
}

bool isNaN(Format format, std::uint64_t bits) {
  bits &= format.signBit() - 1;
  switch (format.top) {
    case Top::Ieee:
      return bits > format.infinity();
    case Top::OneNaN:
      return bits == format.canonicalNaN();
    case Top::Numbers:
      break;
  }
  return false;
}

}  // namespace ptxopt::interp::reference
