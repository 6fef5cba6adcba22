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
    {"e4m3", 4, 3, 0x7e}, {"e5m2", 5, 2, 0x7b}, {"e2m3", 2, 3, 0x1f},
    {"e3m2", 3, 2, 0x1f}, {"e2m1", 2, 1, 0x7},
};

const Description& describe(SmallFormat format) {
  return kDescriptions[static_cast<std::size_t>(format)];
}

std::uint32_t signOf(const Description& format) {
  return 1u << (format.exponentBits + format.fractionBits);
}

// Of a magnitude that is finite.
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

std::uint32_t fromDouble(SmallFormat format, double value, bool relu) {
  const Description& description = describe(format);
  const std::uint32_t sign = signOf(description);
  if (std::isnan(value)) {
    const bool hasNaN = description.largest != sign - 1;
    return hasNaN ? sign - 1 : description.largest;
  }
  if (relu && std::signbit(value)) return 0;
  const double wanted = std::fabs(value);
  std::uint32_t best = description.largest;
  for (std::uint32_t bits = 0; bits < description.largest; ++bits) {
    const double below = magnitude(description, bits);
    const double above = magnitude(description, bits + 1);
    if (wanted > above) continue;
    const double toBelow = wanted - below;
    const double toAbove = above - wanted;
    const bool takesBelow = toBelow < toAbove || (toBelow == toAbove && bits % 2 == 0);
    best = takesBelow ? bits : bits + 1;
    break;
  }
  return std::signbit(value) ? best | sign : best;
}

}  // namespace ptxopt::interp
