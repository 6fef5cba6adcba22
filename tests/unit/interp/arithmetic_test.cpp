// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic against values computed in another way.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "interp/arithmetic/conversion.h"
#include "interp/arithmetic/floating.h"
#include "interp/arithmetic/integer.h"
#include "interp/arithmetic/rounding.h"

namespace ptxopt::interp {
namespace {

constexpr Rounding kRoundings[] = {Rounding::NearestEven, Rounding::Zero, Rounding::Down,
                                   Rounding::Up};

std::vector<std::uint32_t> words() {
  std::vector<std::uint32_t> values = {0,          1,          2,          3,          31,
                                       32,         33,         0x7f,       0x80,       0xff,
                                       0x7fff,     0x8000,     0xffff,     0x7fffffff, 0x80000000,
                                       0x80000001, 0xfffffffe, 0xffffffff, 0x12345678, 0xdeadbeef};
  std::mt19937 random(1);
  for (int k = 0; k < 20; ++k) values.push_back(static_cast<std::uint32_t>(random()));
  return values;
}

std::vector<float> floats() {
  std::vector<float> values = {0.0f,
                               -0.0f,
                               1.0f,
                               -1.0f,
                               1.5f,
                               0.1f,
                               3.0f,
                               65504.0f,
                               65520.0f,
                               0x1p-24f,
                               0x1.8p-25f,
                               0x1p-126f,
                               0x1p-149f,
                               -0x1.fffffep-127f,
                               0x1.fffffep127f,
                               -0x1.fffffep127f,
                               std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::quiet_NaN()};
  std::mt19937 random(2);
  for (int k = 0; k < 200; ++k) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  }
  return values;
}

// One bit after the other, as the manual's pseudocode has it.
template <class T>
T bfeByBits(T a, std::uint32_t b, std::uint32_t c) {
  constexpr int kTop = static_cast<int>(sizeof(T)) * 8 - 1;
  const int position = static_cast<int>(b & 0xff);
  const int length = static_cast<int>(c & 0xff);
  const auto bit = [&](int k) { return (static_cast<std::make_unsigned_t<T>>(a) >> k & 1) != 0; };
  const bool sign =
      std::is_signed_v<T> && length != 0 && bit(std::min(position + length - 1, kTop));
  std::make_unsigned_t<T> result = 0;
  for (int k = 0; k <= kTop; ++k) {
    const bool value = k < length && position + k <= kTop ? bit(position + k) : sign;
    if (value) result |= std::make_unsigned_t<T>{1} << k;
  }
  return static_cast<T>(result);
}

TEST(Integer, BitFieldsFollowThePseudocode) {
  for (const std::uint32_t a : words()) {
    for (const std::uint32_t b : {0u, 1u, 7u, 31u, 32u, 63u, 64u, 255u, 256u}) {
      for (const std::uint32_t c : {0u, 1u, 8u, 31u, 32u, 33u, 64u, 255u}) {
        const std::uint64_t wide = std::uint64_t{a} << 32 | ~a;
        EXPECT_EQ(extractField(a, b, c), bfeByBits(a, b, c));
        EXPECT_EQ(extractField(static_cast<std::int32_t>(a), b, c),
                  bfeByBits(static_cast<std::int32_t>(a), b, c));
        EXPECT_EQ(extractField(wide, b, c), bfeByBits(wide, b, c));
        EXPECT_EQ(extractField(static_cast<std::int64_t>(wide), b, c),
                  bfeByBits(static_cast<std::int64_t>(wide), b, c));
        std::uint32_t inserted = 0x5a5a1234;
        for (std::uint32_t k = 0; k < (c & 255) && (b & 255) + k < 32; ++k) {
          const std::uint32_t at = (b & 255) + k;
          inserted = (inserted & ~(1u << at)) | (k < 32 ? a >> k & 1 : 0) << at;
        }
        EXPECT_EQ(insertField(a, 0x5a5a1234u, b, c), inserted);
      }
    }
  }
}

TEST(Integer, Multiplication) {
  for (const std::uint32_t a : words()) {
    for (const std::uint32_t b : words()) {
      EXPECT_EQ(multiplyHigh(a, b), std::uint64_t{a} * b >> 32);
      const auto sa = static_cast<std::int32_t>(a);
      const auto sb = static_cast<std::int32_t>(b);
      EXPECT_EQ(multiplyHigh(sa, sb), static_cast<std::int32_t>(std::int64_t{sa} * sb >> 32));
      EXPECT_EQ(multiplyLow(sa, sb), static_cast<std::int32_t>(a * b));
      EXPECT_EQ(addSaturated(sa, sb),
                std::clamp<std::int64_t>(std::int64_t{sa} + sb, INT32_MIN, INT32_MAX));
      EXPECT_EQ(subtractSaturated(sa, sb),
                std::clamp<std::int64_t>(std::int64_t{sa} - sb, INT32_MIN, INT32_MAX));
      EXPECT_EQ(absoluteDifference(sa, sb),
                static_cast<std::int32_t>(std::abs(std::int64_t{sa} - sb)));
    }
  }
  EXPECT_EQ(product24(0xff800001u, 3u), 0x800001 * 3);
  EXPECT_EQ(product24(static_cast<std::int32_t>(0x00ffffff), 5), -5);
}

TEST(Integer, DivisionNeverTraps) {
  EXPECT_EQ(divide(INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(remainder(INT32_MIN, -1), 0);
  EXPECT_EQ(divide(7u, 0u), ~0u);
  EXPECT_EQ(remainder(7u, 0u), 7u);
  EXPECT_EQ(divide(-7, 2), -3);
  EXPECT_EQ(remainder(-7, 2), -1);
}

TEST(Integer, ShiftsClamp) {
  EXPECT_EQ(shiftLeft(1u, 31), 0x80000000u);
  EXPECT_EQ(shiftLeft(1u, 32), 0u);
  EXPECT_EQ(shiftRight(0x80000000u, 32), 0u);
  EXPECT_EQ(shiftRight(INT32_MIN, 40), -1);
  EXPECT_EQ(shiftRight(std::int16_t{-2}, 1), -1);
  EXPECT_EQ(funnelShift(0x11111111, 0x22222222, 8, true, true), 0x22222211u);
  EXPECT_EQ(funnelShift(0x11111111, 0x22222222, 8, false, true), 0x22111111u);
  EXPECT_EQ(funnelShift(0x11111111, 0x22222222, 40, true, true), 0x22222211u);
  EXPECT_EQ(funnelShift(0x11111111, 0x22222222, 40, true, false), 0x11111111u);
  EXPECT_EQ(funnelShift(0x11111111, 0x22222222, 32, false, false), 0x22222222u);
}

TEST(Integer, Bits) {
  EXPECT_EQ(findLeading(0u, false), ~0u);
  EXPECT_EQ(findLeading(1u, true), 31u);
  EXPECT_EQ(findLeading(-1, false), ~0u);
  EXPECT_EQ(findLeading(-2, false), 0u);
  EXPECT_EQ(findLeading(std::int64_t{1} << 40, false), 40u);
  EXPECT_EQ(reverseBits(0x00000003u), 0xc0000000u);
  EXPECT_EQ(findNthSet(0b10110, 1, 0), 1u);
  EXPECT_EQ(findNthSet(0b10110, 0, 0), ~0u);
  EXPECT_EQ(findNthSet(0b10110, 0, 2), 2u);
  EXPECT_EQ(findNthSet(0b10110, 4, -3), 1u);
  EXPECT_EQ(findNthSet(0b10110, 4, 2), ~0u);
  EXPECT_EQ(extendAt(0xff, 8, true, false), ~0u);
  EXPECT_EQ(extendAt(0xff, 8, false, false), 0xffu);
  EXPECT_EQ(extendAt(0x12345678, 32, true, false), 0x12345678u);
  EXPECT_EQ(extendAt(0x12345678, 32, true, true), 0u);
  EXPECT_EQ(bitMask(4, 8, false), 0xff0u);
  EXPECT_EQ(bitMask(28, 8, false), 0xf0000000u);
  EXPECT_EQ(bitMask(32, 8, false), 0u);
  EXPECT_EQ(bitMask(4, 0, false), 0u);
  EXPECT_EQ(bitMask(4, 32, false), 0xfffffff0u);
  EXPECT_EQ(bitMask(33, 33, true), 2u);
}

TEST(Integer, Lop3MatchesItsTable) {
  constexpr std::uint32_t kA = 0xf0, kB = 0xcc, kC = 0xaa;
  for (std::uint32_t table = 0; table < 256; ++table) {
    EXPECT_EQ(logic3(kA, kB, kC, table) & 0xff, table);
  }
}

TEST(Integer, Permute) {
  constexpr std::uint32_t kA = 0x33221100, kB = 0x77665544;
  EXPECT_EQ(permuteBytes(kA, kB, 0x3210, Permute::Index), kA);
  EXPECT_EQ(permuteBytes(kA, kB, 0x7654, Permute::Index), kB);
  EXPECT_EQ(permuteBytes(0x80, 0, 0x9888, Permute::Index), 0x00ffffffu);
  EXPECT_EQ(permuteBytes(kA, kB, 1, Permute::F4e), 0x44332211u);
  EXPECT_EQ(permuteBytes(kA, kB, 1, Permute::B4e), 0x66770011u);
  EXPECT_EQ(permuteBytes(kA, kB, 2, Permute::Rc8), 0x22222222u);
  EXPECT_EQ(permuteBytes(kA, kB, 1, Permute::Ecl), 0x33221111u);
  EXPECT_EQ(permuteBytes(kA, kB, 2, Permute::Ecr), 0x22221100u);
  EXPECT_EQ(permuteBytes(kA, kB, 3, Permute::Rc16), 0x33223322u);
}

TEST(Integer, DotProducts) {
  EXPECT_EQ(dotProduct4(0x01020304, false, 0x01010101, false, 5), 15u);
  EXPECT_EQ(dotProduct4(0xffffffff, true, 0x01010101, false, 0), static_cast<std::uint32_t>(-4));
  EXPECT_EQ(dotProduct2(0x00020003, false, 0x04050607, false, 1, false), 1u + 3 * 7 + 2 * 6);
  EXPECT_EQ(dotProduct2(0x0002ffff, true, 0x04050607, false, 0, true),
            static_cast<std::uint32_t>(-5 + 2 * 4));
}

TEST(Rounding, UnpackAndPackAreInverse) {
  for (const FloatFormat format : {kF16, kBF16}) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const Real value = unpack(format, bits);
      if (value.kind == Real::Class::NaN) {
        EXPECT_EQ(pack(format, value, Rounding::NearestEven), 0x7fffu);
      } else {
        ASSERT_EQ(pack(format, value, Rounding::Up), bits);
      }
    }
  }
}

// The result is the neighbour of the exact value that the rounding asks for.
TEST(Rounding, NarrowingPicksTheRightNeighbour) {
  for (const float x : floats()) {
    if (!std::isfinite(x)) continue;
    const Real exact = unpack(kF32, std::bit_cast<std::uint32_t>(x));
    const auto at = [&](Rounding rounding) { return toDouble(kF16, pack(kF16, exact, rounding)); };
    const double down = at(Rounding::Down);
    const double up = at(Rounding::Up);
    EXPECT_LE(down, x);
    EXPECT_GE(up, x);
    EXPECT_EQ(at(Rounding::Zero), x < 0 ? up : down);
    if (std::isfinite(down) && std::isfinite(up)) {
      const double near = at(Rounding::NearestEven);
      EXPECT_LE(std::fabs(near - x), std::min(x - down, up - x));
    }
  }
}

TEST(Rounding, DoubleToFloatMatchesTheHost) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 5000; ++k) {
    const double value = std::bit_cast<double>(
        k % 2 == 0 ? random() : (random() & 0x800fffffffffffffu) | (random() % 300 + 870) << 52);
    if (std::isnan(value)) continue;
    EXPECT_EQ(pack(kF32, unpack(kF64, std::bit_cast<std::uint64_t>(value)), Rounding::NearestEven),
              std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
}

TEST(Float, DirectedRoundingsEncloseTheResult) {
  for (const float a : floats()) {
    for (const float b : {0.1f, 3.0f, -0x1p-30f, 0x1.fffffep127f}) {
      if (!std::isfinite(a)) continue;
      const float down = add(a, b, Rounding::Down);
      const float up = add(a, b, Rounding::Up);
      // The sum of two floats of moderate exponents is exact in long double.
      const long double sum = static_cast<long double>(a) + static_cast<long double>(b);
      EXPECT_LE(static_cast<long double>(down), sum);
      EXPECT_GE(static_cast<long double>(up), sum);
      EXPECT_EQ(add(a, b, Rounding::NearestEven), a + b);
      const long double both = static_cast<long double>(a) * static_cast<long double>(b);
      EXPECT_LE(static_cast<long double>(multiply(a, b, Rounding::Down)), both);
      EXPECT_GE(static_cast<long double>(multiply(a, b, Rounding::Up)), both);
    }
  }
  EXPECT_EQ(divide(1.0f, 3.0f, Rounding::Down), 0x1.555554p-2f);
  EXPECT_EQ(divide(1.0f, 3.0f, Rounding::Up), 0x1.555556p-2f);
  EXPECT_EQ(squareRoot(2.0, Rounding::Zero), 0x1.6a09e667f3bccp+0);
  EXPECT_EQ(squareRoot(2.0, Rounding::Up), 0x1.6a09e667f3bcdp+0);
  EXPECT_EQ(fusedMultiplyAdd(0x1.000002p0f, 0x1.000002p0f, -1.0f, Rounding::NearestEven),
            std::fma(0x1.000002p0f, 0x1.000002p0f, -1.0f));
}

TEST(Float, NaNsAreCanonical) {
  const float nan = std::bit_cast<float>(0x7fc12345u);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(add(nan, 1.0f, Rounding::NearestEven)), kCanonicalNaN32);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(minimum(nan, nan, false)), kCanonicalNaN32);
  EXPECT_EQ(minimum(nan, 2.0f, false), 2.0f);
  EXPECT_TRUE(std::isnan(maximum(nan, 2.0f, true)));
  EXPECT_TRUE(std::signbit(minimum(0.0f, -0.0f, false)));
  EXPECT_FALSE(std::signbit(maximum(-0.0f, 0.0f, false)));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(
                add(std::bit_cast<double>(0x7ff0000000000123u), 1.0, Rounding::NearestEven)),
            0x7ff8000000000123u);
  EXPECT_EQ(saturate(std::numeric_limits<float>::quiet_NaN()), 0.0f);
  EXPECT_EQ(saturate(2.0f), 1.0f);
  EXPECT_EQ(flush(-0x1p-130f), 0.0f);
  EXPECT_TRUE(std::signbit(flush(-0x1p-130f)));
}

