// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims of control, of barriers and of functions.
#include "audited.h"

namespace ptxopt::interp {
namespace {

using namespace facts;

class AuditControl : public Audited {};

TEST_F(AuditControl, NeverTaken) {
  use(R"(
.visible .entry k() {
  .reg .pred %p<3>;
  .reg .b32 %r<3>;
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p0, %r0, 64;
  setp.eq.u32 %p1, %r0, 5;
  @%p0 bra A;
  mov.u32 %r1, 1;
A:
  @%p1 bra B;
  mov.u32 %r1, 2;
B:
  rem.u32 %r2, %r0, 3;
  ts: .branchtargets C, D, C, E;
  brx.idx %r2, ts;
C:
D:
E:
  mov.u32 %r1, 3;
F:
  ret;
})",
      R"({"block": 64})");
  expectHolds(NeverTaken{through("@%p0 bra A")});
  expectFalse(NeverTaken{taken("@%p0 bra A")},
              "control never follows the edge from 12:3 to target 0; thread (1,0,0)");
  expectFalse(NeverTaken{taken("@%p1 bra B")}, "thread (5,0,0)");
  expectFalse(NeverTaken{through("@%p1 bra B")}, "the path through");
  expectHolds(NeverTaken{taken("brx.idx %r2, ts", 3)});
  expectFalse(NeverTaken{taken("brx.idx %r2, ts", 2)}, "thread (2,0,0)");
  expectFalse(NeverTaken{through("mov.u32 %r1, 3")}, "the path through");
}

TEST_F(AuditControl, NeverFollows) {
  use(R"(
.visible .entry k() {
  .reg .pred %p<3>;
  .reg .b32 %r<5>;
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p0, %r0, 8;
  mov.u32 %r3, 0;
  mov.u32 %r1, 1;
  @%p0 bra A;
  mov.u32 %r1, 2;
A:
  setp.eq.u32 %p1, %r1, 2;
  @%p1 bra B;
  mov.u32 %r2, 1;
B:
  add.s32 %r3, %r3, 1;
  xor.b32 %r1, %r1, 3;
  setp.lt.u32 %p2, %r3, 3;
  @%p2 bra A;
  ret;
})",
      R"({"block": 64})");
  const Edge low = taken("@%p0 bra A");
  const Edge high = through("mov.u32 %r1, 2");
  const Edge two = taken("@%p1 bra B");
  const Edge other = through("@%p1 bra B");
  // Those of the later rounds come another way.
  expectHolds(NeverFollows{low, two});
  expectHolds(NeverFollows{high, other});
  expectFalse(NeverFollows{low, other}, "right after");
  expectFalse(NeverFollows{high, two}, "right after");
  expectFalse(NeverFollows{taken("@%p2 bra A"), two}, "right after");
}

TEST_F(AuditControl, ALoopOfOneBlockFollowsItself) {
  use(R"(
.visible .entry k() {
  .reg .pred %p<3>;
  .reg .b32 %r<5>;
  mov.u32 %r0, 0;
A:
  add.s32 %r0, %r0, 1;
  setp.lt.u32 %p0, %r0, 2;
  @%p0 bra A;
  ret;
})",
      R"({"block": 32})");
  const Edge back = taken("@%p0 bra A");
  expectHolds(NeverFollows{back, back});
  expectFalse(NeverFollows{back, through("@%p0 bra A")}, "right after");
}

