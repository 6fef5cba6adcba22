// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims of values: one that holds passes, one that does not is found.
#include "audited.h"

namespace ptxopt::interp {
namespace {

using namespace facts;

// Two CTAs of 64 threads; three rounds.
class AuditValues : public Audited {
 protected:
  void SetUp() override {
    use(R"(
.shared .align 4 .b8 tile[64];
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<4>;
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, 0;
  mov.u32 %r3, 40;
  setp.lt.u32 %p0, %r0, 32;
  @%p0 mov.u32 %r3, 41;
  shr.u32 %r4, %r0, 5;
L:
  add.s32 %r5, %r2, 1;
  mad.lo.s32 %r6, %r0, 4, %r5;
  mov.u32 %r2, %r5;
  setp.lt.u32 %p1, %r2, 3;
  @%p1 bra L;
  shl.b32 %r7, %r0, 31;
  mov.u32 %r8, tile;
  add.s32 %r9, %r8, 16;
  cvt.u64.u32 %rd0, %r8;
  cvta.shared.u64 %rd1, %rd0;
  ld.param.u32 %r10, [n];
  cvt.s64.s32 %rd2, %r10;
  ret;
})",
        R"({"grid": 2, "block": 64, "args": ["buffer:64", "u32:4294967294"]})");
  }
};

TEST_F(AuditValues, Uniform) {
  expectHolds(Uniform{after("add.s32 %r5, %r2, 1", "%r5")}, 7);
  expectHolds(Uniform{before("add.s32 %r5, %r2, 1", "%r2")}, 7);
  expectFalse(Uniform{after("@%p0 mov.u32 %r3, 41", "%r3")},
              "%r3 after 16:3 is the same in all threads of a CTA, visit by visit; thread (32,0,0) "
              "of CTA (0,0,0) has 40");
  expectFalse(Uniform{after("mov.u32 %r0, %tid.x", "%r0")}, "has 1");
}

TEST_F(AuditValues, WarpUniform) {
  expectHolds(WarpUniform{after("@%p0 mov.u32 %r3, 41", "%r3")}, 7);
  expectHolds(WarpUniform{after("shr.u32 %r4, %r0, 5", "%r4")}, 7);
  expectFalse(WarpUniform{after("mov.u32 %r0, %tid.x", "%r0")}, "of a warp, visit by visit");
}

TEST_F(AuditValues, Stable) {
  expectHolds(Stable{after("mov.u32 %r0, %tid.x", "%r0")});
  expectHolds(Stable{before("add.s32 %r5, %r2, 1", "%r0")});
  expectFalse(Stable{after("add.s32 %r5, %r2, 1", "%r5")},
              "is one number in each thread; thread (1,0,0) of CTA (0,0,0) has 2, and had 1");
}

TEST_F(AuditValues, OneNumber) {
  expectHolds(OneNumber{after("mov.u32 %r1, %ctaid.x", "%r1")}, 7);
  expectFalse(OneNumber{after("add.s32 %r5, %r2, 1", "%r5")}, "one number in all threads");
  expectFalse(OneNumber{after("mov.u32 %r0, %tid.x", "%r0")}, "one number in all threads");
}

TEST_F(AuditValues, InRange) {
  const facts::Value value = after("add.s32 %r5, %r2, 1", "%r5");
  expectHolds(InRange{value, {32, 1, 3, 1, 3, 0xfffffffc, 0}});
  expectFalse(InRange{value, {32, 1, 2, 1, 3, 0, 0}}, "has 3");
  expectFalse(InRange{value, {32, 2, 3, 1, 3, 0, 0}}, "has 1");
  expectFalse(InRange{value, {32, 0, 3, 1, 2, 0, 0}}, "has 3");
  expectFalse(InRange{value, {32, 0, 3, 1, 3, 2, 0}},
              "bits 0x2 0; thread (1,0,0) of CTA (0,0,0) has 2");
  expectFalse(InRange{value, {32, 0, 3, 1, 3, 0, 1}},
              "bits 0x1 1; thread (1,0,0) of CTA (0,0,0) has 2");
  const facts::Value negative = after("ld.param.u32 %r10, [n]", "%r10");
  expectHolds(InRange{negative, {32, 0, 0xffffffff, -2, -2, 0, 0}});
  expectFalse(InRange{negative, {32, 0, 0xffffffff, -1, 0, 0, 0}}, "has 4294967294 (-2)");
}

