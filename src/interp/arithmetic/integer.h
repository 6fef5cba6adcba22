// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer and bit instructions as functions of their operands (PTX ISA 9.7.1, 9.7.8, 9.7.9.7).
//
// Results that the manual leaves undefined are fixed here, so that runs are repeatable: division by
// zero gives all ones, the remainder by zero the dividend.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ptxopt::interp {

template <std::integral T>
using Bits = std::make_unsigned_t<T>;

template <std::integral T>
inline constexpr int kBitsOf = static_cast<int>(sizeof(T) * 8);

template <std::integral T>
constexpr T add(T a, T b) {
  return static_cast<T>(static_cast<Bits<T>>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b)));
}
template <std::integral T>
constexpr T subtract(T a, T b) {
  return static_cast<T>(static_cast<Bits<T>>(static_cast<Bits<T>>(a) - static_cast<Bits<T>>(b)));
}

template <std::integral T>
constexpr T addSaturated(T a, T b) {
  T sum{};
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  if (std::is_signed_v<T> && a < 0) return std::numeric_limits<T>::min();
  return std::numeric_limits<T>::max();
}
template <std::integral T>
constexpr T subtractSaturated(T a, T b) {
  T difference{};
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  if (std::is_unsigned_v<T> || a < 0) return std::numeric_limits<T>::min();
  return std::numeric_limits<T>::max();
}

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

// All bits of the product of two numbers of up to 64 bits.
template <std::integral T>
constexpr UnsignedWide product(T a, T b) {
  return static_cast<UnsignedWide>(static_cast<Wide>(a)) *
         static_cast<UnsignedWide>(static_cast<Wide>(b));
}
template <std::integral T>
constexpr T multiplyLow(T a, T b) {
  return static_cast<T>(product(a, b));
}
template <std::integral T>
constexpr T multiplyHigh(T a, T b) {
  return static_cast<T>(product(a, b) >> kBitsOf<T>);
}

// mul24: the low 24 bits of each operand, sign-extended for s32; .hi is bits 47 .. 16.
template <std::integral T>
constexpr std::int64_t product24(T a, T b) {
  const auto narrow = [](T x) -> std::int64_t {
    const std::uint32_t low = static_cast<std::uint32_t>(x) & 0xffffffu;
    if (std::is_signed_v<T>) return static_cast<std::int32_t>(low << 8) >> 8;
    return low;
  };
  return narrow(a) * narrow(b);
}

template <std::integral T>
constexpr T divide(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return subtract(T{0}, a);
  return static_cast<T>(a / b);
}
template <std::integral T>
constexpr T remainder(T a, T b) {
  if (b == 0) return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}
template <std::integral T>
constexpr T absolute(T a) {
  return a < 0 ? subtract(T{0}, a) : a;
}
// |a - b| without overflow, as unsigned.
template <std::integral T>
constexpr T absoluteDifference(T a, T b) {
  return a > b ? subtract(a, b) : subtract(b, a);
}

template <std::unsigned_integral T>
constexpr T reverseBits(T a) {
  T result = 0;
  for (int k = 0; k < kBitsOf<T>; ++k) {
    result = static_cast<T>(result << 1 | (a >> k & 1));
  }
  return result;
}

// The most significant bit that is not a sign bit; all ones if there is none.
template <std::integral T>
constexpr std::uint32_t findLeading(T a, bool asShift) {
  Bits<T> bits = static_cast<Bits<T>>(a);
  if (a < 0) bits = static_cast<Bits<T>>(~bits);
  if (bits == 0) return ~0u;
  const int leading = std::countl_zero(bits);
  return static_cast<std::uint32_t>(asShift ? leading : kBitsOf<T> - 1 - leading);
}

template <std::integral T>
constexpr T extractField(T a, std::uint32_t b, std::uint32_t c) {
  using U = Bits<T>;
  constexpr std::uint32_t kTop = static_cast<std::uint32_t>(kBitsOf<T>) - 1;
  const std::uint32_t position = b & 0xff;
  const std::uint32_t length = c & 0xff;
  if (length == 0) return 0;
  const U bits = static_cast<U>(a);
  const std::uint32_t last = std::min(position + length - 1, kTop);
  const bool sign = std::is_signed_v<T> && (bits >> last & 1) != 0;
  const std::uint32_t taken = position > kTop ? 0 : last - position + 1;
  const U mask = taken > kTop ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << taken) - 1);
  const U field = position > kTop ? U{0} : static_cast<U>(bits >> position & mask);
  return static_cast<T>(sign ? field | static_cast<U>(~mask) : field);
}

template <std::unsigned_integral T>
constexpr T insertField(T a, T b, std::uint32_t c, std::uint32_t d) {
  constexpr std::uint32_t kWidth = static_cast<std::uint32_t>(kBitsOf<T>);
  const std::uint32_t position = c & 0xff;
  const std::uint32_t length = d & 0xff;
  if (length == 0 || position >= kWidth) return b;
  const T ones = length >= kWidth ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
  const T mask = static_cast<T>(ones << position);
  return static_cast<T>((b & static_cast<T>(~mask)) | (static_cast<T>(a << position) & mask));
}

// Shifts clamp at the width (PTX ISA 9.7.8.7).
template <std::integral T>
constexpr T shiftLeft(T a, std::uint32_t count) {
  if (count >= static_cast<std::uint32_t>(kBitsOf<T>)) return 0;
  return static_cast<T>(static_cast<Bits<T>>(a) << count);
}
template <std::integral T>
constexpr T shiftRight(T a, std::uint32_t count) {
  constexpr std::uint32_t kTop = static_cast<std::uint32_t>(kBitsOf<T>) - 1;
  if (count > kTop && std::is_unsigned_v<T>) return 0;
  return static_cast<T>(a >> std::min(count, kTop));
}

std::uint32_t funnelShift(std::uint32_t a, std::uint32_t b, std::uint32_t c, bool left, bool wrap);
std::uint32_t findNthSet(std::uint32_t mask, std::uint32_t base, std::int32_t offset);
std::uint32_t extendAt(std::uint32_t a, std::uint32_t b, bool isSigned, bool wrap);  // szext
std::uint32_t bitMask(std::uint32_t a, std::uint32_t b, bool wrap);                  // bmsk
std::uint32_t logic3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table);

enum class Permute : std::uint8_t { Index, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };
std::uint32_t permuteBytes(std::uint32_t a, std::uint32_t b, std::uint32_t c, Permute mode);

std::uint32_t dotProduct4(std::uint32_t a, bool aSigned, std::uint32_t b, bool bSigned,
                          std::uint32_t c);
std::uint32_t dotProduct2(std::uint32_t a, bool aSigned, std::uint32_t b, bool bSigned,
                          std::uint32_t c, bool high);

}  // namespace ptxopt::interp
