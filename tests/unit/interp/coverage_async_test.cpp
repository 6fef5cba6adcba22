// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics on vectors and on 128 bits, and what fills memory.  Asynchronous copies are in
// tests/interp/.
#include <gtest/gtest.h>

#include "coverage.h"

namespace ptxopt::interp {
namespace {

TEST(Coverage, VectorAtomics) {
  // Every lane adds to the same elements.
  const auto floats =
      as<float>(runWarp("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;"
                        "atom.global.v2.f32.add {%f3, %f4}, [%rd1], {%f1, %f2};"
                        "red.global.add.v4.f32 [%rd1+16], {%f1, %f1, %f2, %f2};"));
  EXPECT_EQ(floats[0], 32.0f);
  EXPECT_EQ(floats[1], 64.0f);
  EXPECT_EQ(floats[4], 32.0f);
  EXPECT_EQ(floats[7], 64.0f);
  // f16x2: each half by itself; 1.0 is 0x3c00, 32.0 is 0x5000, 64.0 is 0x5400.
  const auto halves = as<std::uint32_t>(
      runWarp("mov.b32 %r2, 0x40003c00; red.global.add.noftz.v2.f16x2 [%rd1], {%r2, %r2};"
              "mov.b32 %r3, 0x3f804000; red.global.max.noftz.v2.bf16x2 [%rd1+8], {%r3, %r3};"));
  EXPECT_EQ(halves[0], 0x54005000u);
  EXPECT_EQ(halves[1], 0x54005000u);
  EXPECT_EQ(halves[2], 0x3f804000u);
}

TEST(Coverage, AtomicsOf128Bits) {
  const auto words = as<std::uint64_t>(
      runWarp("mov.b64 %rd4, 5; mov.b64 %rd5, 6; mov.b128 %q1, {%rd4, %rd5};"
              "mov.b64 %rd6, 0; mov.b128 %q0, {%rd6, %rd6}; setp.ne.u32 %p1, %r1, 3; @%p1 exit;"
              "atom.global.cas.b128 %q2, [%rd1], %q0, %q1;"  // was zero: stores
              "atom.global.cas.b128 %q3, [%rd1], %q0, %q0;"  // is not: gives back
              "st.global.b128 [%rd1+16], %q3;"
              "atom.global.exch.b128 %q4, [%rd1+16], %q2;"
              "st.global.b128 [%rd1+32], %q4;"));
  EXPECT_EQ(words[0], 5u);
  EXPECT_EQ(words[1], 6u);
  EXPECT_EQ(words[2], 0u);
  EXPECT_EQ(words[3], 0u);
  EXPECT_EQ(words[4], 5u);
  EXPECT_EQ(words[5], 6u);
}

TEST(Coverage, BulkStoreOfZeros) {
  const auto words = as<std::uint32_t>(
      runWarp("setp.ne.u32 %p1, %r1, 0; @%p1 exit; mov.u32 %r2, smem; st.shared.u32 [%r2+36], 9;"
              "st.shared.u32 [%r2+40], 8; st.bulk.weak.shared::cta [%r2], 40, 0;"
              "ld.shared.u32 %r3, [%r2+36]; ld.shared.u32 %r4, [%r2+40]; add.u32 %r3, %r3, 1;"
              "st.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4], %r4;"));
  EXPECT_EQ(words[0], 1u);
  EXPECT_EQ(words[1], 8u);
}

TEST(Coverage, DiscardedBytesAreNotWhatTheyWere) {
  const auto words =
      as<std::uint32_t>(runWarp("setp.ne.u32 %p1, %r1, 0; @%p1 exit; st.global.u32 [%rd1], 7;"
                                "st.global.u32 [%rd1+128], 7; discard.global.L2 [%rd1], 128;"));
  EXPECT_NE(words[0], 7u);
  EXPECT_EQ(words[32], 7u);
}

}  // namespace
}  // namespace ptxopt::interp
