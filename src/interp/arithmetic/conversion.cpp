// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/arithmetic/conversion.h"

#include <algorithm>
#include <bit>

#include "interp/arithmetic/floating.h"

namespace ptxopt::interp {

namespace {

using isa::Type;

std::optional<FloatFormat> floatFormat(Type type) {
  switch (type) {
    case Type::F16:
      return kF16;
    case Type::BF16:
      return kBF16;
    case Type::TF32:
    case Type::F32:
      return kF32;
    case Type::F64:
      return kF64;
    default:
      return std::nullopt;
  }
}

// tf32 is an f32 whose fraction has 10 bits; it occupies the upper bits of the 32.
constexpr FloatFormat kTF32{8, 10};
constexpr int kTF32Shift = 13;

std::uint64_t flushSubnormal(Type type, std::uint64_t bits) {
  if (type != Type::F32) return bits;
  return std::bit_cast<std::uint32_t>(
      flush(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
}

// The result of converting a NaN to an integer type (PTX ISA 9.7.10.24).
std::uint64_t integerOfNaN(Type to, Type from) {
  const int width = isa::bitWidth(to);
  return from == Type::F64 || width == 64 ? std::uint64_t{1} << (width - 1) : 0;
}

// Converts to an integer type, saturating at its bounds.
std::uint64_t clampInteger(Type type, RoundedInteger value) {
  const int width = isa::bitWidth(type);
  if (!isa::isSigned(type)) {
    if (value.negative) return 0;
    const std::uint64_t largest = truncated(~std::uint64_t{0}, width);
    return std::min(value.magnitude, largest);
  }
  const std::uint64_t bound = std::uint64_t{1} << (width - 1);
  const std::uint64_t magnitude = std::min(value.magnitude, value.negative ? bound : bound - 1);
  return truncated(value.negative ? 0 - magnitude : magnitude, width);
}

RoundedInteger integerOf(Type type, std::uint64_t bits) {
  const std::uint64_t value = extended(type, bits);
  const bool negative = isa::isSigned(type) && static_cast<std::int64_t>(value) < 0;
  return {negative ? 0 - value : value, negative};
}

std::uint64_t finishFloat(const Conversion& conversion, const Real& value) {
  const FloatFormat format = *floatFormat(conversion.to);
  std::uint64_t result = conversion.to == Type::TF32
                             ? pack(kTF32, value, conversion.rounding) << kTF32Shift
                             : pack(format, value, conversion.rounding);
  const std::uint64_t sign = std::uint64_t{1} << (format.width() - 1);
  const std::uint64_t infinity = ((std::uint64_t{1} << format.exponentBits) - 1)
                                 << format.fractionBits;
  const std::uint64_t magnitude = result & (sign - 1);
  if (value.kind == Real::Class::NaN) {
    if (conversion.saturates) return 0;
    return conversion.to == Type::TF32 ? kCanonicalNaN32 : result;
  }
  if (conversion.finite && magnitude == infinity) {
    const std::uint64_t lastPlace = conversion.to == Type::TF32 ? 1u << kTF32Shift : 1;
    result = (result & sign) | (infinity - lastPlace);
  }
  if ((conversion.relu || conversion.saturates) && (result & sign) != 0) result = 0;
  if (conversion.saturates) {
    const std::uint64_t one = static_cast<std::uint64_t>(format.bias()) << format.fractionBits;
    result = std::min(result, one);
  }
  return conversion.ftz ? flushSubnormal(conversion.to, result) : result;
}

}  // namespace

bool isConvertible(Type type) {
  return isTypedInteger(type) || floatFormat(type).has_value();
}

std::uint64_t truncated(std::uint64_t bits, int width) {
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

std::uint64_t extended(Type type, std::uint64_t bits) {
  const int width = isa::bitWidth(type);
  if (width >= 64) return bits;
  if (!isa::isSigned(type) || isa::isFloat(type)) return truncated(bits, width);
  const int unused = 64 - width;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
}

std::uint64_t convert(const Conversion& conversion, std::uint64_t bits) {
  const Type to = conversion.to;
  const Type from = conversion.from;
  if (isTypedInteger(from)) {
    const RoundedInteger value = integerOf(from, bits);
    if (!isTypedInteger(to))
      return finishFloat(conversion, fromInteger(value.magnitude, value.negative));
    if (conversion.saturates) return clampInteger(to, value);
    return truncated(extended(from, bits), isa::bitWidth(to));
  }
  if (conversion.ftz) bits = flushSubnormal(from, truncated(bits, isa::bitWidth(from)));
  Real value = unpack(*floatFormat(from), bits);
  if (isTypedInteger(to)) {
    if (value.kind == Real::Class::NaN) return integerOfNaN(to, from);
    return clampInteger(to, toInteger(value, conversion.rounding));
  }
  if (value.kind == Real::Class::NaN && from == to && to == Type::F64 && !conversion.saturates) {
    return bits | std::uint64_t{1} << 51;
  }
  // ptxas makes a shift of it.
  if (value.kind == Real::Class::NaN && from == Type::BF16 && to == Type::F32 &&
      !conversion.saturates) {
    return truncated(bits, 16) << 16;
  }
  if (conversion.toIntegral && value.kind == Real::Class::Finite && value.exponent < 0) {
    const RoundedInteger integer = toInteger(value, conversion.rounding);
    value = fromInteger(integer.magnitude, value.negative);
    value.negative = integer.negative;
  }
  return finishFloat(conversion, value);
}

}  // namespace ptxopt::interp
