// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions from their text to the value that they leave in a register.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "run_ptx.h"

namespace ptxopt::interp {
namespace {

// A kernel of one warp; `body` leaves its result in %rd0, which goes to the thread's 8 bytes of the
// buffer.  Registers hold: %r1 the lane, %r2 = 7, %r3 = 0xfffffff0, %rd1 = 2^40 + 3, %f1 = 1.5,
// %f2 = -2.25, %fd1 = 1e10, %h1 = 0x3e00 (1.5), %h2 = 0xc000 (-2.0).
std::vector<std::uint64_t> execute(const std::string& body, Policy policy = Policy::RoundRobin,
                                   std::uint64_t seed = 1) {
  const std::string text = R"(
.version 8.5
.target sm_90
.address_size 64
.const .align 4 .u32 table[4] = {10, 20, 30, 40};
.global .align 8 .u64 cell[4];
.func (.param .b32 result) twice(.param .b32 x)
{
  .reg .b32 %a;
  ld.param.u32 %a, [x];
  add.u32 %a, %a, %a;
  st.param.u32 [result], %a;
  ret;
}
.func (.reg .b32 result) factorial(.reg .b32 n)
{
  .reg .pred %p;
  .reg .b32 %m;
  setp.le.u32 %p, n, 1;
  @%p mov.u32 result, 1;
  @%p ret;
  sub.u32 %m, n, 1;
  call (result), factorial, (%m);
  mul.lo.u32 result, result, n;
  ret;
}
.visible .entry kernel(.param .u64 out)
{
  .reg .pred %p<8>;
  .reg .b16 %h<8>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<16>;
  .reg .f32 %f<8>;
  .reg .f64 %fd<8>;
  .shared .align 16 .b8 smem[1024];
  .local .align 16 .b8 lmem[64];
  mov.u32 %r1, %laneid;
  mov.u32 %r2, 7;
  mov.u32 %r3, 0xfffffff0;
  mov.u64 %rd0, 0;
  mov.u64 %rd1, 0x10000000003;
  mov.f32 %f1, 0f3FC00000;
  mov.f32 %f2, 0fC0100000;
  mov.f64 %fd1, 0d4202A05F20000000;
  mov.b16 %h1, 0x3e00;
  mov.b16 %h2, 0xc000;
)" + body + R"(
  ld.param.u64 %rd15, [out];
  mad.wide.u32 %rd15, %r1, 8, %rd15;
  st.global.u64 [%rd15], %rd0;
  ret;
}
)";
  const auto module = parseText("test.ptx", text);
  Launch launch;
  std::string error;
  launch.arguments.push_back(*parseArgument("buffer:256", error));
  MachineOptions options;
  options.policy = policy;
  options.seed = seed;
  const auto outcome = run(*module, launch, options, error);
  if (!outcome) throw std::runtime_error(error);
  for (const Finding& finding : outcome->findings) {
    throw std::runtime_error(format(*module, finding));
  }
  std::vector<std::uint64_t> result(32);
  std::memcpy(result.data(), outcome->memory[0].bytes.data(), 256);
  return result;
}
std::uint64_t lane5(const std::string& body) {
  return execute(body)[5];
}
std::uint64_t word(const std::string& body) {
  return lane5(body + "cvt.u64.u32 %rd0, %r0;");
}
std::uint64_t predicate(const std::string& body) {
  return word(body + "selp.u32 %r0, 1, 0, %p0;");
}
float single(const std::string& body) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(word(body + "mov.b32 %r0, %f0;")));
}