TEST_F(AuditControl, TogetherAndAllExecute) {
  use(R"(
.visible .entry k() {
  .reg .pred %p<3>;
  .reg .b32 %r<5>;
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, 0;
  setp.eq.u32 %p0, %r0, 40;
L:
  add.s32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 3;
  @%p1 bra L;
  @%p0 bra A;
  mov.u32 %r2, 1;
  @%p0 add.s32 %r2, %r2, 7;
A:
  mov.u32 %r3, 1;
  @%p0 exit;
  mov.u32 %r3, 2;
  ret;
})",
      R"({"grid": 2, "block": 64})");
  expectHolds(Together{at("add.s32 %r1, %r1, 1")}, 7);
  expectHolds(Together{at("mov.u32 %r3, 1")}, 7);
  // One ends before the others get there: its sequence is the beginning of theirs.
  expectHolds(Together{at("mov.u32 %r3, 2")}, 7);
  expectHolds(AllExecute{at("add.s32 %r1, %r1, 1")}, 7);
  expectHolds(AllExecute{at("mov.u32 %r3, 1")}, 7);
  expectFalse(AllExecute{at("mov.u32 %r3, 2")}, "0 times");
  expectFalse(AllExecute{at("mov.u32 %r2, 1")}, "0 times");
  // Two that take turns.
  const Survey result = survey({Together{at("mov.u32 %r2, 1")}, Together{at("mov.u32 %r3, 1")}});
  EXPECT_TRUE(result.audit.isFalse[0] || result.audit.isFalse[1]);
}

TEST_F(AuditControl, WhatHoldsWhereItIsExecuted) {
  use(R"(
.visible .entry k() {
  .reg .pred %p<3>;
  .reg .b32 %r<5>;
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p0, %r0, 8;
  @%p0 add.s32 %r1, %r0, 1;
  @!%p0 sub.s32 %r2, %r0, 1;
  ret;
})",
      R"({"block": 64})");
  const Form tid = form(0, {special(1, "%tid.x")});
  const Place low = at("@%p0 add.s32 %r1, %r0, 1");
  const Place high = at("@!%p0 sub.s32 %r2, %r0, 1");
  expectHolds(FormInBounds{low, tid, {0, 7}});
  expectHolds(FormInBounds{high, tid, {8, 63}});
  expectFalse(FormInBounds{low, tid, {0, 6}}, "it is 7 in thread (7,0,0)");
  expectFalse(FormInBounds{high, tid, {9, INT64_MAX}}, "it is 8");
  expectHolds(FormInBounds{low, form(~std::uint64_t{7}, {special(1, "%tid.x")}), {-8, -1}});
  expectHolds(FormsCompare{low, tid, form(8, {}), facts::Comparison::UnsignedLess});
  expectHolds(FormsCompare{high, tid, form(8, {}), facts::Comparison::GreaterEqual});
  expectFalse(FormsCompare{low, tid, form(3, {}), facts::Comparison::NotEqual}, "they are 3 and 3");
  expectFalse(FormsCompare{low, tid, form(0xffffffff, {}), facts::Comparison::Less}, "-1");
  expectHolds(FormsCompare{low, tid, form(0xffffffff, {}), facts::Comparison::UnsignedLess});
}

TEST_F(AuditControl, Leader) {
  use(R"(
.visible .entry k() {
  .reg .pred %p<3>;
  .reg .b32 %r<5>;
  mov.u32 %r0, %tid.x;
  elect.sync %r1|%p0, 0xffffffff;
  @%p0 add.s32 %r2, %r0, 1;
  @%p0 add.s32 %r3, %r0, 1;
  setp.eq.u32 %p1, %r0, 33;
  @%p1 add.s32 %r4, %r0, 1;
  ret;
})",
      R"({"grid": 2, "block": 64})");
  const Leader first{at("@%p0 add.s32 %r2, %r0, 1"), 0xffffffff};
  expectHolds(first, 7);
  expectFalse(Leader{at("mov.u32 %r0, %tid.x"), 0xffffffff}, "was the leader");
  // By itself there is nothing to say against it; together with the others there is.
  const Leader stranger{at("@%p1 add.s32 %r4, %r0, 1"), 0xffffffff};
  expectHolds(stranger);
  const Survey result =
      survey({first, Leader{at("@%p0 add.s32 %r3, %r0, 1"), 0xffffffff}, stranger});
  EXPECT_EQ(result.audit.isFalse, (std::vector<bool>{false, false, true}));
}

