// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/multicast.h"

#include <cmath>

#include "interp/argument.h"
#include "interp/arithmetic/conversion.h"
#include "interp/arithmetic/floating.h"
#include "interp/atomic.h"
#include "interp/object_text.h"

namespace ptxopt::interp {

std::optional<MulticastText> parseMulticast(std::string_view text, std::string& problem) {
  constexpr std::uint64_t kAlignment = 16;  // bytes: the largest access
  try {
    MulticastText result;
    for (const std::string_view member : split(text, ',')) {
      MulticastText::Member& added = result.members.emplace_back();
      parseBufferOf(added, member, "a multicast object");
      if (added.addend % kAlignment != 0) throw WrongText{"the address is not a multiple of 16"};
    }
    return result;
  } catch (const WrongText& wrong) {
    problem = wrong.message;
    return std::nullopt;
  }
}

std::vector<std::uint64_t> replicasOf(const MulticastTable& table, std::uint64_t address,
                                      std::uint64_t size) {
  auto object = table.upper_bound(address);
  if (object == table.begin()) return {};
  --object;
  const std::uint64_t offset = address - object->first;
  if (offset > object->second.bytes || size > object->second.bytes - offset) return {};
  std::vector<std::uint64_t> result = object->second.replicas;
  for (std::uint64_t& replica : result) replica += offset;
  return result;
}

namespace {

// The smaller or the larger one; a number rather than a NaN, and -0 is less than +0.
double selected(bool isMaximum, double x, double y) {
  if (std::isnan(x)) return y;
  if (std::isnan(y)) return x;
  const bool xIsLess = x < y || (x == y && std::signbit(x));
  return xIsLess == isMaximum ? y : x;
}

// Of formats of 8 bits.
std::uint64_t reduceSmall(const ReplicaReduction& reduction, std::span<const std::uint64_t> bits) {
  const SmallFormat format = *reduction.small;
  const auto numberOf = [&](std::uint64_t x) {
    return toDouble(format, static_cast<std::uint32_t>(x));
  };
  const bool adds = reduction.operation == AtomicOperation::Add;
  double value = numberOf(bits[0]);
  for (const std::uint64_t next : bits.subspan(1)) {
    const double other = numberOf(next);
    if (!adds) {
      value = selected(reduction.operation == AtomicOperation::Maximum, value, other);
    } else if (reduction.isWide) {
      value = toDouble(kF16, fromDouble(kF16, value + other, Rounding::NearestEven));
    } else {
      value = numberOf(fromDouble(format, value + other, false));
    }
  }
  return fromDouble(format, value, false);
}

// f16 and bf16 with sums in f32.
std::uint64_t sumWide(const FloatFormat& format, std::span<const std::uint64_t> bits) {
  float sum = static_cast<float>(toDouble(format, bits[0]));
  for (const std::uint64_t next : bits.subspan(1)) {
    sum = add(sum, static_cast<float>(toDouble(format, next)), Rounding::NearestEven);
  }
  return fromDouble(format, static_cast<double>(sum), Rounding::NearestEven);
}

// f16 and bf16, one or two in a register.
std::optional<FloatFormat> halfFormat(isa::Type type) {
  if (type == isa::Type::F16 || type == isa::Type::F16x2) return kF16;
  if (type == isa::Type::BF16 || type == isa::Type::BF16x2) return kBF16;
  return std::nullopt;
}

// reduce(replicas of one number) for all numbers of `width` bits in a register.
template <class Reduce>
std::uint64_t forNumbers(int bits, int width, std::span<const std::uint64_t> replicas,
                         Reduce reduce) {
  std::uint64_t result = 0;
  std::vector<std::uint64_t> numbers(replicas.size());
  for (int shift = 0; shift < bits; shift += width) {
    for (std::size_t k = 0; k < replicas.size(); ++k) {
      numbers[k] = truncated(replicas[k] >> shift, width);
    }
    result |= reduce(std::span<const std::uint64_t>(numbers)) << shift;
  }
  return result;
}

}  // namespace

std::optional<std::uint64_t> reduceReplicas(const ReplicaReduction& reduction,
                                            std::span<const std::uint64_t> replicas) {
  const int bits = isa::bitWidth(reduction.type);
  if (reduction.small) {
    constexpr int kWidth = 8;
    return forNumbers(bits, kWidth, replicas,
                      [&](auto numbers) { return reduceSmall(reduction, numbers); });
  }
  const auto half = halfFormat(reduction.type);
  if (half && reduction.isWide && reduction.operation == AtomicOperation::Add) {
    constexpr int kWidth = 16;
    return forNumbers(bits, kWidth, replicas,
                      [&](auto numbers) { return sumWide(*half, numbers); });
  }
  std::uint64_t result = replicas[0];
  for (const std::uint64_t next : replicas.subspan(1)) {
    const auto combined = combine(reduction.operation, reduction.type, result, next, 0, false);
    if (!combined) return std::nullopt;
    result = *combined;
  }
  return result;
}

}  // namespace ptxopt::interp