TEST_F(AuditValues, EqualsForm) {
  const facts::Value value = after("mad.lo.s32 %r6, %r0, 4, %r5", "%r6");
  const facts::Value round = after("add.s32 %r5, %r2, 1", "%r5");
  expectHolds(EqualsForm{value, form(0, {special(4, "%tid.x"), number(1, round)})});
  expectFalse(EqualsForm{value, form(0, {special(8, "%tid.x"), number(1, round)})},
              "thread (1,0,0) of CTA (0,0,0) has 5, not 9");
  // Only as many bits as the form has.
  const facts::Value shifted = after("shl.b32 %r7, %r0, 31", "%r7");
  expectHolds(EqualsForm{shifted, form(0, {}, 31)});
  expectFalse(EqualsForm{shifted, form(0, {}, 32)}, "not 0");
}

TEST_F(AuditValues, FormsOfRounds) {
  Leaf rounds;
  rounds.kind = Leaf::Kind::Rounds;
  rounds.header = at("add.s32 %r5, %r2, 1");
  rounds.backEdges = {taken("@%p1 bra L")};
  const facts::Value value = before("add.s32 %r5, %r2, 1", "%r2");
  expectHolds(EqualsForm{value, form(0, {{1, rounds}})});
  expectHolds(EqualsForm{after("mad.lo.s32 %r6, %r0, 4, %r5", "%r6"),
                         form(1, {special(4, "%tid.x"), {1, rounds}})});
  expectFalse(EqualsForm{value, form(0, {{2, rounds}})}, "has 1, not 2");
}

TEST_F(AuditValues, FormsOfAddresses) {
  Leaf tile;
  tile.kind = Leaf::Kind::Symbol;
  tile.symbol = symbol("tile");
  Leaf window;
  window.kind = Leaf::Kind::Window;
  window.space = isa::Space::Shared;
  expectHolds(EqualsForm{after("add.s32 %r9, %r8, 16", "%r9"), form(16, {{1, tile}})});
  expectFalse(EqualsForm{after("add.s32 %r9, %r8, 16", "%r9"), form(8, {{1, tile}})}, "not");
  const facts::Value generic = after("cvta.shared.u64 %rd1, %rd0", "%rd1");
  expectHolds(EqualsForm{generic, form(0, {{1, tile}, {1, window}}, 64)});
  expectFalse(EqualsForm{generic, form(0, {{1, tile}}, 64)}, "not");
}

TEST_F(AuditValues, FormsOfParametersAndExtensions) {
  Leaf parameter;
  parameter.kind = Leaf::Kind::Parameter;
  parameter.bits = 32;
  parameter.symbol = symbol("n");
  const Form narrow = form(0, {{1, parameter}});
  expectHolds(EqualsForm{after("ld.param.u32 %r10, [n]", "%r10"), narrow});
  Leaf extended;
  extended.kind = Leaf::Kind::SignExtended;
  extended.factors = {narrow};
  const facts::Value wide = after("cvt.s64.s32 %rd2, %r10", "%rd2");
  expectHolds(EqualsForm{wide, form(0, {{1, extended}}, 64)});
  extended.kind = Leaf::Kind::ZeroExtended;
  expectFalse(EqualsForm{wide, form(0, {{1, extended}}, 64)}, "not 4294967294");
  Leaf product;
  product.kind = Leaf::Kind::Product;
  product.factors = {narrow, form(3, {})};
  expectHolds(EqualsForm{after("ld.param.u32 %r10, [n]", "%r10"), form(4, {{1, product}})});
}