TEST_F(AuditControl, PureFunctions) {
  use(R"(
.global .u32 counter;
.const .u32 table[4] = {1, 2, 3, 4};
.func (.param .b32 s) pure(.param .b32 n) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u32 %r0, [n];
  and.b32 %r0, %r0, 3;
  mul.wide.u32 %rd0, %r0, 4;
  mov.u64 %rd1, table;
  add.s64 %rd1, %rd1, %rd0;
  ld.const.u32 %r1, [%rd1];
  st.param.b32 [s], %r1;
  ret;
}
.func (.reg .b32 %s) thread(.reg .b32 %n) {
  mov.u32 %s, %tid.x;
  ret;
}
.func (.reg .b32 %s) counts(.reg .b32 %n) {
  red.global.add.u32 [counter], 1;
  mov.u32 %s, %n;
  ret;
}
.visible .entry k() {
  .reg .b32 %r<4>;
  .param .b32 a;
  .param .b32 b;
  mov.u32 %r0, %tid.x;
  st.param.b32 [a], %r0;
  call (b), pure, (a);
  mov.u32 %r1, 5;
  call (%r2), thread, (%r1);
  call (%r2), counts, (%r1);
  ret;
})",
      R"({"block": 64})");
  function_ = "pure";
  expectHolds(PureFunction{}, 3);
  function_ = "thread";
  expectFalse(PureFunction{}, "gets other results than thread (1,0,0) of CTA (0,0,0)");
  function_ = "counts";
  expectFalse(PureFunction{}, "in a call of it");
}

// Each writes what another reads: the barriers in between are what it is about.
class AuditBarriers : public Audited {
 protected:
  static constexpr std::string_view kText = R"(
.shared .align 4 .b8 tile[512];
.visible .entry k() {
  .reg .b32 %r<9>;
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, tile;
  add.s32 %r3, %r2, %r1;
  xor.b32 %r4, %r1, 4;
  add.s32 %r4, %r4, %r2;
  st.shared.u32 [%r3], %r0;
  bar.sync 0;
  ld.shared.u32 %r5, [%r3];
  bar.sync 1;
  ld.shared.u32 %r6, [%r4];
  bar.sync 2;
  ld.shared.u32 %r7, [%r4];
  ret;
})";
  void SetUp() override { use(std::string(kText), R"({"grid": 2, "block": 64})"); }

  bool isFound(const std::vector<Barrier>& barriers, std::uint32_t schedules = 3) {
    std::vector<decltype(Claim::what)> whats(barriers.begin(), barriers.end());
    const Survey result = survey(whats, schedules);
    return result.has(FindingKind::FalseFact);
  }
  Barrier kept(std::string_view spelled) const { return {at(spelled), true, false}; }
  Barrier gone(std::string_view spelled) const { return {at(spelled), true, true}; }
};

TEST_F(AuditBarriers, OneThatStaysIsEnough) {
  EXPECT_FALSE(isFound({kept("bar.sync 0"), kept("bar.sync 1"), kept("bar.sync 2")}));
  EXPECT_FALSE(isFound({kept("bar.sync 0"), gone("bar.sync 1"), gone("bar.sync 2")}));
  EXPECT_FALSE(isFound({gone("bar.sync 0"), kept("bar.sync 1"), gone("bar.sync 2")}));
}

TEST_F(AuditBarriers, WithNoneLeftBetweenTheyConflict) {
  EXPECT_TRUE(isFound({gone("bar.sync 0"), gone("bar.sync 1"), kept("bar.sync 2")}));
  EXPECT_TRUE(isFound({gone("bar.sync 0"), gone("bar.sync 1"), gone("bar.sync 2")}, 1));
  // One that stays without separating does not help.
  EXPECT_TRUE(isFound({gone("bar.sync 0"), {at("bar.sync 1"), false, false}, kept("bar.sync 2")}));
  std::string text;
  const Survey result = survey({gone("bar.sync 0"), gone("bar.sync 1")});
  for (const Finding& finding : result.findings) text += format(*module_, finding) + "\n";
  EXPECT_NE(text.find("with no barrier that stays between"), std::string::npos) << text;
  EXPECT_NE(text.find("of CTA (0,0,0) writes it"), std::string::npos) << text;
}

