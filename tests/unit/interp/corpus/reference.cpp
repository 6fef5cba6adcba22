// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>

#include "interp/image.h"

namespace ptxopt::interp {

float halfToFloat(std::uint16_t bits) {
  constexpr int kMantissaBits = 10, kBias = 15, kSpecial = 31;
  const int exponent = bits >> kMantissaBits & kSpecial;
  const int mantissa = bits & ((1 << kMantissaBits) - 1);
  double value = 0;
  if (exponent == kSpecial) {
    value = mantissa != 0 ? NAN : INFINITY;
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - kBias - kMantissaBits);
  } else {
    value = std::ldexp(mantissa + (1 << kMantissaBits), exponent - kBias - kMantissaBits);
  }
  return static_cast<float>((bits & 0x8000) != 0 ? -value : value);
}

float bfloatToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t floatToHalf(float value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7fff;
  const double magnitude = std::fabs(static_cast<double>(value));
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00);
  int exponent = -14;
  if (magnitude >= std::ldexp(1.0, -14)) exponent = std::ilogb(magnitude);
  // nearbyint rounds to nearest even; a carry runs into the exponent, as it should.
  const double steps = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  const int bits = static_cast<int>(steps) + ((exponent + 14) << 10);
  return static_cast<std::uint16_t>(sign | bits);
}

std::uint16_t floatToBfloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float quarterToFloat(std::uint8_t bits) {
  constexpr int kMantissaBits = 3, kBias = 7;
  const int exponent = bits >> kMantissaBits & 15, mantissa = bits & 7;
  double value = exponent == 0 ? std::ldexp(mantissa, 1 - kBias - kMantissaBits)
                               : std::ldexp(mantissa + 8, exponent - kBias - kMantissaBits);
  if ((bits & 0x7f) == 0x7f) value = NAN;
  return static_cast<float>((bits & 0x80) != 0 ? -value : value);
}

// The nearest of all; of two, the one with an even number.
std::uint8_t floatToQuarter(float value) {
  if (std::isnan(value)) return 0x7f;
  std::uint8_t best = 0;
  for (std::uint8_t bits = 1; bits < 0x7f; ++bits) {
    const float apart = std::fabs(quarterToFloat(bits) - std::fabs(value));
    const float before = std::fabs(quarterToFloat(best) - std::fabs(value));
    if (apart < before || (apart == before && bits % 2 == 0)) best = bits;
  }
  return std::signbit(value) ? static_cast<std::uint8_t>(best | 0x80) : best;
}

Call::Call(const ir::Module& module, const Launch& launch) : launch_(&launch) {
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    if (!launch.arguments[k].isBuffer) continue;
    memory_["argument " + std::to_string(k)] = launch.arguments[k].bytes;
  }
  for (const auto& [name, content] : launch.buffers) memory_[name] = content.bytes;
  const Image image(module);
  for (const ImageObject& object : image.objects()) memory_[object.name] = object.bytes;
  for (const auto& [name, content] : launch.globals) {
    std::vector<std::uint8_t>& bytes = memory_.at(name);
    std::copy_n(content.bytes.begin(), std::min(bytes.size(), content.bytes.size()), bytes.begin());
  }
  block_ = Dim3{32};
  for (const ir::Function& function : module.functions()) {
    if (function.nameText() != launch.kernel) continue;
    if (const auto required = function.requiredBlock()) {
      block_ = {(*required)[0], (*required)[1], (*required)[2]};
    }
  }
  if (launch.block) block_ = *launch.block;
}

std::string Call::describeDifference(std::size_t element, double got, double wanted) {
  std::ostringstream text;
  text.precision(9);
  text << "element " << element << " is " << got << ", must be " << wanted;
  return text.str();
}

std::string Call::compare(const Outcome& outcome) const {
  for (const NamedBytes& object : outcome.memory) {
    const auto wanted = memory_.find(object.name);
    if (wanted == memory_.end()) return object.name + " is not known";
    std::string difference;
    if (const auto special = comparisons_.find(object.name); special != comparisons_.end()) {
      difference = special->second(object.bytes, wanted->second);
    } else {
      std::vector<std::uint8_t> a = object.bytes;
      std::vector<std::uint8_t> b = wanted->second;
      if (const auto range = sorted_.find(object.name); range != sorted_.end()) {
        const Sorted& part = range->second;
        for (std::vector<std::uint8_t>* bytes : {&a, &b}) {
          std::vector<std::string> elements;
          for (std::size_t k = part.begin; k < part.end; ++k) {
            elements.emplace_back(reinterpret_cast<const char*>(bytes->data()) + k * part.size,
                                  part.size);
          }
          std::sort(elements.begin(), elements.end());
          for (std::size_t k = part.begin; k < part.end; ++k) {
            std::memcpy(bytes->data() + k * part.size, elements[k - part.begin].data(), part.size);
          }
        }
      }
      if (const auto ranges = ignored_.find(object.name); ranges != ignored_.end()) {
        for (const auto& [begin, end] : ranges->second) {
          for (std::size_t k = begin; k < std::min(end, b.size()); ++k) b[k] = a.at(k);
        }
      }
      if (a.size() != b.size()) difference = "another size";
      for (std::size_t k = 0; k < a.size() && difference.empty(); ++k) {
        if (a[k] != b[k]) difference = describeDifference(k, a[k], b[k]) + " (bytes)";
      }
    }
    if (!difference.empty()) return object.name + ": " + difference;
  }
  const auto lines = [](const std::string& text) {
    std::vector<std::string> result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) result.push_back(line);
    std::sort(result.begin(), result.end());
    return result;
  };
  if (lines(outcome.printed) != lines(printed)) return "printed '" + outcome.printed + "'";
  return {};
}

}  // namespace ptxopt::interp