// Every operation on halves, rounded once from a wider exact result.
TEST(Half, RoundsOnce) {
  std::mt19937 random(5);
  for (int k = 0; k < 20000; ++k) {
    const auto a = static_cast<std::uint16_t>(random());
    const auto b = static_cast<std::uint16_t>(random());
    const auto c = static_cast<std::uint16_t>(random());
    const double x = toDouble(kF16, a);
    const double y = toDouble(kF16, b);
    const double z = toDouble(kF16, c);
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) continue;
    EXPECT_EQ(halfAdd(kF16, a, b, {}), fromDouble(kF16, x + y, Rounding::NearestEven));
    EXPECT_EQ(halfMultiply(kF16, a, b, {}), fromDouble(kF16, x * y, Rounding::NearestEven));
    // 64 bits of significand hold the exact sum unless the exponents are far apart.
    const long double sum = static_cast<long double>(x) * y + static_cast<long double>(z);
    Real exact;
    if (sum != 0) {
      int exponent = 0;
      const long double fraction = std::frexp(std::fabs(sum), &exponent);
      exact.kind = Real::Class::Finite;
      exact.significand = static_cast<std::uint64_t>(std::ldexp(fraction, 64));
      exact.exponent = exponent - 64;
      exact.negative = sum < 0;
      EXPECT_EQ(halfFma(kF16, a, b, c, {}), pack(kF16, exact, Rounding::NearestEven));
    }
  }
}

