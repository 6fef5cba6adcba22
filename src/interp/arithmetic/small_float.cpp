// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/arithmetic/small_float.h"

#include <cmath>
#include <limits>

namespace ptxopt::interp {

namespace {

struct Description {
  std::string_view name;
  int exponentBits;
  int fractionBits;
  std::uint32_t largest;  // bits of the largest finite number
};
constexpr Description kDescriptions[] = {
    {"e4m3", 4, 3, 0x7e}, {"e5m2", 5, 2, 0x7b},  {"e2m3", 2, 3, 0x1f}, {"e3m2", 3, 2, 0x1f},
    {"e2m1", 2, 1, 0x7},  {"ue5m3", 5, 3, 0xfe}, {"s2f6", 1, 6, 0x7f},
};

const Description& describe(SmallFormat format) {
  return kDescriptions[static_cast<std::size_t>(format)];
}

std::uint32_t signOf(const Description& format) {
  return 1u << (format.exponentBits + format.fractionBits);
}

constexpr int kScaleBias = 127;
constexpr std::uint32_t kScaleNaN = 0xff;

// For a finite magnitude.
double magnitude(const Description& format, std::uint32_t bits) {
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  const auto exponent = static_cast<int>(bits >> format.fractionBits);
  const auto fraction = static_cast<int>(bits & ((1u << format.fractionBits) - 1));
  if (exponent == 0) return std::ldexp(fraction, 1 - bias - format.fractionBits);
  return std::ldexp(fraction + (1 << format.fractionBits), exponent - bias - format.fractionBits);
}

}  // namespace

std::optional<SmallFormat> findSmallFormat(std::string_view qualifier) {
  for (std::size_t k = 0; k < std::size(kDescriptions); ++k) {
    const std::string_view name = kDescriptions[k].name;
    if (qualifier.size() < name.size() + 1 || qualifier.substr(1, name.size()) != name) continue;
    const std::string_view rest = qualifier.substr(1 + name.size());
    if (rest.empty() || rest == "x2" || rest == "x4") return static_cast<SmallFormat>(k);
  }
  return std::nullopt;
}

int storageBits(SmallFormat format) {
  return format == SmallFormat::E2M1 ? 4 : 8;
}

double toDouble(SmallFormat format, std::uint32_t bits) {
  if (format == SmallFormat::S2F6) return static_cast<std::int8_t>(bits & 0xff) / 64.0;
  if (format == SmallFormat::UE5M3) bits &= 0xff;
  const Description& description = describe(format);
  const std::uint32_t sign = signOf(description);
  const std::uint32_t rest = bits & (sign - 1);
  double value = 0;
  if (rest <= description.largest) {
    value = magnitude(description, rest);
  } else if (format == SmallFormat::E5M2 && rest == description.largest + 1) {
    value = std::numeric_limits<double>::infinity();
  } else {
    value = std::numeric_limits<double>::quiet_NaN();
  }
  return (bits & sign) != 0 ? -value : value;
}

std::uint32_t fromDouble(SmallFormat format, double value, bool relu, Rounding rounding,
                         bool isFinite) {
  const Description& description = describe(format);
  const std::uint32_t sign = signOf(description);
  const std::uint32_t largest = description.largest;
  if (std::isnan(value)) return largest != sign - 1 ? sign - 1 : largest;
  if (relu && std::signbit(value)) return 0;
  const double wanted = std::fabs(value);
  // Searches for the interval between two numbers that contains `wanted`; it may be the one above
  // the largest number.
  std::uint32_t bits = 0;
  while (bits < largest && wanted > magnitude(description, bits + 1)) ++bits;
  const double below = magnitude(description, bits);
  const double above = bits < largest ? magnitude(description, bits + 1)
                                      : 2 * below - magnitude(description, bits - 1);
  bool up = false;
  switch (rounding) {
    case Rounding::Zero:
      up = std::isinf(wanted) || (bits < largest && wanted == above);
      break;
    case Rounding::Up:
      up = wanted > below;
      break;
    default:
      up = wanted - below > above - wanted || (wanted - below == above - wanted && bits % 2 != 0) ||
           wanted > above;
      break;
  }
  std::uint32_t result = up ? bits + 1 : bits;
  if (isFinite && result > largest) result = largest;
  return std::signbit(value) && format != SmallFormat::UE5M3 ? result | sign : result;
}

double scaleToDouble(std::uint32_t bits) {
  if (bits == kScaleNaN) return std::numeric_limits<double>::quiet_NaN();
  return std::ldexp(1.0, static_cast<int>(bits) - kScaleBias);
}

std::uint32_t scaleFromDouble(double value, Rounding rounding, bool isFinite) {
  if (std::isnan(value)) return kScaleNaN;
  const double wanted = std::fabs(value);
  std::uint32_t bits = 0;
  while (bits < kScaleNaN && wanted >= std::ldexp(1.0, static_cast<int>(bits) + 1 - kScaleBias)) {
    ++bits;
  }
  if (rounding == Rounding::Up && bits < kScaleNaN && wanted > scaleToDouble(bits)) ++bits;
  return isFinite && bits == kScaleNaN ? kScaleNaN - 1 : bits;
}

}  // namespace ptxopt::interp