TEST_F(AuditBarriers, InALoopTheNextRoundCounts) {
  use(R"(
.shared .align 4 .b8 tile[512];
.visible .entry k() {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, tile;
  add.s32 %r3, %r2, %r1;
  xor.b32 %r4, %r1, 128;
  add.s32 %r4, %r4, %r2;
  mov.u32 %r5, 0;
L:
  st.shared.u32 [%r3], %r0;
  bar.sync 0;
  ld.shared.u32 %r6, [%r4];
  bar.sync 1;
  add.s32 %r5, %r5, 1;
  setp.lt.u32 %p0, %r5, 3;
  @%p0 bra L;
  ret;
})",
      R"({"block": 64})");
  EXPECT_FALSE(isFound({kept("bar.sync 0"), kept("bar.sync 1")}, 7));
  EXPECT_TRUE(isFound({kept("bar.sync 0"), gone("bar.sync 1")}, 1));
  EXPECT_TRUE(isFound({gone("bar.sync 0"), kept("bar.sync 1")}, 1));
}

TEST_F(AuditBarriers, AllThreadsTakePartInOneOrder) {
  use(R"(
.visible .entry k() {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p0, %r0, 32;
  @%p0 bra A;
  barrier.sync 0;
  barrier.sync 1;
  ret;
A:
  barrier.sync 1, 32;
  barrier.sync 0;
  ret;
})",
      R"({"block": 64})");
  EXPECT_TRUE(isFound({kept("barrier.sync 0;\n  barrier.sync 1;"), kept("barrier.sync 1, 32")}, 1));
}

TEST_F(AuditBarriers, ACopyTouchesItsBytesAgainWhenItIsWaitedFor) {
  use(R"(
.shared .align 16 .b8 tile[512];
.visible .entry k(.param .u64 in) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [in];
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  cvt.u64.u32 %rd1, %r1;
  add.s64 %rd0, %rd0, %rd1;
  mov.u32 %r2, tile;
  add.s32 %r3, %r2, %r1;
  xor.b32 %r4, %r1, 4;
  add.s32 %r4, %r4, %r2;
  cp.async.ca.shared.global [%r3], [%rd0], 4;
  cp.async.commit_group;
  bar.sync 0;
  cp.async.wait_group 0;
  bar.sync 1;
  ld.shared.u32 %r5, [%r4];
  ret;
})",
      R"({"block": 64, "args": ["buffer:256"]})");
  EXPECT_FALSE(isFound({gone("bar.sync 0"), kept("bar.sync 1")}));
  EXPECT_TRUE(isFound({kept("bar.sync 0"), gone("bar.sync 1")}));
}

// A bulk copy comes after what is before it, but is over only where somebody waits for it.
TEST_F(AuditBarriers, TheIssueOfACopyIsBeforeNothing) {
  use(R"(
.shared .align 128 .b8 tile[512];
.visible .entry k(.param .u64 out) {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  setp.eq.u32 %p0, %r0, 0;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, tile;
  add.s32 %r3, %r2, %r1;
  st.shared.u32 [%r3], %r0;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r2], 256;
  @%p0 cp.async.bulk.commit_group;
  bar.sync 1;
  st.shared.u32 [%r3], 7;
  @%p0 cp.async.bulk.wait_group 0;
  ret;
})",
      R"({"block": 64, "args": ["buffer:256"]})");
  EXPECT_FALSE(isFound({kept("bar.sync 0"), gone("bar.sync 1")}));
  EXPECT_TRUE(isFound({gone("bar.sync 0"), kept("bar.sync 1")}));
}

}  // namespace
}  // namespace ptxopt::interp