TEST(Half, DoubleRoundingIsAvoided) {
  // 1 + 2^-8 (a tie in bf16) + 2^-60: nearest-even of the sum in double would lose the last term.
  const auto bits = [](double value) {
    return static_cast<std::uint16_t>(fromDouble(kBF16, value, Rounding::NearestEven));
  };
  const std::uint16_t sum =
      halfFma(kBF16, bits(1.0 + 0x1p-7), bits(1.0 + 0x1p-7), bits(-0x1p-80), {});
  // (1 + 2^-7)^2 = 1 + 2^-6 + 2^-14, then a little less.
  EXPECT_EQ(toDouble(kBF16, sum), 1.0 + 0x1p-6);
  EXPECT_EQ(toDouble(kBF16, halfAdd(kBF16, bits(1.0), bits(0x1p-8), {})), 1.0);
  EXPECT_EQ(toDouble(kBF16, halfFma(kBF16, bits(1.0), bits(0x1p-8), bits(1.0), {})), 1.0);
  const std::uint16_t tie = halfFma(kBF16, bits(0x1p-8 + 0x1p-15), bits(1.0), bits(1.0), {});
  EXPECT_EQ(toDouble(kBF16, tie), 1.0 + 0x1p-7);
}

std::uint64_t convertTo(isa::Type to, isa::Type from, std::uint64_t bits, Rounding rounding,
                        bool saturates = false) {
  Conversion conversion;
  conversion.to = to;
  conversion.from = from;
  conversion.rounding = rounding;
  conversion.saturates = saturates;
  return convert(conversion, bits);
}