TEST(Execute, Integers) {
  EXPECT_EQ(word("add.u32 %r0, %r2, %r3;"), 0xfffffff7u);
  EXPECT_EQ(word("sub.s32 %r0, %r2, 9;"), 0xfffffffeu);
  EXPECT_EQ(word("mad.lo.s32 %r0, %r2, %r2, 1;"), 50u);
  EXPECT_EQ(lane5("mul.wide.s32 %rd0, %r3, %r2;"), static_cast<std::uint64_t>(-112));
  EXPECT_EQ(lane5("mul.wide.u32 %rd0, %r3, %r2;"), 0xfffffff0ull * 7);
  EXPECT_EQ(word("mul.hi.u32 %r0, %r3, %r3;"), 0xffffffe0u);
  EXPECT_EQ(word("shr.s32 %r0, %r3, 2;"), 0xfffffffcu);
  EXPECT_EQ(word("shr.u32 %r0, %r3, 40;"), 0u);
  EXPECT_EQ(word("bfe.s32 %r0, %r3, 4, 8;"), 0xffffffffu);
  EXPECT_EQ(word("lop3.b32 %r0, %r2, %r3, 1, 0x96;"), 7u ^ 0xfffffff0u ^ 1u);
  EXPECT_EQ(word("prmt.b32 %r0, %r2, %r3, 0x4040;"), 0xf007f007u);
  EXPECT_EQ(word("popc.b64 %r0, %rd1;"), 3u);
  EXPECT_EQ(word("min.s32 %r0, %r2, %r3;"), 0xfffffff0u);
  EXPECT_EQ(word("max.s32 %r0, %r2, %r3;"), 7u);
  EXPECT_EQ(word("add.s16x2 %r0, %r3, %r2;"), 0xfffffff7u);
  EXPECT_EQ(word("mul24.lo.u32 %r0, %r3, 2;"), 0x01ffffe0u);
  EXPECT_EQ(word("not.b32 %r0, %r2;"), ~7u);
  EXPECT_EQ(word("abs.s32 %r0, %r3;"), 16u);
  EXPECT_EQ(lane5("xor.b64 %rd0, %rd1, -1;"), ~0x10000000003ull);
}

// docs/soundness/ A5.8; the values are those in the machine code of ptxas.
TEST(Execute, Numbers) {
  EXPECT_EQ(lane5("mov.f64 %fd0, 0f3F800000; mov.b64 %rd0, %fd0;"), 0x3f800000u);
  EXPECT_EQ(lane5("add.rn.f64 %fd0, 0f3F800000, 0f3FC00000; mov.b64 %rd0, %fd0;"), 0x7f400000u);
  EXPECT_EQ(lane5("selp.f64 %fd0, 0f3F800000, 1.0, 2; mov.b64 %rd0, %fd0;"), 0x3f800000u);
  EXPECT_EQ(lane5("st.local.f64 [lmem], 0f3F800000; ld.local.u64 %rd0, [lmem];"), 0x3f800000u);
  EXPECT_EQ(lane5("st.local.v2.f64 [lmem], {1.0, 0f3F800000}; ld.local.u64 %rd0, [lmem+8];"),
            0x3f800000u);
  EXPECT_EQ(lane5("mov.b64 %rd0, 1.0;"), 0x3ff0000000000000u);
  EXPECT_EQ(lane5("mov.b64 %rd0, {0f3F800000, 0f40000000};"), 0x400000003f800000u);
  EXPECT_EQ(word("cvt.rn.f32.f64 %f0, 0f3F800000; mov.b32 %r0, %f0;"), 0u);
  EXPECT_EQ(single("mov.f32 %f0, 0d3FF0000000000000;"), 1.0f);
  EXPECT_EQ(single("mov.f32 %f0, -0.1;"), -0.1f);
  EXPECT_EQ(word("slct.u32.f32 %r0, 5, 7, 0dBFF0000000000000;"), 7u);
  EXPECT_EQ(word("mov.b32 %r0, 0f3F800000;"), 0x3f800000u);
  EXPECT_EQ(word("and.b32 %r0, 0f3F800000, 0xff000000;"), 0x3f000000u);
  EXPECT_EQ(word("mov.u16 %h0, 70000; cvt.u32.u16 %r0, %h0;"), 4464u);
  EXPECT_EQ(word("cvt.s32.s8 %r0, 200;"), 0xffffffc8u);
  EXPECT_EQ(word("mul.wide.u16 %r0, 70000, 5;"), 0x5730u);
  EXPECT_EQ(lane5("mul.wide.u32 %rd0, 0x100000003, 5;"), 15u);
  EXPECT_EQ(lane5("mov.u64 %rd0, -WARP_SZ;"), static_cast<std::uint64_t>(-32));
  EXPECT_EQ(lane5("mov.u64 %rd0, 18446744073709551617;"), 1u);
  EXPECT_EQ(predicate("mov.pred %p0, 2;"), 1u);
  EXPECT_EQ(predicate("mov.pred %p0, 0x100000000;"), 1u);
  EXPECT_EQ(predicate("mov.pred %p0, !2;"), 0u);
  EXPECT_EQ(predicate("and.pred %p0, 1, 2;"), 1u);
  EXPECT_EQ(predicate("setp.eq.xor.u32 %p0, 1, 1, 2;"), 0u);
  const std::string wide = ".reg .b128 %q; .reg .b64 %lo, %hi;";
  EXPECT_EQ(lane5(wide + "mov.b128 %q, -1; mov.b128 {%lo, %hi}, %q; mov.b64 %rd0, %hi;"), 0u);
  EXPECT_EQ(lane5(wide + "mov.b128 %q, {5, -1}; mov.b128 {%lo, %hi}, %q; mov.b64 %rd0, %hi;"),
            ~std::uint64_t{0});
  EXPECT_EQ(lane5("st.local.b64 [lmem+8], -1; st.local.b128 [lmem], -1;"
                  "ld.local.u64 %rd0, [lmem+8];"),
            0u);
}

