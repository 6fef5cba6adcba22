// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/atomic.h"

#include <algorithm>
#include <bit>

#include "interp/arithmetic/conversion.h"
#include "interp/arithmetic/floating.h"

namespace ptxopt::interp {

namespace {

using isa::Type;

template <class T>
std::optional<std::uint64_t> onIntegers(AtomicOperation operation, std::uint64_t oldBits,
                                        std::uint64_t bBits) {
  const T old = static_cast<T>(oldBits);
  const T b = static_cast<T>(bBits);
  const auto bits = [](T value) -> std::uint64_t {
    return static_cast<std::make_unsigned_t<T>>(value);
  };
  switch (operation) {
    case AtomicOperation::Add:
      return truncated(oldBits + bBits, static_cast<int>(sizeof(T)) * 8);
    case AtomicOperation::Minimum:
      return bits(std::min(old, b));
    case AtomicOperation::Maximum:
      return bits(std::max(old, b));
    case AtomicOperation::Increment:
      return old >= b ? 0 : bits(old) + 1;
    case AtomicOperation::Decrement:
      return old == 0 || old > b ? bits(b) : bits(old) - 1;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> onHalves(AtomicOperation operation, FloatFormat format, int width,
                                      std::uint64_t old, std::uint64_t b) {
  std::uint64_t result = 0;
  for (int shift = 0; shift < width; shift += 16) {
    const auto x = static_cast<std::uint16_t>(old >> shift);
    const auto y = static_cast<std::uint16_t>(b >> shift);
    std::uint16_t sum;
    switch (operation) {
      case AtomicOperation::Add:
        sum = halfAdd(format, x, y, {});
        break;
      case AtomicOperation::Minimum:
        sum = halfMinMax(format, x, y, false, false, false);
        break;
      case AtomicOperation::Maximum:
        sum = halfMinMax(format, x, y, true, false, false);
        break;
      default:
        return std::nullopt;
    }
    result |= std::uint64_t{sum} << shift;
  }
  return result;
}

}  // namespace

std::optional<std::uint64_t> combine(AtomicOperation operation, Type type, std::uint64_t old,
                                     std::uint64_t b, std::uint64_t c, bool flushes) {
  switch (operation) {
    case AtomicOperation::And:
      return old & b;
    case AtomicOperation::Or:
      return old | b;
    case AtomicOperation::Xor:
      return old ^ b;
    case AtomicOperation::Exchange:
      return b;
    case AtomicOperation::CompareAndSwap:
      return old == b ? c : old;
    default:
      break;
  }
  switch (type) {
    case Type::B32:
    case Type::U32:
      return onIntegers<std::uint32_t>(operation, old, b);
    case Type::S32:
      return onIntegers<std::int32_t>(operation, old, b);
    case Type::B64:
    case Type::U64:
      return onIntegers<std::uint64_t>(operation, old, b);
    case Type::S64:
      return onIntegers<std::int64_t>(operation, old, b);
    case Type::F16:
      return onHalves(operation, kF16, 16, old, b);
    case Type::F16x2:
      return onHalves(operation, kF16, 32, old, b);
    case Type::BF16:
      return onHalves(operation, kBF16, 16, old, b);
    case Type::BF16x2:
      return onHalves(operation, kBF16, 32, old, b);
    case Type::F32: {
      if (operation != AtomicOperation::Add) return std::nullopt;
      const auto value = [&](std::uint64_t bits) {
        const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        return flushes ? flush(x) : x;
      };
      const float sum = add(value(old), value(b), Rounding::NearestEven);
      return std::bit_cast<std::uint32_t>(flushes ? flush(sum) : sum);
    }
    case Type::F64:
      if (operation != AtomicOperation::Add) return std::nullopt;
      return std::bit_cast<std::uint64_t>(
          add(std::bit_cast<double>(old), std::bit_cast<double>(b), Rounding::NearestEven));
    default:
      return std::nullopt;
  }
}

}  // namespace ptxopt::interp