TEST_F(AuditValues, EqualsValue) {
  const facts::Value value = after("add.s32 %r5, %r2, 1", "%r5");
  const facts::Value other = before("add.s32 %r5, %r2, 1", "%r2");
  expectHolds(EqualsValue{value, other, 1, 32});
  expectFalse(EqualsValue{value, other, 2, 32}, "has 1, not 2");
  expectHolds(EqualsValue{before("@%p1 bra L", "%r2"), value, 0, 32});
  // Of what is never there before, nothing is known.
  expectUntried(EqualsValue{before("mov.u32 %r1, %ctaid.x", "%r0"),
                            after("cvt.s64.s32 %rd2, %r10", "%r10"), 0, 32});
}

TEST_F(AuditValues, TwoClaimsOfOnePlaceAreTwoFindings) {
  const facts::Value value = after("mov.u32 %r0, %tid.x", "%r0");
  const Survey result = survey({Uniform{value}, OneNumber{value}, Stable{value}}, 3);
  EXPECT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(result.audit.checks[2], 3u * 128);
}

TEST_F(AuditValues, AClaimOfAnInstructionThatNobodyReachesIsUntried) {
  use(R"(
.visible .entry k() {
  .reg .b32 %r<2>;
  bra END;
  mov.u32 %r0, 1;
END:
  ret;
})",
      "{}");
  expectUntried(Uniform{after("mov.u32 %r0, 1", "%r0")});
}

// A function that is called twice, and calls itself.
class AuditCalls : public Audited {
 protected:
  void SetUp() override {
    use(R"(
.func (.reg .b32 %s) sum(.reg .b32 %n) {
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  mov.u32 %s, 0;
  setp.eq.u32 %p0, %n, 0;
  @%p0 ret;
  sub.s32 %r0, %n, 1;
  call (%r1), sum, (%r0);
  add.s32 %s, %r1, %n;
  ret;
}
.visible .entry k() {
  .reg .b32 %r<4>;
  mov.u32 %r0, 3;
  call (%r1), sum, (%r0);
  call (%r2), sum, (%r1);
  ret;
})",
        R"({"block": 32})");
  }
};

TEST_F(AuditCalls, NumbersOfOneActivationAreItsOwn) {
  function_ = "sum";
  const facts::Value argument = after("sub.s32 %r0, %n, 1", "%r0");
  // After the call that is inside: of this activation, not of the one that returned.
  expectHolds(EqualsValue{before("add.s32 %s, %r1, %n", "%n"), argument, 1, 32});
  expectHolds(EqualsValue{before("add.s32 %s, %r1, %n", "%r0"), argument, 0, 32});
  expectFalse(EqualsValue{before("add.s32 %s, %r1, %n", "%n"), argument, 0, 32}, "has 1, not 0");
  expectFalse(Stable{argument}, "has 1, and had 2");
}

class AuditDead : public Audited {};

TEST_F(AuditDead, NothingReadsADeadValue) {
  use(R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  add.s32 %r1, %r0, 1;
  add.s32 %r2, %r1, 1;
  setp.eq.u32 %p0, %r0, 7;
  mov.u32 %r3, 5;
  @%p0 mov.u32 %r3, 6;
  setp.eq.u32 %p1, %r0, 9;
  @%p1 add.s32 %r4, %r3, 1;
  mov.u32 %r5, 1;
  mov.u32 %r5, 2;
  st.global.u32 [%rd0], %r5;
  ret;
})",
      R"({"block": 32, "args": ["buffer:64"]})");
  const auto ofClaims = [&](const std::vector<decltype(Claim::what)>& whats) {
    std::vector<bool> wrong;
    const Survey result = survey(whats);
    for (std::size_t k = 0; k < whats.size(); ++k) wrong.push_back(result.audit.isFalse[k]);
    return wrong;
  };
  const DeadValue first{after("mov.u32 %r5, 1", "%r5")};
  const DeadValue second{after("mov.u32 %r5, 2", "%r5")};
  EXPECT_EQ(ofClaims({first, second}), (std::vector<bool>{false, true}));
  // What reads it is dead itself, and only then does it not count.
  const DeadValue one{after("add.s32 %r1, %r0, 1", "%r1")};
  const DeadValue two{after("add.s32 %r2, %r1, 1", "%r2")};
  EXPECT_EQ(ofClaims({one, two}), (std::vector<bool>{false, false}));
  EXPECT_EQ(ofClaims({one}), (std::vector<bool>{true}));
  // A guarded definition leaves it where it is not executed; a guarded read counts where it is.
  const DeadValue kept{after("mov.u32 %r3, 5", "%r3")};
  EXPECT_EQ(ofClaims({kept}), (std::vector<bool>{true}));
  const DeadValue written{after("@%p0 mov.u32 %r3, 6", "%r3")};
  EXPECT_EQ(ofClaims({written}), (std::vector<bool>{true}));
  const DeadValue guard{after("setp.eq.u32 %p1, %r0, 9", "%p1")};
  EXPECT_EQ(ofClaims({guard}), (std::vector<bool>{true}));
  const DeadValue address{after("ld.param.u64 %rd0, [out]", "%rd0")};
  EXPECT_EQ(ofClaims({address}), (std::vector<bool>{true}));
}