TEST(Execute, NumbersThatPtxasRefuses) {
  for (const char* body : {"mov.f32 %f0, 1;", "st.shared.f64 [smem], 0;", "mov.u32 %r0, 1.0;",
                           "mov.b16 %h0, 0f3F800000;", "add.f16 %h0, %h1, 0x3c00;"}) {
    EXPECT_THROW(lane5(body), std::runtime_error) << body;
  }
}

TEST(Execute, CarryChains) {
  // 2^64 - 1 plus 1 by halves carries to the end.
  EXPECT_EQ(lane5("add.cc.u32 %r4, 0xffffffff, 1; addc.cc.u32 %r5, 0xffffffff, 0;"
                  "addc.u32 %r6, 0, 0; mov.b64 %rd0, {%r4, %r6};"),
            1ull << 32);
  EXPECT_EQ(lane5("sub.cc.u32 %r4, 0, 1; subc.u32 %r5, 5, 0; mov.b64 %rd0, {%r4, %r5};"),
            0x4ffffffffu);
  EXPECT_EQ(lane5("mad.lo.cc.u32 %r4, %r3, %r3, %r3; madc.hi.u32 %r5, %r3, %r3, 0;"
                  "mov.b64 %rd0, {%r4, %r5};"),
            0xfffffff0ull * 0xfffffff0ull + 0xfffffff0ull);
}

TEST(Execute, PredicatesAndComparison) {
  EXPECT_EQ(predicate("setp.lt.s32 %p0, %r3, %r2;"), 1u);
  EXPECT_EQ(predicate("setp.lt.u32 %p0, %r3, %r2;"), 0u);
  EXPECT_EQ(predicate("setp.hi.u32 %p0, %r3, %r2;"), 1u);
  EXPECT_EQ(predicate("setp.eq.u32 %p1|%p0, %r3, %r2;"), 1u);
  EXPECT_EQ(predicate("setp.eq.u32 %p1, %r2, 7; setp.eq.and.u32 %p0, %r2, 8, !%p1;"), 0u);
  EXPECT_EQ(predicate("mov.pred %p1, 1; not.pred %p0, %p1;"), 0u);
  EXPECT_EQ(predicate("setp.nan.f32 %p0, %f1, 0f7FC00000;"), 1u);
  EXPECT_EQ(predicate("setp.ltu.f32 %p0, %f1, 0f7FC00000;"), 1u);
  EXPECT_EQ(predicate("setp.ne.f32 %p0, %f1, 0f7FC00000;"), 0u);
  EXPECT_EQ(word("set.gt.u32.f32 %r0, %f1, %f2;"), 0xffffffffu);
  EXPECT_EQ(single("set.gt.f32.s32 %f0, %r2, %r3;"), 1.0f);
  EXPECT_EQ(word("slct.u32.s32 %r0, 1, 2, %r3;"), 2u);
  EXPECT_EQ(word("mov.u32 %r0, 1; setp.eq.u32 %p1, %r2, 8; @%p1 mov.u32 %r0, 2;"), 1u);
  EXPECT_EQ(word("mov.u32 %r0, 1; setp.eq.u32 %p1, %r2, 8; @!%p1 mov.u32 %r0, 2;"), 2u);
}

