// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference itself, against the host.
#include "opcode_reference.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>

#include "opcode_table.h"

namespace ptxopt::interp {
namespace {

using namespace reference;

constexpr std::pair<Mode, int> kModes[] = {{Mode::NearestEven, FE_TONEAREST},
                                           {Mode::Zero, FE_TOWARDZERO},
                                           {Mode::Down, FE_DOWNWARD},
                                           {Mode::Up, FE_UPWARD}};

template <class F>
struct Host;
template <>
struct Host<float> {
  using Bits = std::uint32_t;
  static constexpr Format kFormat = kSingle;
};
template <>
struct Host<double> {
  using Bits = std::uint64_t;
  static constexpr Format kFormat = kDouble;
};

template <class F>
void compareWithHost() {
  using Bits = typename Host<F>::Bits;
  constexpr Format kFormat = Host<F>::kFormat;
  const Values values = floats(kFormat.exponentBits, kFormat.fractionBits, 20);
  for (const auto& [mode, hostMode] : kModes) {
    const auto same = [&, mode = mode](const char* what, F host, const Number& exact) {
      const std::uint64_t bits = encode(kFormat, exact, mode);
      if (std::isnan(host)) {
        EXPECT_TRUE(isNaN(kFormat, bits)) << what;
      } else {
        EXPECT_EQ(bits, std::bit_cast<Bits>(host)) << what;
      }
    };
    for (const std::uint64_t a : values) {
      volatile F x = std::bit_cast<F>(static_cast<Bits>(a));
      const Number nx = decode(kFormat, a);
      std::fesetround(hostMode);
      volatile F root = std::sqrt(x);
      volatile F integral = std::nearbyint(x);
      std::fesetround(FE_TONEAREST);
      same("sqrt", root, squareRoot(nx));
      same("nearbyint", integral, roundToIntegral(nx, mode));
      for (const std::uint64_t b : values) {
        volatile F y = std::bit_cast<F>(static_cast<Bits>(b));
        const Number ny = decode(kFormat, b);
        std::fesetround(hostMode);
        volatile F sum = x + y;
        volatile F product = x * y;
        volatile F quotient = x / y;
        volatile F fused = std::fma(x, y, static_cast<F>(-1.25));
        std::fesetround(FE_TONEAREST);
        same("+", sum, add(nx, ny, mode));
        same("*", product, multiply(nx, ny));
        same("/", quotient, divide(nx, ny));
        const Number c = negate(divide(fromInteger(5, false), fromInteger(4, false)));
        same("fma", fused, add(multiply(nx, ny), c, mode));
        if (nx.isNaN() || ny.isNaN()) continue;
        EXPECT_EQ(compare(nx, ny), (x > y) - (x < y));
      }
    }
  }
}

TEST(Reference, AgreesWithTheHost) {
  compareWithHost<float>();
  compareWithHost<double>();
}

TEST(Reference, RoundsToSmallFormats) {
  const auto e4m3 = [](double value, Mode mode = Mode::NearestEven) {
    return encode(kE4M3, decode(kDouble, std::bit_cast<std::uint64_t>(value)), mode);
  };
  EXPECT_EQ(e4m3(448), 0x7eu);
  EXPECT_EQ(e4m3(464), 0x7eu);
  EXPECT_EQ(e4m3(1000), 0x7eu);
  EXPECT_EQ(e4m3(-1), 0xb8u);
  EXPECT_EQ(e4m3(0x1p-9), 1u);
  EXPECT_EQ(e4m3(0x1p-10), 0u);
  EXPECT_EQ(e4m3(0x1.8p-10), 1u);
  EXPECT_EQ(encode(kE2M1, decode(kSingle, 0x40a00000), Mode::NearestEven), 6u);  // 5 is a tie
  EXPECT_EQ(encode(kE5M2, decode(kSingle, 0x47800000), Mode::NearestEven), 0x7cu);
  EXPECT_TRUE(decode(kE4M3, 0x7f).isNaN());
  EXPECT_FALSE(decode(kE2M1, 7).isNaN());
}

}  // namespace
}  // namespace ptxopt::interp
