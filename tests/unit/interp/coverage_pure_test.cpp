// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that touch nothing but registers, beyond those of arithmetic_test and execute_test.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "coverage.h"
#include "interp/arithmetic/floating.h"
#include "interp/arithmetic/small_float.h"

namespace ptxopt::interp {
namespace {

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

// ---- numbers of 8, 6 and 4 bits -----------------------------------------------------------------

TEST(SmallFloat, Values) {
  using F = SmallFormat;
  // The extremes that the format's definition states.
  EXPECT_EQ(toDouble(F::E4M3, 0x7e), 448.0);
  EXPECT_EQ(toDouble(F::E4M3, 0x08), std::ldexp(1.0, -6));
  EXPECT_EQ(toDouble(F::E4M3, 0x01), std::ldexp(1.0, -9));
  EXPECT_TRUE(std::isnan(toDouble(F::E4M3, 0x7f)));
  EXPECT_TRUE(std::isnan(toDouble(F::E4M3, 0xff)));
  EXPECT_EQ(toDouble(F::E5M2, 0x7b), 57344.0);
  EXPECT_EQ(toDouble(F::E5M2, 0x01), std::ldexp(1.0, -16));
  EXPECT_TRUE(std::isinf(toDouble(F::E5M2, 0xfc)));
  EXPECT_TRUE(std::isnan(toDouble(F::E5M2, 0x7d)));
  EXPECT_EQ(toDouble(F::E2M3, 0x1f), 7.5);
  EXPECT_EQ(toDouble(F::E2M3, 0x01), 0.125);
  EXPECT_EQ(toDouble(F::E3M2, 0x1f), 28.0);
  EXPECT_EQ(toDouble(F::E3M2, 0x01), 0.0625);
  const double fourBits[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (std::uint32_t k = 0; k < 8; ++k) {
    EXPECT_EQ(toDouble(F::E2M1, k), fourBits[k]);
    EXPECT_EQ(toDouble(F::E2M1, k | 8), -fourBits[k]);
  }
}

TEST(SmallFloat, RoundTripAndTies) {
  using F = SmallFormat;
  const std::pair<F, std::uint32_t> kFormats[] = {
      {F::E4M3, 256}, {F::E5M2, 256}, {F::E2M3, 64}, {F::E3M2, 64}, {F::E2M1, 16}};
  for (const auto& [format, count] : kFormats) {
    for (std::uint32_t bits = 0; bits < count; ++bits) {
      const double value = toDouble(format, bits);
      if (!std::isfinite(value)) continue;
      EXPECT_EQ(fromDouble(format, value, false), bits);
      // Half-way to the next: the even one.
      const double next = toDouble(format, bits + 1);
      if (bits % (count / 2) + 1 < count / 2 && std::isfinite(next)) {
        EXPECT_EQ(fromDouble(format, (value + next) / 2, false), bits % 2 == 0 ? bits : bits + 1);
      }
    }
    const double huge = 1e30;
    EXPECT_TRUE(std::isfinite(toDouble(format, fromDouble(format, huge, false))));
    EXPECT_EQ(fromDouble(format, -huge, true), 0u);
  }
  EXPECT_EQ(fromDouble(F::E4M3, NAN, false), 0x7fu);
  EXPECT_EQ(fromDouble(F::E5M2, NAN, false), 0x7fu);
  EXPECT_EQ(fromDouble(F::E2M3, NAN, false), 0x1fu);
  EXPECT_EQ(fromDouble(F::E2M1, NAN, false), 0x7u);
  EXPECT_EQ(fromDouble(F::E5M2, INFINITY, false), 0x7bu);
}

TEST(Coverage, SmallConversions) {
  // 1.0 is 0x38 in e4m3 and 0x3c in e5m2; a goes to the upper byte.
  EXPECT_EQ(word("cvt.rn.satfinite.e4m3x2.f32 %h1, 0f3F800000, 0fC0000000; cvt.u32.u16 %r0, %h1;"),
            0x38c0u);
  EXPECT_EQ(word("cvt.rn.satfinite.e5m2x2.f32 %h1, 0f3F800000, 0f7F800000; cvt.u32.u16 %r0, %h1;"),
            0x3c7bu);
  EXPECT_EQ(word("cvt.rn.satfinite.relu.e4m3x2.f32 %h1, 0fBF800000, 0f43E00000;"
                 "cvt.u32.u16 %r0, %h1;"),
            0x007eu);
  EXPECT_EQ(word("mov.b32 %r2, 0x3c00c000; cvt.rn.satfinite.e4m3x2.f16x2 %h1, %r2;"
                 "cvt.u32.u16 %r0, %h1;"),
            0x38c0u);
  EXPECT_EQ(word("mov.b16 %h1, 0x38c0; cvt.rn.f16x2.e4m3x2 %r0, %h1;"), 0x3c00c000u);
  EXPECT_EQ(word("mov.b16 %h1, 0x38ff; cvt.rn.f16x2.e4m3x2 %r0, %h1;"), 0x3c007fffu);
  EXPECT_EQ(word("mov.b16 %h1, 0x38c0; cvt.rn.relu.f16x2.e4m3x2 %r0, %h1;"), 0x3c000000u);
  EXPECT_EQ(word("mov.b16 %h1, 0x3c7c; cvt.rn.f16x2.e5m2x2 %r0, %h1;"), 0x3c007c00u);
  // e2m3: 1.5 is 0x0c, -0.5 is 0x24; e2m1: 6 is 7, -1 is 0xa.
  EXPECT_EQ(word("cvt.rn.satfinite.e2m3x2.f32 %h1, 0f3FC00000, 0fBF000000; cvt.u32.u16 %r0, %h1;"),
            0x0c24u);
  EXPECT_EQ(word("cvt.rn.satfinite.e2m1x2.f32 %b1, 0f41000000, 0fBF800000; cvt.u32.u8 %r0, %b1;"),
            0x7au);
}

TEST(Coverage, PackedIntegers) {
  EXPECT_EQ(word("cvt.pack.sat.s16.s32 %r0, 40000, -40000;"), 0x7fff8000u);
  EXPECT_EQ(word("cvt.pack.sat.u16.s32 %r0, 70000, -1;"), 0xffff0000u);
  EXPECT_EQ(word("cvt.pack.sat.u8.s32.b32 %r0, 300, -5, 0x12345678;"), 0x5678ff00u);
  EXPECT_EQ(word("cvt.pack.sat.s8.s32.b32 %r0, -200, 5, 0x0000beef;"), 0xbeef8005u);
  EXPECT_EQ(word("cvt.pack.sat.s4.s32.b32 %r0, 9, -9, 0x00abcdef;"), 0xabcdef78u);
}

// ---- comparisons of halves, logic with predicates, mixed precision ------------------------------

TEST(Coverage, PackedComparisons) {
  // Low halves 1 and 2, high halves 3 and 3.
  const std::string registers = "mov.b32 %r2, 0x42003c00; mov.b32 %r3, 0x42004000;";
  EXPECT_EQ(word(registers + "set.lt.u32.f16x2 %r0, %r2, %r3;"), 0x0000ffffu);
  EXPECT_EQ(word(registers + "set.ge.f16x2.f16x2 %r0, %r2, %r3;"), 0x3c000000u);
  EXPECT_EQ(word(registers + "setp.lt.f16x2 %p1|%p2, %r2, %r3; selp.u32 %r0, 1, 0, %p1;"
                             "@%p2 add.u32 %r0, %r0, 2;"),
            1u);
  EXPECT_EQ(word(registers + "mov.pred %p3, 1; setp.eq.or.f16x2 %p1|%p2, %r2, %r3, !%p3;"
                             "selp.u32 %r0, 1, 0, %p1; @%p2 add.u32 %r0, %r0, 2;"),
            2u);
  // A NaN is unordered: 0x7fff.
  EXPECT_EQ(word("mov.b32 %r2, 0x7fff3c00; set.equ.u32.f16x2 %r0, %r2, %r2;"), 0xffffffffu);
  EXPECT_EQ(word("mov.b32 %r2, 0x7fff3c00; set.eq.u32.f16x2 %r0, %r2, %r2;"), 0x0000ffffu);
  // bf16: 1.0 is 0x3f80, 2.0 is 0x4000.
  EXPECT_EQ(word("mov.b32 %r2, 0x3f804000; mov.b32 %r3, 0x40003f80;"
                 "set.gt.bf16x2.bf16x2 %r0, %r2, %r3;"),
            0x00003f80u);
}

TEST(Coverage, LogicWithPredicate) {
  const std::string a = "setp.eq.u32 %p1, 0, 0;";
  EXPECT_EQ(word(a + "lop3.or.b32 %r0|%p2, 0xf0, 0x3c, 0, 0xc0, !%p1; @%p2 add.u32 %r0, %r0, 1;"),
            0x31u);
  EXPECT_EQ(word(a + "lop3.and.b32 %r0|%p2, 0xf0, 0x0f, 0, 0xc0, %p1; @%p2 add.u32 %r0, %r0, 1;"),
            0u);
  EXPECT_EQ(word(a + "lop3.or.b32 _|%p2, 0, 0, 0, 0xc0, %p1; selp.u32 %r0, 7, 8, %p2;"), 7u);
}

TEST(Coverage, MixedPrecision) {
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  EXPECT_EQ(word("mov.b16 %h1, 0x3e00; add.f32.f16 %f0, %h1, 0f40000000; mov.b32 %r0, %f0;"),
            bits(3.5f));
  EXPECT_EQ(word("mov.b16 %h1, 0x3fc0; sub.f32.bf16 %f0, %h1, 0f40000000; mov.b32 %r0, %f0;"),
            bits(-0.5f));
  // 1.5 * -2 + 10
  EXPECT_EQ(word("mov.b16 %h1, 0x3e00; mov.b16 %h2, 0xc000;"
                 "fma.rn.f32.f16 %f0, %h1, %h2, 0f41200000; mov.b32 %r0, %f0;"),
            bits(7.0f));
  EXPECT_EQ(word("mov.b16 %h1, 0x4000; add.sat.f32.f16 %f0, %h1, 0f40000000; mov.b32 %r0, %f0;"),
            bits(1.0f));
  // 2^-24 is half a unit in the last place of 1: away from zero only upwards.
  EXPECT_EQ(word("mov.b16 %h1, 0x0001; add.rp.f32.f16 %f0, %h1, 0f3F800000; mov.b32 %r0, %f0;"),
            0x3f800001u);
  EXPECT_EQ(word("mov.b16 %h1, 0x0001; add.rz.f32.f16 %f0, %h1, 0f3F800000; mov.b32 %r0, %f0;"),
            0x3f800000u);
}

// ---- video --------------------------------------------------------------------------------------

TEST(Coverage, ScalarVideo) {
  EXPECT_EQ(word("mov.b32 %r2, 0x80ff0102; mov.b32 %r3, 0x00007fff;"
                 "vadd.s32.s32.s32 %r0, %r2.b3, %r3.h0;"),
            0x7fffu - 128);
  EXPECT_EQ(word("vadd.u32.u32.u32.sat %r0, 0xffffffff, 2;"), 0xffffffffu);
  EXPECT_EQ(word("vadd.s32.u32.u32.sat %r0, 0xffffffff, 2;"), 0x7fffffffu);
  EXPECT_EQ(word("vsub.u32.u32.u32.sat %r0, 1, 2;"), 0u);
  EXPECT_EQ(word("vsub.s32.u32.u32 %r0, 1, 2;"), 0xffffffffu);
  EXPECT_EQ(word("vabsdiff.u32.s32.s32 %r0, -5, 7;"), 12u);
  EXPECT_EQ(word("vabsdiff.u32.s32.s32.add %r0, -5, 7, 100;"), 112u);
  EXPECT_EQ(word("vmin.s32.s32.u32 %r0, -1, 0xffffffff;"), 0xffffffffu);
  EXPECT_EQ(word("vmax.u32.s32.u32 %r0, -1, 3;"), 3u);
  EXPECT_EQ(word("vadd.s32.s32.s32.min %r0, 5, 6, -3;"), static_cast<std::uint32_t>(-3));
  // The result goes into a part of d; the rest is that of c.
  EXPECT_EQ(word("mov.b32 %r4, 0x11223344; vadd.u32.u32.u32.sat %r0.b1, 200, 100, %r4;"),
            0x1122ff44u);
  EXPECT_EQ(word("mov.b32 %r4, 0x11223344; vadd.u32.u32.u32 %r0.h1, 0xffff, 2, %r4;"), 0x00013344u);
  EXPECT_EQ(word("vshl.u32.u32.u32.clamp %r0, 1, 33;"), 0u);
  EXPECT_EQ(word("vshl.u32.u32.u32.wrap %r0, 1, 33;"), 2u);
  EXPECT_EQ(word("vshl.u32.u32.u32.sat.clamp %r0, 3, 31;"), 0xffffffffu);
  EXPECT_EQ(word("vshr.s32.s32.u32.clamp %r0, -64, 3;"), static_cast<std::uint32_t>(-8));
  EXPECT_EQ(word("vset.s32.u32.lt %r0, -1, 0;"), 1u);
  EXPECT_EQ(word("vset.u32.u32.lt.add %r0, 1, 2, 41;"), 42u);
  EXPECT_EQ(word("mov.b32 %r2, 0x12345; mov.b32 %r3, 10;"
                 "vmad.s32.s32.s32 %r0, %r2.h0, %r3, 7;"),
            0x2345u * 10 + 7);
  EXPECT_EQ(word("mov.b32 %r2, 100; mov.b32 %r3, 10; vmad.s32.s32.s32.shr7 %r0, %r2, %r3, 24;"),
            1024u >> 7);
  EXPECT_EQ(word("mov.b32 %r2, 100; mov.b32 %r3, 10; mov.b32 %r4, 1;"
                 "vmad.s32.s32.s32 %r0, %r2, %r3, -%r4;"),
            999u);
  EXPECT_EQ(word("mov.b32 %r2, 100; mov.b32 %r3, 10; mov.b32 %r4, 1;"
                 "vmad.s32.s32.s32 %r0, -%r2, %r3, %r4;"),
            static_cast<std::uint32_t>(-999));
  EXPECT_EQ(word("mov.b32 %r2, 100; mov.b32 %r3, 10; vmad.u32.u32.u32.po %r0, %r2, %r3, 1;"),
            1002u);
}

// Against the sentence that defines each operation, on lanes of random words.
TEST(Coverage, VideoOfLanes) {
  std::mt19937 random(11);
  for (int k = 0; k < 12; ++k) {
    const auto next = [&] { return static_cast<std::uint32_t>(random()); };
    const std::uint32_t a = next(), b = next(), c = next();
    const std::string operands = " %r0, " + hex(a) + ", " + hex(b) + ", " + hex(c) + ";";
    const auto lanes = [&](int count, bool isSigned, auto operation) {
      const int width = 32 / count;
      std::uint32_t result = 0;
      for (int lane = 0; lane < count; ++lane) {
        const auto part = [&](std::uint32_t bits) -> int {
          const std::uint32_t value = bits >> (lane * width) & ((1u << width) - 1);
          if (!isSigned) return static_cast<int>(value);
          return static_cast<int>(value << (32 - width)) >> (32 - width);
        };
        const std::uint32_t mask = (1u << width) - 1;
        result |= (static_cast<std::uint32_t>(operation(part(a), part(b))) & mask)
                  << (lane * width);
      }
      return result;
    };
    EXPECT_EQ(word("vadd4.u32.u32.u32" + operands),
              lanes(4, false, [](int x, int y) { return x + y; }));
    EXPECT_EQ(word("vadd2.s32.s32.s32.sat" + operands),
              lanes(2, true, [](int x, int y) { return std::clamp(x + y, -32768, 32767); }));
    EXPECT_EQ(word("vsub4.u32.u32.u32.sat" + operands),
              lanes(4, false, [](int x, int y) { return std::clamp(x - y, 0, 255); }));
    EXPECT_EQ(word("vavrg4.u32.u32.u32" + operands),
              lanes(4, false, [](int x, int y) { return (x + y + 1) / 2; }));
    EXPECT_EQ(word("vmin2.s32.s32.s32" + operands),
              lanes(2, true, [](int x, int y) { return std::min(x, y); }));
    EXPECT_EQ(word("vmax4.s32.s32.s32" + operands),
              lanes(4, true, [](int x, int y) { return std::max(x, y); }));
    EXPECT_EQ(word("vset4.u32.u32.gt" + operands),
              lanes(4, false, [](int x, int y) { return x > y ? 1 : 0; }));
    std::uint32_t sum = c;
    for (int shift = 0; shift < 32; shift += 8) {
      const int x = static_cast<int>(a >> shift & 255), y = static_cast<int>(b >> shift & 255);
      sum += static_cast<std::uint32_t>(std::abs(x - y));
    }
    EXPECT_EQ(word("vabsdiff4.u32.u32.u32.add" + operands), sum);
  }
}

// ---- special registers, the stack ---------------------------------------------------------------

TEST(Coverage, SpecialRegisters) {
  EXPECT_EQ(word("mov.u32 %r0, %pm0;"), 0u);
  EXPECT_EQ(word("mov.u32 %r0, %envreg7;"), 0u);
  EXPECT_EQ(word("mov.u32 %r0, %reserved_smem_offset_end;"), 1024u);
  EXPECT_EQ(
      word("mov.v4.u32 {%r4, %r5, %r6, %r7}, %tid; shl.b32 %r5, %r5, 8; or.b32 %r0, %r4, %r5;"),
      5u);
  EXPECT_EQ(word("mov.v4.u32 {%r4, %r5, %r6, %r0}, %ntid; add.u32 %r0, %r4, %r0;"), 32u);
}

TEST(Coverage, Stack) {
  EXPECT_EQ(word("stacksave.u64 %rd4; alloca.u64 %rd5, 32, 32; st.local.u32 [%rd5+28], 17;"
                 "alloca.u64 %rd6, 8; st.local.u32 [%rd6], 18; ld.local.u32 %r0, [%rd5+28];"
                 "stackrestore.u64 %rd4;"),
            17u);
  EXPECT_EQ(word("alloca.u64 %rd5, 5, 64; cvt.u32.u64 %r0, %rd5; and.b32 %r0, %r0, 63;"), 0u);
  // What was given back is out of bounds.
  EXPECT_THROW(word("stacksave.u64 %rd4; alloca.u64 %rd5, 32, 32; stackrestore.u64 %rd4;"
                    "ld.local.u32 %r0, [%rd5+28];"),
               std::runtime_error);
}

TEST(Coverage, ReductionsOfFloats) {
  // Lane k holds k - 20.
  const std::string value = "cvt.rn.f32.u32 %f1, %r1; sub.f32 %f1, %f1, 0f41A00000;";
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  const auto reduced = [&](const std::string& operation) {
    return word(value + "redux.sync." + operation + ".f32 %f0, %f1, -1; mov.b32 %r0, %f0;");
  };
  EXPECT_EQ(reduced("min"), bits(-20.0f));
  EXPECT_EQ(reduced("max"), bits(11.0f));
  EXPECT_EQ(reduced("max.abs"), bits(20.0f));
  EXPECT_EQ(reduced("min.abs"), bits(0.0f));
  const std::string withNaN =
      "setp.eq.u32 %p1, %r1, 7; mov.f32 %f2, 0f7FFFFFFF; "
      "selp.f32 %f1, %f2, 0f3F800000, %p1; redux.sync.max";
  EXPECT_EQ(word(withNaN + ".f32 %f0, %f1, -1; mov.b32 %r0, %f0;"), bits(1.0f));
  EXPECT_EQ(word(withNaN + ".NaN.f32 %f0, %f1, -1; mov.b32 %r0, %f0;"), 0x7fffffffu);
}

TEST(Coverage, PolicyAndBreakpoint) {
  EXPECT_EQ(word("createpolicy.fractional.L2::evict_last.b64 %rd4, 0.5; brkpt;"
                 "ld.global.L2::cache_hint.u32 %r0, [%rd2], %rd4;"),
            0u);
}

}  // namespace
}  // namespace ptxopt::interp