TEST(Execute, Floats) {
  EXPECT_EQ(single("add.f32 %f0, %f1, %f2;"), -0.75f);
  EXPECT_EQ(single("fma.rn.f32 %f0, %f1, %f2, 0f3F800000;"), -2.375f);
  EXPECT_EQ(single("add.sat.f32 %f0, %f1, %f2;"), 0.0f);
  EXPECT_EQ(single("mul.ftz.f32 %f0, 0f00400000, %f1;"), 0.0f);
  EXPECT_EQ(single("div.rz.f32 %f0, 0f3F800000, 0f40400000;"), 0x1.555554p-2f);
  EXPECT_EQ(single("sqrt.rn.f32 %f0, 0f40000000;"), std::sqrt(2.0f));
  EXPECT_EQ(single("neg.f32 %f0, %f2;"), 2.25f);
  EXPECT_EQ(single("max.f32 %f0, %f1, 0f7FC00000;"), 1.5f);
  EXPECT_EQ(single("cvt.rn.f32.f64 %f0, %fd1;"), 1e10f);
  EXPECT_EQ(single("cvt.f32.f16 %f0, %h1;"), 1.5f);
  EXPECT_NEAR(single("ex2.approx.f32 %f0, %f1;"), std::exp2(1.5f), 1e-6);
  EXPECT_NEAR(single("sin.approx.f32 %f0, %f1;"), std::sin(1.5f), 1e-6);
  EXPECT_EQ(lane5("add.rn.f64 %fd0, %fd1, %fd1; mov.b64 %rd0, %fd0;"),
            std::bit_cast<std::uint64_t>(2e10));
  EXPECT_EQ(word("add.f16 %h0, %h1, %h2; cvt.u32.u16 %r0, %h0;"), 0xb800u);
  EXPECT_EQ(word("mov.b32 %r4, {%h1, %h2}; fma.rn.f16x2 %r0, %r4, %r4, %r4;"), 0x40004380u);
  EXPECT_EQ(word("cvt.rn.f16x2.f32 %r0, %f2, %f1;"), 0xc0803e00u);
  EXPECT_EQ(word("cvt.rn.bf16x2.f32 %r0, %f2, %f1;"), 0xc0103fc0u);
}

TEST(Execute, Conversions) {
  EXPECT_EQ(word("cvt.s32.s8 %r0, %r3;"), 0xfffffff0u);
  EXPECT_EQ(word("cvt.u32.u8 %r0, %r3;"), 0xf0u);
  EXPECT_EQ(lane5("cvt.s64.s32 %rd0, %r3;"), static_cast<std::uint64_t>(-16));
  EXPECT_EQ(word("cvt.rni.s32.f32 %r0, %f2;"), static_cast<std::uint32_t>(-2));
  EXPECT_EQ(word("cvt.rpi.s32.f32 %r0, %f1;"), 2u);
  EXPECT_EQ(word("cvt.rzi.u32.f32 %r0, %f2;"), 0u);
  EXPECT_EQ(single("cvt.rmi.f32.f32 %f0, %f2;"), -3.0f);
  EXPECT_EQ(single("cvt.rn.f32.s32 %f0, %r3;"), -16.0f);
  EXPECT_EQ(word("cvt.sat.s8.s32 %r0, 300;"), 127u);
}

TEST(Execute, PackingAndVectors) {
  EXPECT_EQ(lane5("mov.b64 %rd0, {%r2, %r3};"), 0xfffffff000000007u);
  EXPECT_EQ(word("mov.b64 {%r4, %r0}, %rd1;"), 0x100u);
  EXPECT_EQ(word("mov.b32 %r0, {%h1, %h2};"), 0xc0003e00u);
  EXPECT_EQ(word("mov.b64 {_, %r0}, %rd1;"), 0x100u);
}

