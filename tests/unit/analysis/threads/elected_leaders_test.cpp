// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/threads/elected_leaders.h"

#include <gtest/gtest.h>

#include "analysis/addresses/address.h"
#include "analysis/addresses/alias.h"
#include "value_text.h"

namespace ptxopt::analysis {
namespace {

// For each store whether only leaders of elections execute it, and with which mask: "a" for all 32
// lanes, "l" for the lower 16, "-" where others may.
std::string answers(const std::string& body, const std::string& attributes = ".reqntid 128",
                    const std::string& before = "") {
  test::ValueFunction f(R"(
    .reg .pred %p<9>; .reg .b16 %h<4>; .reg .b32 %r<12>; .reg .b64 %rd<3>;
    mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; setp.eq.u32 %p1, %r2, 3;
    setp.gt.u32 %p2, %r1, 40; setp.ge.u32 %p3, %r1, 32; shr.u32 %r3, %r1, 5;
  )" + body,
                        attributes, ".shared .align 4 .b8 A[64];\n" + before, ".param .u32 n");
  std::string text;
  const auto& addresses = f.analyses().get<Addresses>();
  for (const Access& access : addresses.all()) {
    if (!access.instruction->desc->is(isa::kMemoryWrite)) continue;
    text += access.electionMask == 0 ? '-' : access.electionMask == 0xffff ? 'l' : 'a';
  }
  return text;
}

const std::string kElect = "elect.sync _|%p8, -1;";
const std::string kStore = "@%p8 st.shared.u32 [A], 1;";

TEST(ElectedLeaders, ThePredicate) {
  EXPECT_EQ(answers(kElect + kStore + "st.shared.u32 [A], 1; @!%p8 st.shared.u32 [A], 1; ret;"),
            "a--");
  EXPECT_EQ(answers("elect.sync %r9|%p8, 0xffff; @%p8 st.shared.u32 [A], %r9; ret;"), "l");
  EXPECT_EQ(answers("mov.u32 %r8, -1; elect.sync %r9|%p8, %r8; " + kStore + "ret;"), "a");
  EXPECT_EQ(answers("elect.sync %r9|%p8, %r2; " + kStore + "ret;"), "-");
  EXPECT_EQ(answers(kElect + "@%p8 bra L; st.shared.u32 [A], 1; L: st.shared.u32 [A], 1; ret;"),
            "--");
  EXPECT_EQ(answers(kElect + "@!%p8 bra L; st.shared.u32 [A], 1; @%p1 bra M; st.shared.u32 [A], 1;"
                             "M: st.shared.u32 [A], 1; L: ret;"),
            "aaa");
}

TEST(ElectedLeaders, WhatIsMadeOfThePredicate) {
  const auto of = [](const std::string& code) {
    return answers(kElect + code + "@%p7 st.shared.u32 [A], 1; @!%p7 st.shared.u32 [A], 1; ret;");
  };
  EXPECT_EQ(of("mov.pred %p7, %p8;"), "a-");
  EXPECT_EQ(of("not.pred %p7, %p8;"), "-a");
  EXPECT_EQ(of("and.pred %p7, %p1, %p8;"), "a-");
  EXPECT_EQ(of("and.pred %p7, %p1, !%p8;"), "--");
  EXPECT_EQ(of("or.pred %p7, %p1, %p8;"), "--");
  EXPECT_EQ(of("or.pred %p7, %p1, !%p8;"), "-a");
  EXPECT_EQ(of("xor.pred %p7, %p1, %p8;"), "--");
  EXPECT_EQ(of("selp.u32 %r8, 1, 0, %p8; setp.ne.u32 %p7, %r8, 0;"), "a-");
  EXPECT_EQ(of("selp.u32 %r8, 1, 0, %p8; setp.eq.u32 %p7, %r8, 0;"), "-a");
  EXPECT_EQ(of("selp.u32 %r8, 1, 0, %p8; setp.eq.u32 %p7, %r8, %r2;"), "--");
  EXPECT_EQ(of("selp.u32 %r8, 1, 1, %p8; setp.eq.u32 %p7, %r8, 1;"), "--");
  EXPECT_EQ(of("selp.u32 %r8, 5, %r2, %p8; setp.eq.u32 %p7, %r8, 5;"), "--");
  EXPECT_EQ(of("mov.u32 %r8, 0; @%p8 mov.u32 %r8, 1; setp.ne.u32 %p7, %r8, 0;"), "a-");
  EXPECT_EQ(of("mov.u32 %r8, 1; @!%p8 mov.u32 %r8, 0; setp.ne.u32 %p7, %r8, 0;"), "a-");
  EXPECT_EQ(of("mov.u32 %r8, 0; @%p8 mov.u32 %r8, 1; @%p1 mov.u32 %r8, 1;"
               "setp.ne.u32 %p7, %r8, 0;"),
            "--");
  EXPECT_EQ(of("selp.u32 %r8, 1, 0, %p8; cvt.u16.u32 %h1, %r8; and.b16 %h2, %h1, 255;"
               "setp.ne.s16 %p7, %h2, 0;"),
            "a-");
  EXPECT_EQ(of("selp.u32 %r8, 1, 0, %p8; and.b32 %r8, %r8, %r2; setp.ne.u32 %p7, %r8, 0;"), "a-");
  EXPECT_EQ(of("selp.u32 %r8, 1, 0, %p8; or.b32 %r8, %r8, %r2; setp.ne.u32 %p7, %r8, 0;"), "--");
  EXPECT_EQ(of("setp.ne.and.u32 %p7, %r2, 0, %p8;"), "--");
  EXPECT_EQ(of("or.pred %p7, %p8, %p8;"), "a-");
  EXPECT_EQ(of("xor.pred %p7, %p8, %p8;"), "a-");
  EXPECT_EQ(of("xor.pred %p7, %p8, !%p8;"), "-a");
  EXPECT_EQ(of("not.pred %p6, %p8; not.pred %p7, %p6;"), "a-");
  EXPECT_EQ(of("selp.u32 %r8, 1, 0, %p8; shl.b32 %r8, %r8, 1; setp.ne.u32 %p7, %r8, 0;"), "a-");
  EXPECT_EQ(of("selp.u32 %r8, 1, 0, !%p8; setp.eq.u32 %p7, %r8, 0;"), "a-");
}

TEST(ElectedLeaders, WhatIsNotKnownOfTheRest) {
  const auto of = [](const std::string& code) {
    return answers(".reg .f32 %f<3>;" + kElect + code +
                   "@%p7 st.shared.u32 [A], 1; @!%p7 st.shared.u32 [A], 1; ret;");
  };
  const std::string number = "selp.u32 %r8, 1, 0, %p8;";
  // All threads have it, leaders or not.
  EXPECT_EQ(of("setp.eq.u32 %p7, 1, 1;"), "--");
  EXPECT_EQ(of("setp.eq.u32 %p7, %r2, 1;"), "--");
  EXPECT_EQ(of("mov.u32 %r8, %laneid; setp.eq.u32 %p7, %r8, 0;"), "--");
  EXPECT_EQ(of("setp.eq.u32 %p7, %r9, 0;"), "--");  // nothing defines it
  // The result that is the leader's lane.
  EXPECT_EQ(of("elect.sync %r9|%p6, -1; setp.eq.u32 %p7, %r9, 0;"), "--");
  // Operations that are not computed here, or have no result.
  EXPECT_EQ(of(number + "add.sat.s32 %r8, %r8, 0; setp.ne.u32 %p7, %r8, 0;"), "--");
  EXPECT_EQ(of(number + "brev.b32 %r8, %r8; setp.ne.u32 %p7, %r8, 0;"), "--");
  EXPECT_EQ(of(number + "div.u32 %r8, 1, %r8; setp.ne.u32 %p7, %r8, 0;"), "--");
  EXPECT_EQ(of(number + "mov.b32 {%h1, %h2}, %r8; setp.ne.u16 %p7, %h1, 0;"), "--");
  EXPECT_EQ(of(number + "future.u32 %r8, %r8; setp.ne.u32 %p7, %r8, 0;"), "--");
  // Floats, and numbers that another type makes another.
  EXPECT_EQ(of("selp.f32 %f1, 0f3f800000, 0f00000000, %p8; setp.ne.f32 %p7, %f1, 0f00000000;"),
            "--");
  EXPECT_EQ(of(number + "cvt.rn.f32.u32 %f1, %r8; cvt.rzi.u32.f32 %r8, %f1;"
                        "setp.ne.u32 %p7, %r8, 0;"),
            "--");
  EXPECT_EQ(of("selp.u32 %r8, 1, 255, %p8; cvt.s32.s8 %r8, %r8; setp.eq.s32 %p7, %r8, 1;"), "--");
  // Guards of which nothing is known.
  EXPECT_EQ(of("mov.u32 %r8, 0; @%p1 mov.u32 %r8, 1; setp.ne.u32 %p7, %r8, 0;"), "--");
  EXPECT_EQ(of("mov.u32 %r8, %r2; @%p8 mov.u32 %r8, 1; setp.ne.u32 %p7, %r8, 0;"), "--");
  EXPECT_EQ(of("mov.u32 %r8, 0; @!%p8 mov.u32 %r8, %r2; setp.ne.u32 %p7, %r8, 0;"), "--");
  // Two elections among different lanes.
  const std::string half = "elect.sync _|%p6, 0xffff;";
  EXPECT_EQ(of(half + "or.pred %p7, %p6, %p8;"), "--");
  EXPECT_EQ(of(half + "mov.u32 %r8, 0; @%p8 mov.u32 %r8, 1; @%p6 mov.u32 %r8, 1;"
                      "setp.ne.u32 %p7, %r8, 0;"),
            "--");
  EXPECT_EQ(of(half + number + "selp.u32 %r8, 1, %r8, %p6; setp.ne.u32 %p7, %r8, 0;"), "--");
  EXPECT_EQ(of(half + number + "selp.u32 %r9, 1, 0, %p6; setp.ne.u32 %p7, %r8, %r9;"), "--");
}

TEST(ElectedLeaders, Phis) {
  const auto of = [](const std::string& otherwise) {
    return answers("mov.u32 %r8, " + otherwise + "; @%p3 bra L;" + kElect +
                   "selp.u32 %r8, 1, 0, %p8; L: setp.ne.u32 %p7, %r8, 0;"
                   "@%p7 st.shared.u32 [A], 1; ret;");
  };
  EXPECT_EQ(of("0"), "a");
  EXPECT_EQ(of("1"), "-");
  EXPECT_EQ(of("%r2"), "-");
  // Of two masks.
  EXPECT_EQ(answers("@%p1 bra L; elect.sync _|%p8, -1; bra M; L: elect.sync _|%p8, 0xffff;"
                    "M: @%p8 st.shared.u32 [A], 1; ret;"),
            "-");
  EXPECT_EQ(answers("@%p1 bra L; elect.sync _|%p8, -1; bra M; L: elect.sync _|%p8, -1;"
                    "M: @%p8 st.shared.u32 [A], 1; ret;"),
            "a");
}

// docs/soundness/ C8(i).3
TEST(ElectedLeaders, AllOfTheWarpAreThere) {
  const std::string elected = kElect + kStore;
  EXPECT_EQ(answers("@%p1 bra L;" + elected + "L: ret;"), "a");
  EXPECT_EQ(answers("@%p2 bra L;" + elected + "L: ret;"), "-");
  EXPECT_EQ(answers("@%p3 bra L;" + elected + "L: ret;"), "a");
  EXPECT_EQ(answers("@%p3 bra L;" + elected + "L: ret;", ""), "-");
  EXPECT_EQ(answers("@%p3 bra L;" + elected + "L: ret;", ".reqntid 48, 2"), "-");
  EXPECT_EQ(answers("@%p3 bra L;" + elected + "L: ret;", ".reqntid 64, 2"), "a");
  EXPECT_EQ(answers("setp.eq.u32 %p4, %r3, %r2; @%p4 bra L;" + elected + "L: ret;"), "a");
  EXPECT_EQ(answers("setp.le.u32 %p4, %r1, 63; @%p4 bra L;" + elected + "L: ret;"), "a");
  EXPECT_EQ(answers("setp.le.u32 %p4, %r1, 64; @%p4 bra L;" + elected + "L: ret;"), "-");
  EXPECT_EQ(answers("setp.gt.u32 %p4, 64, %r1; @%p4 bra L;" + elected + "L: ret;"), "a");
  EXPECT_EQ(
      answers("xor.b32 %r8, %r1, 31; setp.lt.u32 %p4, %r8, 32; @%p4 bra L;" + elected + "L: ret;"),
      "a");
  EXPECT_EQ(
      answers("and.b32 %r8, %r1, 63; setp.lt.u32 %p4, %r8, 32; @%p4 bra L;" + elected + "L: ret;"),
      "-");
  EXPECT_EQ(answers("@%p1 " + kElect + kStore + "ret;"), "-");
}

TEST(ElectedLeaders, NoneHasEnded) {
  const std::string elected = kElect + kStore;
  EXPECT_EQ(answers("@%p1 exit;" + elected + "ret;"), "a");
  EXPECT_EQ(answers("@%p2 exit;" + elected + "ret;"), "-");
  EXPECT_EQ(answers("@%p3 exit;" + elected + "ret;"), "a");
  EXPECT_EQ(answers("@%p2 trap;" + elected + "ret;"), "a");
  EXPECT_EQ(answers(elected + "@%p2 exit; ret;"), "a");
  const std::string exits =
      ".func f() { .reg .b32 %t; .reg .pred %p; mov.u32 %t, %tid.x;"
      "setp.eq.u32 %p, %t, 1; @%p exit; ret; }\n";
  EXPECT_EQ(answers("call f;" + elected + "ret;", ".reqntid 128", exits), "-");
  const std::string prints =
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n";
  EXPECT_EQ(answers("{ .param .b64 a; .param .b64 b; .param .b32 r;"
                    "call (r), vprintf, (a, b); }" +
                        elected + "ret;",
                    ".reqntid 128", prints),
            "a");
}

TEST(ElectedLeaders, Loops) {
  const std::string elected = kElect + kStore;
  EXPECT_EQ(answers("mov.u32 %r8, 0; L:" + elected +
                    "add.u32 %r8, %r8, 1;"
                    "setp.lt.u32 %p4, %r8, %r2; @%p4 bra L; ret;"),
            "a");
  EXPECT_EQ(answers("mov.u32 %r8, 0; L:" + elected +
                    "add.u32 %r8, %r8, 1;"
                    "setp.lt.u32 %p4, %r8, %r1; @%p4 bra L; ret;"),
            "-");
  EXPECT_EQ(answers("mov.u32 %r8, 0; L: add.u32 %r8, %r8, 1;"
                    "setp.lt.u32 %p4, %r8, %r1; @%p4 bra L;" +
                    elected + "ret;"),
            "a");
  // Warps leave it at different rounds.
  EXPECT_EQ(answers("mov.u32 %r8, 0; L:" + elected +
                    "add.u32 %r8, %r8, 1;"
                    "setp.lt.u32 %p4, %r8, %r3; @%p4 bra L; ret;"),
            "a");
}

// Half of a warp may still be in an election that does not count.
TEST(ElectedLeaders, BehindOneThatDoesNotCount) {
  const std::string elected = kElect + kStore;
  EXPECT_EQ(answers("@%p2 bra L;" + elected + "L:" + elected + "ret;"), "--");
  EXPECT_EQ(answers(elected + "@%p2 bra L;" + elected + "L: ret;"), "a-");
  EXPECT_EQ(answers("elect.sync _|%p8, %r2;" + elected + "ret;"), "-");
}

AliasRule ruleOf(const std::string& first, const std::string& second,
                 const std::string& attributes = ".reqntid 128", bool isOneRow = false) {
  test::ValueFunction f(R"(
    .reg .pred %p<9>; .reg .b32 %r<12>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; ld.param.u32 %r3, [n]; shr.u32 %r4, %r1, 5;
    elect.sync _|%p8, -1; elect.sync _|%p7, 0xffff;
  )" + first + "and.pred %p1, %p1, %p8; @%p1 st.shared.u32 [A], 1; " +
                            second + "@%p2 st.shared.u32 [A], 1; ret;",
                        attributes, ".shared .align 4 .b8 A[64];\n", ".param .u32 n");
  if (isOneRow) {
    Assumptions assumptions;
    assumptions.add(Assumption::OneRow);
    f.analyses().provide(assumptions);
  }
  const std::span<const Access> all = f.analyses().get<Addresses>().all();
  const AliasRule rule = disjoint(all[0], all[1], Threads::Different);
  EXPECT_EQ(rule, disjoint(all[1], all[0], Threads::Different));
  EXPECT_EQ(singleThread(all[0], all[1]), rule);
  EXPECT_EQ(disjoint(all[0], all[1], Threads::Any), AliasRule::None);
  return rule;
}

