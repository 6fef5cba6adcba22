// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare_bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "parse/parser.h"

namespace ptxopt::gpu {
namespace {

template <class Value>
std::vector<std::uint8_t> bytesOf(const std::vector<Value>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(Value));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class Value>
ByteComparison compared(const std::vector<Value>& a, const std::vector<Value>& b,
                        const Tolerance& tolerance, const std::vector<std::size_t>& skipped = {}) {
  return compareBytes(bytesOf(a), bytesOf(b), tolerance, skipped);
}

const Tolerance kFloats{1e-5, false, false, true, false};

TEST(CompareBytes, ExactMeansEveryBit) {
  EXPECT_TRUE(compared<float>({1, 2, 3}, {1, 2, 3}, {}).isSame());
  const auto result = compared<float>({1, 2, 3}, {1, 2, std::nextafter(3.0f, 4.0f)}, {});
  EXPECT_EQ(result.firstDifference, 8u);
  EXPECT_FALSE(compared<float>({0.0f}, {-0.0f}, {}).isSame());
}

TEST(CompareBytes, CloseFloatsWithinTheTolerance) {
  const auto close = compared<float>({1000, 2}, {1000.005f, 2}, kFloats);
  EXPECT_TRUE(close.isSame());
  EXPECT_NEAR(close.largestError, 5e-6, 1e-7);
  EXPECT_FALSE(compared<float>({1000, 2}, {1000.05f, 2}, kFloats).isSame());
  // Around zero the error is absolute.
  EXPECT_TRUE(compared<float>({0}, {1e-6f}, kFloats).isSame());
  EXPECT_FALSE(compared<float>({0}, {1e-4f}, kFloats).isSame());
}

TEST(CompareBytes, SmallIntegersAreNoFloats) {
  EXPECT_FALSE(compared<std::uint32_t>({5}, {6}, kFloats).isSame());
  EXPECT_FALSE(compared<std::uint32_t>({0}, {1}, kFloats).isSame());
}

TEST(CompareBytes, NotANumberAndInfinity) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(compared<float>({nan}, {-nan}, kFloats).isSame());
  EXPECT_FALSE(compared<float>({nan}, {1}, kFloats).isSame());
  EXPECT_FALSE(compared<float>({infinity}, {3e38f}, kFloats).isSame());
  EXPECT_FALSE(compared<float>({infinity}, {-infinity}, kFloats).isSame());
}

TEST(CompareBytes, OtherFormats) {
  const Tolerance halves{1e-5, true, false, false, false};
  EXPECT_TRUE(compared<std::uint16_t>({0x3c00}, {0x3c01}, halves).isSame());
  EXPECT_FALSE(compared<std::uint16_t>({0x3c00}, {0x3c10}, halves).isSame());
  const Tolerance doubles{1e-5, false, false, false, true};
  EXPECT_TRUE(compared<double>({1.0}, {1.0 + 1e-7}, doubles).isSame());
  EXPECT_FALSE(compared<double>({1.0}, {1.0 + 1e-4}, doubles).isSame());
  EXPECT_FALSE(compared<double>({1.0}, {1.0 + 1e-4}, kFloats).isSame());
}

TEST(CompareBytes, AddressesAndSizes) {
  EXPECT_TRUE(compared<std::uint64_t>({1, 2}, {1, 9}, {}, {8}).isSame());
  EXPECT_FALSE(compared<std::uint64_t>({1, 2}, {3, 9}, {}, {8}).isSame());
  EXPECT_FALSE(compared<std::uint64_t>({1, 2}, {1}, {}).isSame());
}

Tolerance toleranceOf(const std::string& body) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n"
      ".reg .f32 %f<4>;\n.reg .f64 %d<4>;\n" +
      body + "\nret;\n}\n";
  Diagnostics diagnostics;
  const auto module = parse::parse(std::make_shared<SourceText>("t.ptx", text), diagnostics);
  return toleranceFor(*module, module->functions().front(), 1e-5);
}

TEST(ToleranceFor, ApproximateInstructionsOnly) {
  EXPECT_TRUE(toleranceOf("add.f32 %f1, %f2, %f3;\nsqrt.rn.f32 %f1, %f2;").isExact());
  const Tolerance sine = toleranceOf("sin.approx.f32 %f1, %f2;\nadd.f64 %d1, %d2, %d3;");
  EXPECT_TRUE(sine.f32 && sine.f64);
  EXPECT_FALSE(sine.f16);
  EXPECT_TRUE(toleranceOf("div.full.f32 %f1, %f2, %f3;").f32);
}

}  // namespace
}  // namespace ptxopt::gpu