TEST(Execute, Memory) {
  EXPECT_EQ(word("mov.u32 %r4, smem; mad.lo.u32 %r4, %r1, 16, %r4;"
                 "st.shared.v4.u32 [%r4], {%r2, %r3, %r1, 9}; ld.shared.u32 %r0, [%r4+12];"),
            9u);
  EXPECT_EQ(word("mov.u32 %r4, smem; mad.lo.u32 %r4, %r1, 16, %r4;"
                 "st.shared.u32 [%r4], %r3; ld.shared.s8 %r0, [%r4];"),
            0xfffffff0u);
  EXPECT_EQ(word("ld.const.u32 %r0, [table+8];"), 30u);
  EXPECT_EQ(word("st.local.u32 [lmem+4], %r2; cvta.local.u64 %rd2, 0; mov.u64 %rd3, lmem;"
                 "cvta.local.u64 %rd3, %rd3; ld.u32 %r0, [%rd3+4];"),
            7u);
  EXPECT_EQ(word("mov.u64 %rd2, smem; cvta.shared.u64 %rd2, %rd2; mad.wide.u32 %rd2, %r1, 4, %rd2;"
                 "st.u32 [%rd2], %r1; ld.u32 %r0, [%rd2];"),
            5u);
  EXPECT_EQ(word("mov.u32 %r4, smem; mad.lo.u32 %r4, %r1, 16, %r4; st.shared.u32 [%r4], 3;"
                 "atom.shared.add.u32 %r5, [%r4], 4; ld.shared.u32 %r6, [%r4];"
                 "mad.lo.u32 %r0, %r5, 10, %r6;"),
            37u);
  EXPECT_EQ(word("mov.u32 %r4, smem; mad.lo.u32 %r4, %r1, 16, %r4; st.shared.u32 [%r4], 3;"
                 "atom.shared.cas.b32 %r5, [%r4], 3, 8; atom.shared.inc.u32 %r0, [%r4], 8;"),
            8u);
}

TEST(Execute, AtomicsAddUp) {
  const auto result = execute("atom.global.add.u64 %rd0, [cell], 1;");
  std::uint64_t sum = 0;
  for (const std::uint64_t old : result) sum += old;
  EXPECT_EQ(sum, 31u * 32 / 2);
}

// All sources are read before a result is written: %f2 is a source of the second element.
TEST(Execute, AtomicsOfVectorsOverTheirSources) {
  const auto result = execute(
      "setp.eq.u32 %p1, %r1, 0;"
      "@%p1 atom.global.add.v2.f32 {%f2, %f3}, [cell], {%f1, %f2};"
      "@%p1 ld.global.b64 %rd0, [cell];");
  EXPECT_EQ(result[0], std::uint64_t{std::bit_cast<std::uint32_t>(-2.25f)} << 32 |
                           std::bit_cast<std::uint32_t>(1.5f));
}

TEST(Execute, Warp) {
  EXPECT_EQ(word("shfl.sync.idx.b32 %r0, %r1, 9, 31, -1;"), 9u);
  EXPECT_EQ(word("shfl.sync.bfly.b32 %r0, %r1, 3, 31, -1;"), 6u);
  EXPECT_EQ(word("shfl.sync.down.b32 %r0|%p0, %r1, 2, 0x1807, -1; selp.u32 %r0, %r0, 99, %p0;"),
            7u);
  EXPECT_EQ(word("shfl.sync.up.b32 %r0|%p0, %r1, 6, 0, -1; selp.u32 %r0, %r0, 99, %p0;"), 99u);
  EXPECT_EQ(word("setp.lt.u32 %p1, %r1, 3; vote.sync.ballot.b32 %r0, %p1, -1;"), 7u);
  EXPECT_EQ(predicate("setp.lt.u32 %p1, %r1, 3; vote.sync.any.pred %p0, %p1, -1;"), 1u);
  EXPECT_EQ(word("shr.u32 %r4, %r1, 3; match.any.sync.b32 %r0, %r4, -1;"), 0xffu);
  EXPECT_EQ(word("redux.sync.add.u32 %r0, %r1, -1;"), 31u * 32 / 2);
  EXPECT_EQ(word("elect.sync %r0|%p0, -1;"), 0u);
  EXPECT_EQ(
      word("mov.u32 %r0, 0; setp.gt.u32 %p1, %r1, 3; @!%p1 bra skip; activemask.b32 %r0; skip:"),
      0xfffffff0u);
  EXPECT_EQ(word("setp.eq.u32 %p1, %r1, 2; bar.red.popc.u32 %r0, 0, %p1;"), 1u);
  EXPECT_EQ(predicate("setp.lt.u32 %p1, %r1, 99; bar.red.and.pred %p0, 0, %p1;"), 1u);
}

