// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/launch_facts.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace ptxopt::passes {

namespace {

template <class Number>
std::optional<std::uint64_t> floatBits(Number value, unsigned width) {
  if (width == 64) return std::bit_cast<std::uint64_t>(static_cast<double>(value));
  const auto rounded = static_cast<float>(value);
  if (width != 32 || std::isinf(rounded)) return std::nullopt;  // JSON has no infinity
  return std::bit_cast<std::uint32_t>(rounded);
}

// As a signed or an unsigned number of this width; below 0 only if `isNegative`.
std::optional<std::uint64_t> integerBits(std::uint64_t value, bool isNegative, unsigned width) {
  if (width == 0 || width > 64) return std::nullopt;
  const unsigned spare = 64 - width;
  const auto asSigned = static_cast<std::int64_t>(value);
  const bool fits = isNegative ? static_cast<std::int64_t>(value << spare) >> spare == asSigned
                               : value << spare >> spare == value;
  if (!fits) return std::nullopt;
  return value << spare >> spare;
}

}  // namespace

std::string textOf(const Extents& extents) {
  return fmt::format("{},{},{}", extents[0], extents[1], extents[2]);
}

bool LaunchNumber::isNegative() const {
  const auto* const integer = std::get_if<std::int64_t>(&value_);
  return integer != nullptr && *integer < 0;
}

std::optional<std::uint64_t> LaunchNumber::as(isa::Type type) const {
  const auto width = static_cast<unsigned>(isa::bitWidth(type));
  if (const auto* bits = std::get_if<Bits>(&value_)) return integerBits(bits->bits, false, width);
  const bool isFloat = isa::isFloat(type);
  if (isFloat && type != isa::Type::F32 && type != isa::Type::F64) return std::nullopt;
  if (const auto* number = std::get_if<double>(&value_)) {
    if (!isFloat && isa::isTypedInteger(type)) return std::nullopt;
    return floatBits(*number, width);
  }
  const auto* number = std::get_if<std::int64_t>(&value_);
  if (isFloat) {
    return number != nullptr ? floatBits(*number, width)
                             : floatBits(std::get<std::uint64_t>(value_), width);
  }
  if (number == nullptr) return integerBits(std::get<std::uint64_t>(value_), false, width);
  return integerBits(static_cast<std::uint64_t>(*number), *number < 0, width);
}

}  // namespace ptxopt::passes