TEST(Convert, IntegersToFloatsMatchTheHost) {
  using isa::Type;
  for (const std::uint32_t a : words()) {
    const std::uint64_t wide = std::uint64_t{a} << 32 | a * 77u;
    const auto check = [&](Type from, auto value) {
      EXPECT_EQ(
          convertTo(Type::F32, from, static_cast<std::uint64_t>(value), Rounding::NearestEven),
          std::bit_cast<std::uint32_t>(static_cast<float>(value)));
      EXPECT_EQ(
          convertTo(Type::F64, from, static_cast<std::uint64_t>(value), Rounding::NearestEven),
          std::bit_cast<std::uint64_t>(static_cast<double>(value)));
    };
    check(Type::U32, a);
    check(Type::S32, static_cast<std::int32_t>(a));
    check(Type::U64, wide);
    check(Type::S64, static_cast<std::int64_t>(wide));
    check(Type::S16, static_cast<std::int16_t>(a));
  }
}

TEST(Convert, FloatsToIntegersClamp) {
  using isa::Type;
  for (const float x : floats()) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    for (const Rounding rounding : kRoundings) {
      const double rounded = rounding == Rounding::Zero   ? std::trunc(x)
                             : rounding == Rounding::Down ? std::floor(x)
                             : rounding == Rounding::Up   ? std::ceil(x)
                                                          : std::nearbyint(x);
      const double clamped = std::isnan(x) ? 0 : std::clamp(rounded, -2147483648.0, 2147483647.0);
      EXPECT_EQ(convertTo(Type::S32, Type::F32, bits, rounding),
                static_cast<std::uint32_t>(static_cast<std::int32_t>(clamped)))
          << x;
      const double positive = std::isnan(x) ? 0 : std::clamp(rounded, 0.0, 255.0);
      EXPECT_EQ(convertTo(Type::U8, Type::F32, bits, rounding),
                static_cast<std::uint64_t>(positive));
    }
  }
}