// It is one thread, the same for a mask in one run, and not always the first one.
TEST(Execute, Elections) {
  const std::string elect =
      "elect.sync %r4|%p1, -1; selp.u32 %r5, 1, 0, %p1; elect.sync %r6|%p2, -1;"
      "selp.u32 %r7, 1, 0, %p2; sub.u32 %r8, %r4, %r6; sub.u32 %r9, %r5, %r7; or.b32 %r8, %r8, %r9;"
      "setp.ne.u32 %p3, %r8, 0; vote.sync.ballot.b32 %r0, %p1, -1;"
      "@%p3 mov.u32 %r0, 0; cvt.u64.u32 %rd0, %r0;";
  std::set<std::uint64_t> leaders;
  for (const Policy policy : kPolicies) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const std::vector<std::uint64_t> results = execute(elect, policy, seed);
      EXPECT_TRUE(std::has_single_bit(results[0]));
      EXPECT_EQ(std::set(results.begin(), results.end()).size(), 1u);
      leaders.insert(results[0]);
    }
  }
  EXPECT_TRUE(leaders.contains(1));
  EXPECT_TRUE(leaders.contains(0x80000000));
  EXPECT_GE(leaders.size(), 4u);
}

TEST(Execute, ControlAndCalls) {
  EXPECT_EQ(word("{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;"
                 "call (b), twice, (a); ld.param.b32 %r0, [b]; }"),
            14u);
  EXPECT_EQ(word("call (%r0), factorial, (%r1);"), 120u);
  EXPECT_EQ(word("mov.u32 %r0, 0; and.b32 %r4, %r1, 3; targets: .branchtargets a, b;"
                 "setp.gt.u32 %p1, %r4, 1; @%p1 bra end; brx.idx %r4, targets;"
                 "a: mov.u32 %r0, 11; bra end; b: mov.u32 %r0, 22; end:"),
            22u);
  EXPECT_EQ(word("mov.u32 %r0, 0; again: add.u32 %r0, %r0, %r2; setp.lt.u32 %p1, %r0, 100;"
                 "@%p1 bra again;"),
            105u);
  EXPECT_EQ(word("mov.u64 %rd2, twice; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;"
                 "proto: .callprototype (.param .b32 _) _ (.param .b32 _);"
                 "call (b), %rd2, (a), proto; ld.param.b32 %r0, [b]; }"),
            10u);
}