// docs/soundness/ C8(i).2
TEST(ElectedLeaders, OneThreadInOneWarp) {
  const std::string below = "setp.lt.u32 %p1, %r1, 32;";
  const std::string same = "and.pred %p2, %p1, %p8;";
  EXPECT_EQ(ruleOf(below, same), AliasRule::OneLeader);
  EXPECT_EQ(ruleOf(below, "setp.lt.u32 %p2, %r1, 32; and.pred %p2, %p2, %p7;"), AliasRule::None);
  EXPECT_EQ(ruleOf(below, "mov.pred %p2, %p8;"), AliasRule::None);
  EXPECT_EQ(ruleOf(below, "setp.lt.u32 %p2, %r1, 32;"), AliasRule::None);
  EXPECT_EQ(ruleOf(below, "setp.eq.u32 %p2, %r1, 0;"), AliasRule::None);
  EXPECT_EQ(ruleOf(below, "setp.eq.u32 %p2, %r4, 0; and.pred %p2, %p2, %p8;"),
            AliasRule::OneLeader);
  EXPECT_EQ(ruleOf(below, "setp.eq.u32 %p2, %r4, 1; and.pred %p2, %p2, %p8;"), AliasRule::None);
  EXPECT_EQ(ruleOf("setp.eq.u32 %p1, %r4, %r3;", same), AliasRule::OneLeader);
  EXPECT_EQ(ruleOf("setp.ne.u32 %p1, %r4, %r3;", same), AliasRule::None);
  EXPECT_EQ(ruleOf("setp.lt.u32 %p1, %r1, 64;", same), AliasRule::None);
  EXPECT_EQ(ruleOf("setp.lt.u32 %p1, %r1, 999;", same, ".reqntid 32"), AliasRule::OneLeader);
  EXPECT_EQ(ruleOf("setp.lt.u32 %p1, %r1, 999;", same, ".reqntid 33"), AliasRule::None);
}

TEST(ElectedLeaders, ShapesOfTheBlock) {
  const std::string below = "setp.lt.u32 %p1, %r1, 32;";
  const std::string same = "and.pred %p2, %p1, %p8;";
  EXPECT_EQ(ruleOf(below, same, ""), AliasRule::None);
  EXPECT_EQ(ruleOf(below, same, ".maxntid 128"), AliasRule::None);
  EXPECT_EQ(ruleOf(below, same, "", true), AliasRule::OneLeader);
  EXPECT_EQ(ruleOf(below, same, ".reqntid 64, 2"), AliasRule::None);
  EXPECT_EQ(
      ruleOf("setp.lt.u32 %p1, %r1, 32; setp.eq.and.u32 %p1, %r2, 1, %p1;", same, ".reqntid 64, 2"),
      AliasRule::OneLeader);
  EXPECT_EQ(ruleOf("setp.lt.u32 %p1, %r2, 2;", same, ".reqntid 16, 8"), AliasRule::OneLeader);
  EXPECT_EQ(ruleOf("setp.lt.u32 %p1, %r2, 3;", same, ".reqntid 16, 8"), AliasRule::None);
}

}  // namespace
}  // namespace ptxopt::analysis
