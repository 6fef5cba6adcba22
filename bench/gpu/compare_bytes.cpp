// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare_bytes.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "interp/arithmetic/conversion.h"
#include "interp/arithmetic/floating.h"

namespace ptxopt::gpu {

namespace {

constexpr std::size_t kWordBytes = 8;

bool isApproximate(const isa::InstructionDesc& desc) {
  const std::string_view name = desc.mnemonic;
  return desc.has(".approx") || desc.has(".full") || name.starts_with("mma.") ||
         name.starts_with("wmma.mma") || name.starts_with("wgmma.mma");
}

// The error of one element; none where the two are not close.
template <class Bits, class Value>
std::optional<double> errorOf(Bits a, Bits b, Value value, Bits exponentMask, double relative) {
  if (a == b) return 0.0;
  const double x = value(a);
  const double y = value(b);
  if (std::isnan(x) && std::isnan(y)) return 0.0;
  for (const Bits bits : {a, b}) {
    const bool isZero = static_cast<Bits>(bits << 1) == 0;
    if ((bits & exponentMask) == 0 && !isZero) return std::nullopt;  // subnormal
    if ((bits & exponentMask) == exponentMask) return std::nullopt;  // infinite, or one NaN
  }
  const double error = std::abs(x - y) / std::max({1.0, std::abs(x), std::abs(y)});
  if (error > relative) return std::nullopt;
  return error;
}

// The largest error of the elements of a word; none where one of them is not close.
template <class Bits, class Value>
std::optional<double> errorOfWord(const std::uint8_t* a, const std::uint8_t* b, std::size_t size,
                                  Value value, Bits exponentMask, double relative) {
  if (size % sizeof(Bits) != 0) return std::nullopt;
  double largest = 0;
  for (std::size_t at = 0; at < size; at += sizeof(Bits)) {
    Bits left = 0;
    Bits right = 0;
    std::memcpy(&left, a + at, sizeof left);
    std::memcpy(&right, b + at, sizeof right);
    const auto error = errorOf(left, right, value, exponentMask, relative);
    if (!error) return std::nullopt;
    largest = std::max(largest, *error);
  }
  return largest;
}

std::optional<double> errorOfWord(const std::uint8_t* a, const std::uint8_t* b, std::size_t size,
                                  const Tolerance& tolerance) {
  const auto f64 = [](std::uint64_t bits) { return interp::toDouble(interp::kF64, bits); };
  const auto f32 = [](std::uint32_t bits) { return interp::toDouble(interp::kF32, bits); };
  const auto f16 = [](std::uint16_t bits) { return interp::toDouble(interp::kF16, bits); };
  const auto bf16 = [](std::uint16_t bits) { return interp::toDouble(interp::kBF16, bits); };
  std::optional<double> error;
  if (tolerance.f64) {
    error = errorOfWord<std::uint64_t>(a, b, size, f64, 0x7ff0000000000000, tolerance.relative);
  }
  if (!error && tolerance.f32) {
    error = errorOfWord<std::uint32_t>(a, b, size, f32, 0x7f800000, tolerance.relative);
  }
  if (!error && tolerance.f16) {
    error = errorOfWord<std::uint16_t>(a, b, size, f16, 0x7c00, std::ldexp(1.0, -9));
  }
  if (!error && tolerance.bf16) {
    error = errorOfWord<std::uint16_t>(a, b, size, bf16, 0x7f80, std::ldexp(1.0, -6));
  }
  return error;
}

}  // namespace

Tolerance toleranceFor(const ir::Module& module, const ir::Function& kernel, double relative) {
  Tolerance formats;
  formats.relative = relative;
  bool approximates = false;
  for (const ir::Function& function : module.functions()) {
    if (function.isEntry() && &function != &kernel) continue;
    for (const ir::Statement& statement : function.body()) {
      const auto* instruction = statement.as<ir::Instruction>();
      if (instruction == nullptr) continue;
      const isa::InstructionDesc& desc = *instruction->desc;
      approximates = approximates || isApproximate(desc);
      for (const std::string_view qualifier : desc.qualifiers) {
        formats.f16 = formats.f16 || qualifier == ".f16" || qualifier == ".f16x2";
        formats.bf16 = formats.bf16 || qualifier == ".bf16" || qualifier == ".bf16x2";
        formats.f32 = formats.f32 || qualifier == ".f32";
        formats.f64 = formats.f64 || qualifier == ".f64";
      }
    }
  }
  return approximates ? formats : Tolerance{};
}

ByteComparison compareBytes(std::span<const std::uint8_t> expected,
                            std::span<const std::uint8_t> actual, const Tolerance& tolerance,
                            std::span<const std::size_t> skipped) {
  ByteComparison result;
  if (expected.size() != actual.size()) {
    result.firstDifference = std::min(expected.size(), actual.size());
    return result;
  }
  for (std::size_t at = 0; at < expected.size(); at += kWordBytes) {
    const std::size_t size = std::min(kWordBytes, expected.size() - at);
    const std::uint8_t* const a = expected.data() + at;
    const std::uint8_t* const b = actual.data() + at;
    if (std::memcmp(a, b, size) == 0) continue;
    if (std::find(skipped.begin(), skipped.end(), at) != skipped.end()) continue;
    const auto error = errorOfWord(a, b, size, tolerance);
    if (!error) {
      result.firstDifference =
          static_cast<std::size_t>(std::mismatch(a, a + size, b).first - a) + at;
      return result;
    }
    result.largestError = std::max(result.largestError, *error);
  }
  return result;
}

}  // namespace ptxopt::gpu