// Lanes of a warp that run together and lanes that run alone compute the same: all policies but
// round robin run each thread by itself.
TEST(Execute, LanesTogetherAndAlone) {
  const std::vector<std::string> bodies = {
      // Stacks of different depth, which grow while others use theirs.
      "call (%r0), factorial, (%r1); cvt.u64.u32 %rd0, %r0;",
      "rem.u32 %r4, %r1, 3; setp.eq.u32 %p1, %r4, 1; mul.lo.u32 %r5, %r1, 37;"
      "@%p1 call (%r5), factorial, (%r1); @!%p1 call (%r0), factorial, (%r5);"
      "add.u32 %r0, %r0, %r5; cvt.u64.u32 %rd0, %r0;",
      // Every third lane goes another way, and meets the others in a loop.
      "rem.u32 %r4, %r1, 3; setp.eq.u32 %p1, %r4, 0; mov.u32 %r0, 0; @%p1 bra other;"
      "next: add.u32 %r0, %r0, %r1; setp.lt.u32 %p2, %r0, 100; setp.eq.u32 %p3, %r1, 0;"
      "@!%p3 bra on; mov.u32 %r0, 200; on: @%p2 bra next; bra done;"
      "other: mad.lo.u32 %r0, %r1, %r1, 5; bra next; done: cvt.u64.u32 %rd0, %r0;",
      // Guards that hold for some.
      "and.b32 %r4, %r1, 5; setp.ne.u32 %p1, %r4, 1; mov.u32 %r0, 3; @%p1 mul.lo.u32 %r0, %r1, 9;"
      "@!%p1 sub.u32 %r0, %r0, %r1; cvt.u64.u32 %rd0, %r0;"};
  for (const std::string& body : bodies) {
    const auto together = execute(body);
    for (const Policy policy : kPolicies) EXPECT_EQ(execute(body, policy), together) << body;
  }
}

// Loads and stores of a warp: lane l to `first + step * l`, modulo 1,024 bytes.
TEST(Execute, AccessesTogetherAndAlone) {
  const auto addresses = [](int first, int step) {
    return "mov.u32 %r4, smem; mad.lo.s32 %r5, %r1, " + std::to_string(step) + ", " +
           std::to_string(first) + "; and.b32 %r5, %r5, 1023; add.u32 %r4, %r4, %r5;";
  };
  const std::string fill =
      "shl.b32 %r6, %r1, 2; mov.u32 %r7, smem; add.u32 %r7, %r7, %r6; mov.u32 %r8, 0;"
      "more: mad.lo.u32 %r9, %r8, 77, %r1; mul.lo.u32 %r9, %r9, 0x01010307;"
      "st.shared.u32 [%r7], %r9; add.u32 %r7, %r7, 128; add.u32 %r8, %r8, 1;"
      "setp.lt.u32 %p1, %r8, 8; @%p1 bra more; bar.warp.sync 0xffffffff;";
  for (const int size : {1, 2, 4, 8}) {
    for (const int step : {0, size, -size, 2 * size, 16 * size, 33 * size}) {
      const std::string type = ".u" + std::to_string(8 * size);
      const std::string at = addresses(step < 0 ? 512 : 2 * size, step);
      const std::string loaded = size == 8   ? "mov.u64 %rd0, %rd2;"
                                 : size == 4 ? "cvt.u64.u32 %rd0, %r10;"
                                             : "cvt.u64.u16 %rd0, %h3;";
      const std::string to = size == 8 ? "%rd2" : size == 4 ? "%r10" : "%h3";
      const std::string load =
          fill + at + "ld.shared" + type + " " + to + ", [%r4]; bar.warp.sync 0xffffffff;" + loaded;
      const auto together = execute(load);
      EXPECT_EQ(execute(load, Policy::LaneByLane), together) << load;
      std::set<std::uint64_t> different(together.begin(), together.end());
      EXPECT_EQ(different.size() == 1, step == 0) << load;
      if (step == 0 || 32 * std::abs(step) > 1024) continue;  // several lanes would store there
      const std::string from = size == 8 ? "%rd3" : size == 4 ? "%r11" : "%h4";
      const std::string store =
          fill +
          "mul.wide.u32 %rd3, %r1, 0x7654321; cvt.u32.u64 %r11, %rd3; cvt.u16.u32 %h4, %r11;" + at +
          "st.shared" + type + " [%r4], " + from + "; bar.warp.sync 0xffffffff;" + addresses(0, 8) +
          "ld.shared.u64 %rd0, [%r4];";
      EXPECT_EQ(execute(store, Policy::LaneByLane), execute(store)) << store;
    }
  }
}

TEST(Execute, WhatIsAbsentSaysSo) {
  try {
    execute("tcgen05.cp.cta_group::1.128x128b.b8x16.b4x16_p64 [%r0], %rd0;");
    FAIL() << "it ran";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("'tcgen05.cp"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("test.ptx:"), std::string::npos);
  }
}

}  // namespace
}  // namespace ptxopt::interp