TEST(Convert, IntegersSaturate) {
  using isa::Type;
  EXPECT_EQ(convertTo(Type::S8, Type::S32, 200, Rounding::Zero, true), 127u);
  EXPECT_EQ(convertTo(Type::S8, Type::S32, static_cast<std::uint32_t>(-200), Rounding::Zero, true),
            0x80u);
  EXPECT_EQ(convertTo(Type::U8, Type::S32, static_cast<std::uint32_t>(-1), Rounding::Zero, true),
            0u);
  EXPECT_EQ(convertTo(Type::S32, Type::U32, 0xffffffff, Rounding::Zero, true), 0x7fffffffu);
  EXPECT_EQ(convertTo(Type::U8, Type::S32, 0x1ff, Rounding::Zero), 0xffu);
}

TEST(Convert, ToAnIntegralFloat) {
  Conversion conversion;
  conversion.to = conversion.from = isa::Type::F32;
  conversion.toIntegral = true;
  for (const float x : floats()) {
    if (std::isnan(x)) continue;
    const auto bits = std::bit_cast<std::uint32_t>(x);
    conversion.rounding = Rounding::NearestEven;
    EXPECT_EQ(convert(conversion, bits), std::bit_cast<std::uint32_t>(std::nearbyint(x)));
    conversion.rounding = Rounding::Zero;
    EXPECT_EQ(convert(conversion, bits), std::bit_cast<std::uint32_t>(std::trunc(x)));
    conversion.rounding = Rounding::Up;
    EXPECT_EQ(convert(conversion, bits), std::bit_cast<std::uint32_t>(std::ceil(x)));
  }
}

TEST(Convert, HalvesAgainstASearch) {
  // The nearest half is the one that no other is closer than; of two, the even one.
  for (const float x : floats()) {
    if (!std::isfinite(x) || std::fabs(x) >= 65520.0f) continue;
    const auto result = static_cast<std::uint16_t>(convertTo(
        isa::Type::F16, isa::Type::F32, std::bit_cast<std::uint32_t>(x), Rounding::NearestEven));
    const double error = std::fabs(toDouble(kF16, result) - x);
    for (const int step : {-1, 1}) {
      const auto other = static_cast<std::uint16_t>(result + step);
      const double value = toDouble(kF16, other);
      if (!std::isfinite(value)) continue;
      const double otherError = std::fabs(value - x);
      EXPECT_TRUE(error < otherError || (error == otherError && (result & 1) == 0) || value == x);
    }
  }
}

}  // namespace
}  // namespace ptxopt::interp