TEST_F(AuditDead, AResultOfAFunctionIsRead) {
  use(R"(
.func (.reg .b32 %s) f(.reg .b32 %n) {
  .reg .b32 %r<2>;
  mov.u32 %r0, 1;
  add.s32 %s, %n, 2;
  ret;
}
.visible .entry k() {
  .reg .b32 %r<2>;
  mov.u32 %r0, 3;
  call (%r1), f, (%r0);
  ret;
})",
      "{}");
  function_ = "f";
  expectFalse(DeadValue{after("add.s32 %s, %n, 2", "%s")}, "reads it here");
  expectHolds(DeadValue{after("mov.u32 %r0, 1", "%r0")});
}

TEST_F(AuditDead, ElementsOfAVectorAreByThemselves) {
  use(R"(
.visible .entry k(.param .u64 out) {
  .reg .v2 .b32 %v;
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd0, [out];
  ld.global.v2.u32 %v, [%rd0];
  add.s32 %r0, %v.x, 1;
  st.global.u32 [%rd0], %r0;
  ret;
})",
      R"({"block": 1, "args": ["buffer:64"]})");
  facts::Value x = after("ld.global.v2.u32 %v, [%rd0]", "%v");
  x.component = 1;
  facts::Value y = x;
  y.component = 2;
  expectFalse(DeadValue{x}, "reads it here");
  expectHolds(DeadValue{y});
  expectHolds(EqualsForm{x, form(0, {})});
  expectFalse(EqualsForm{x, form(1, {})}, "not 1");
}

// Of what a wgmma writes nothing is known until a wait.
TEST_F(AuditDead, ResultsOfWgmmaAreThereAfterTheWait) {
  use(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %da, %db;
  .reg .b32 %r<2>, %d<4>;
  .shared .align 128 .b8 A[2048];
  mov.u32 %r0, %tid.x;
  shl.b32 %r0, %r0, 4;
  mov.u32 %r1, A;
  add.u32 %r0, %r0, %r1;
  st.shared.v4.b32 [%r0], {0, 0, 0, 0};
  fence.proxy.async.shared::cta;
  bar.sync 0;
  shr.u32 %r1, %r1, 4;
  cvt.u64.u32 %da, %r1;
  or.b64 %db, %da, 0x1000080000;
  mov.b32 %d0, 7;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %db, %db, 0, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  mov.b32 %r0, %d0;
  ret;
})",
      R"({"block": 128, "args": ["buffer:64"]})");
  const facts::Value product = after("wgmma.mma_async", "%d0");
  expectHolds(EqualsForm{after("mov.b32 %r0, %d0", "%r0"), form(0, {})}, 7);
  for (const std::uint64_t number : {0, 7}) {
    const Survey result = survey({EqualsForm{product, form(number, {})}}, 7);
    EXPECT_TRUE(result.findings.empty());
    EXPECT_EQ(result.audit.checks[0], 0u);
  }
}

}  // namespace
}  // namespace ptxopt::interp
