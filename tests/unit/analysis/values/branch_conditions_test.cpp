// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/branch_conditions.h"

#include <gtest/gtest.h>

#include "analysis/values/feasible_edges.h"
#include "value_text.h"

namespace ptxopt::analysis {
namespace {

using enum Comparison;
constexpr Comparison kAll[] = {Equal,
                               NotEqual,
                               Less,
                               LessEqual,
                               Greater,
                               GreaterEqual,
                               UnsignedLess,
                               UnsignedLessEqual,
                               UnsignedGreater,
                               UnsignedGreaterEqual};

constexpr const char* kCode = R"(
    .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>;
    .reg .v2 .b32 %v<3>;
    ld.param.u32 %r1, [n]; ld.param.u32 %r2, [n+4]; ld.param.u64 %d1, [n]; ld.param.u16 %h1, [n];
    setp.eq.u32 %p7, %r1, 77;
)";

std::string text(Comparison comparison) {
  switch (comparison) {
    case Equal:
      return "==";
    case NotEqual:
      return "!=";
    case Less:
      return "<s";
    case LessEqual:
      return "<=s";
    case Greater:
      return ">s";
    case GreaterEqual:
      return ">=s";
    case UnsignedLess:
      return "<";
    case UnsignedLessEqual:
      return "<=";
    case UnsignedGreater:
      return ">";
    case UnsignedGreaterEqual:
      return ">=";
  }
  return "?";
}

// What holds where the last instruction but one is executed, by its guard: "%r1<s40".
std::string conditions(const std::string& code, const std::string& guard = "@%p1") {
  test::ValueFunction f(kCode + code + guard + " mov.u32 %r8, 0; ret;", "", "",
                        ".param .align 8 .b8 n[16]");
  const BranchConditions& conditions = f.analyses().get<BranchConditions>();
  const Ssa& ssa = f.analyses().get<Ssa>();
  const auto nameOf = [&](ValueId value) { return f.function().registerName(ssa.reg(value)); };
  const auto all = f.instructions();
  std::string result;
  for (const Condition& one : conditions.ofGuard(*all[all.size() - 2])) {
    if (!result.empty()) result += ' ';
    result += nameOf(one.value) + text(one.comparison);
    result += one.otherValue != ValueId::None               ? nameOf(one.otherValue)
              : one.other->kind == ir::OperandKind::Integer ? std::to_string(one.other->immediate)
                                                            : "?";
  }
  return result;
}

TEST(BranchConditions, OfOneComparison) {
  EXPECT_EQ(conditions("setp.eq.s32 %p1, %r1, 40;"), "%r1==40");
  EXPECT_EQ(conditions("setp.ne.b32 %p1, %r1, 40;"), "%r1!=40");
  EXPECT_EQ(conditions("setp.lt.s32 %p1, %r1, 40;"), "%r1<s40");
  EXPECT_EQ(conditions("setp.le.s64 %p1, %d1, 40;"), "%d1<=s40");
  EXPECT_EQ(conditions("setp.gt.s16 %p1, %h1, 40;"), "%h1>s40");
  EXPECT_EQ(conditions("setp.ge.s32 %p1, %r1, 40;"), "%r1>=s40");
  EXPECT_EQ(conditions("setp.lt.u32 %p1, %r1, 40;"), "%r1<40");
  EXPECT_EQ(conditions("setp.le.u32 %p1, %r1, 40;"), "%r1<=40");
  EXPECT_EQ(conditions("setp.gt.u64 %p1, %d1, 40;"), "%d1>40");
  EXPECT_EQ(conditions("setp.ge.u16 %p1, %h1, 40;"), "%h1>=40");
  EXPECT_EQ(conditions("setp.lo.u32 %p1, %r1, 40;"), "%r1<40");
  EXPECT_EQ(conditions("setp.ls.u32 %p1, %r1, 40;"), "%r1<=40");
  EXPECT_EQ(conditions("setp.hi.u32 %p1, %r1, 40;"), "%r1>40");
  EXPECT_EQ(conditions("setp.hs.u32 %p1, %r1, 40;"), "%r1>=40");
  // The other way round, and of two registers.
  EXPECT_EQ(conditions("setp.lt.s32 %p1, 40, %r1;"), "%r1>s40");
  EXPECT_EQ(conditions("setp.le.u32 %p1, %r1, %r2;"), "%r1<=%r2 %r2>=%r1");
  EXPECT_EQ(conditions("setp.eq.u32 %p1, %r1, %ntid.x;"), "%r1==?");
  // What fails holds the other way.
  EXPECT_EQ(conditions("setp.lt.s32 %p1, %r1, 40;", "@!%p1"), "%r1>=s40");
  EXPECT_EQ(conditions("setp.hs.u32 %p1, %r1, 40;", "@!%p1"), "%r1<40");
}

TEST(BranchConditions, WhatSaysNothing) {
  EXPECT_EQ(conditions("setp.lt.f32 %p1, %f1, %f2;"), "");
  EXPECT_EQ(conditions("setp.lo.s32 %p1, %r1, 40;"), "");
  EXPECT_EQ(conditions("setp.future.u32 %p1, %r1, 40;"), "");
  EXPECT_EQ(conditions("@%p7 setp.lt.s32 %p1, %r1, 40;"), "");
  EXPECT_EQ(conditions("setp.lt.s32 %p1, 40, 50;"), "");
  EXPECT_EQ(conditions("future.pred %p1, %r1;"), "");
  EXPECT_EQ(conditions(""), "");  // nothing defines it
  EXPECT_EQ(conditions("mov.u32 %v1.x, 3; mov.u32 %v1.y, 3; setp.lt.u32 %p1, %v1.y, 40;"), "");
  EXPECT_EQ(conditions("xor.pred %p1, %p7, %p7;"), "");
  EXPECT_EQ(conditions("vote.sync.any.pred %p1, %p7, -1;"), "");
  EXPECT_EQ(conditions("mov.u32 %r8, 0; ret;", ""), "");
}

// (a cmp b) op c, and p|q: the second result is (!(a cmp b)) op c.
TEST(BranchConditions, WithAnotherPredicate) {
  EXPECT_EQ(conditions("setp.lt.and.s32 %p1, %r1, 40, %p7;"), "%r1<s40 %r1==77");
  EXPECT_EQ(conditions("setp.lt.and.s32 %p1, %r1, 40, !%p7;"), "%r1<s40 %r1!=77");
  EXPECT_EQ(conditions("setp.lt.and.s32 %p1, %r1, 40, %p7;", "@!%p1"), "");
  EXPECT_EQ(conditions("setp.lt.or.s32 %p1, %r1, 40, %p7;"), "");
  EXPECT_EQ(conditions("setp.lt.or.s32 %p1, %r1, 40, %p7;", "@!%p1"), "%r1>=s40 %r1!=77");
  EXPECT_EQ(conditions("setp.lt.xor.s32 %p1, %r1, 40, %p7;"), "");
  EXPECT_EQ(conditions("setp.lt.s32 %p1|%p2, %r1, 40;"), "%r1<s40");
  EXPECT_EQ(conditions("setp.lt.s32 %p2|%p1, %r1, 40;"), "%r1>=s40");
  EXPECT_EQ(conditions("setp.lt.and.s32 %p2|%p1, %r1, 40, %p7;"), "%r1>=s40 %r1==77");
  EXPECT_EQ(conditions("setp.lt.or.s32 %p2|%p1, %r1, 40, %p7;", "@!%p1"), "%r1<s40 %r1!=77");
}

TEST(BranchConditions, OfPredicates) {
  const std::string setp = "setp.lt.s32 %p2, %r1, 40;";
  EXPECT_EQ(conditions(setp + "mov.pred %p1, %p2;"), "%r1<s40");
  EXPECT_EQ(conditions(setp + "not.pred %p1, %p2;"), "%r1>=s40");
  EXPECT_EQ(conditions(setp + "and.pred %p1, %p2, %p7;"), "%r1<s40 %r1==77");
  EXPECT_EQ(conditions(setp + "and.pred %p1, %p2, !%p7;"), "%r1<s40 %r1!=77");
  EXPECT_EQ(conditions(setp + "and.pred %p1, %p2, %p7;", "@!%p1"), "");
  EXPECT_EQ(conditions(setp + "or.pred %p1, %p2, %p7;"), "");
  EXPECT_EQ(conditions(setp + "or.pred %p1, %p2, %p7;", "@!%p1"), "%r1>=s40 %r1!=77");
  EXPECT_EQ(conditions(setp + "and.pred %p1, %p2, 1;"), "%r1<s40");
  // A few steps, and no more.
  EXPECT_EQ(conditions(setp + "mov.pred %p3, %p2; not.pred %p4, %p3; mov.pred %p1, %p4;"),
            "%r1>=s40");
  EXPECT_EQ(conditions(setp + "mov.pred %p3, %p2; mov.pred %p4, %p3; mov.pred %p5, %p4;"
                              "mov.pred %p1, %p5;"),
            "");
}

// What holds in the block of the label L, and not in its dominator: the values that are compared.
std::string atLabel(const std::string& code) {
  test::ValueFunction f(kCode + code, "", "", ".param .align 8 .b8 n[16]");
  const BranchConditions& conditions = f.analyses().get<BranchConditions>();
  const Ssa& ssa = f.analyses().get<Ssa>();
  std::string result;
  for (const BlockId b : f.analyses().get<Cfg>().blocks()) {
    if (f.analyses().get<Cfg>().inEdges(b).size() < 2) continue;
    for (const BranchConditions::Placed& placed : conditions.ofBlock(b)) {
      result += f.function().registerName(ssa.reg(placed.condition.value)) +
                text(placed.condition.comparison);
    }
  }
  return result;
}

// The back edges of a loop bring nothing new to what was compared outside of it.
TEST(BranchConditions, AtTheHeadersOfLoops) {
  const std::string loop = "L: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 9; @%p2 bra L; bra OUT; ";
  EXPECT_EQ(atLabel("setp.eq.u32 %p1, %r1, 3; @!%p1 bra END; " + loop +
                    "END: mov.u32 %r8, 0; ret; OUT: ret;"),
            "%r1==");
  EXPECT_EQ(atLabel("setp.eq.u32 %p1, %r1, 3; @!%p1 bra END; L: add.u32 %r3, %r3, 1;"
                    "setp.lt.u32 %p2, %r3, 9; @%p2 bra L; setp.lt.u32 %p3, %r3, 99; @%p3 bra L;"
                    "ret; END: mov.u32 %r8, 0; ret;"),
            "%r1==");
  // Two ways into the loop.
  EXPECT_EQ(atLabel("setp.eq.u32 %p1, %r1, 3; @%p7 bra L; @!%p1 bra END; " + loop +
                    "END: mov.u32 %r8, 0; ret; OUT: ret;"),
            "");
  // What is compared on the way back says nothing of the first round.
  EXPECT_EQ(atLabel("mov.u32 %r3, 0; " + loop + "OUT: ret;"), "");
}

TEST(BranchConditions, Comparisons) {
  for (const unsigned bits : {16u, 32u, 64u}) {
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    const std::uint64_t numbers[] = {0, 1, 2, sign - 1, sign, sign + 1, ~std::uint64_t{0}};
    for (const std::uint64_t a : numbers) {
      for (const std::uint64_t b : numbers) {
        const std::uint64_t x = a << (64 - bits);
        const std::uint64_t y = b << (64 - bits);
        const bool isLess = x < y;
        const bool isLessSigned = (x ^ std::uint64_t{1} << 63) < (y ^ std::uint64_t{1} << 63);
        EXPECT_EQ(holds(Equal, a, b, bits), x == y);
        EXPECT_EQ(holds(UnsignedLess, a, b, bits), isLess);
        EXPECT_EQ(holds(UnsignedLessEqual, a, b, bits), isLess || x == y);
        EXPECT_EQ(holds(Less, a, b, bits), isLessSigned);
        EXPECT_EQ(holds(LessEqual, a, b, bits), isLessSigned || x == y);
        for (const Comparison comparison : kAll) {
          EXPECT_EQ(holds(negated(comparison), a, b, bits), !holds(comparison, a, b, bits));
          EXPECT_EQ(holds(swapped(comparison), b, a, bits), holds(comparison, a, b, bits));
        }
      }
    }
  }
}

// Which ways out of a branch on %p1 are ever taken: docs/soundness/ C2.7.
std::string waysOut(const std::string& code) {
  test::ValueFunction f(kCode + code + "@%p1 bra L; mov.u32 %r8, 0; L: ret;", "", "",
                        ".param .align 8 .b8 n[16]");
  const Cfg& cfg = f.analyses().get<Cfg>();
  const FeasibleEdges feasible(f.analyses().get<Ssa>(), f.analyses().get<ValueRanges>());
  bool isTaken = false;
  bool fallsThrough = false;
  for (EdgeId e = 0; e < cfg.edgeCount(); ++e) {
    const ir::Instruction* branch = cfg.block(cfg.source(e)).terminator;
    if (branch == nullptr || !branch->guard || !feasible.isEverTaken(e)) continue;
    (cfg.kind(e) == EdgeKind::Fallthrough ? fallsThrough : isTaken) = true;
  }
  return isTaken && fallsThrough ? "both" : isTaken ? "taken" : fallsThrough ? "not" : "none";
}

TEST(FeasibleEdges, OfRanges) {
  const auto ways = [](const std::string& setp) {
    return waysOut("and.b32 %r3, %r1, 7; and.b32 %r4, %r2, 7; or.b32 %r4, %r4, 8;" + setp);
  };
  // %r3: 0..7, and %r4: 8..15.
  EXPECT_EQ(ways("setp.lt.u32 %p1, %r3, 7;"), "both");
  EXPECT_EQ(ways("setp.lt.u32 %p1, %r3, 8;"), "taken");
  EXPECT_EQ(ways("setp.le.u32 %p1, %r3, 7;"), "taken");
  EXPECT_EQ(ways("setp.gt.u32 %p1, %r3, 7;"), "not");
  EXPECT_EQ(ways("setp.ge.u32 %p1, %r3, 8;"), "not");
  EXPECT_EQ(ways("setp.lt.s32 %p1, %r3, 0;"), "not");
  EXPECT_EQ(ways("setp.le.s32 %p1, %r3, -1;"), "not");
  EXPECT_EQ(ways("setp.gt.s32 %p1, %r3, -1;"), "taken");
  EXPECT_EQ(ways("setp.ge.s32 %p1, %r3, 0;"), "taken");
  EXPECT_EQ(ways("setp.eq.u32 %p1, %r3, 8;"), "not");
  EXPECT_EQ(ways("setp.ne.u32 %p1, %r3, 8;"), "taken");
  EXPECT_EQ(ways("setp.eq.u32 %p1, %r3, 3;"), "both");
  EXPECT_EQ(ways("setp.eq.u32 %p1, %r4, 7;"), "not");  // below
  EXPECT_EQ(ways("setp.eq.u32 %p1, %r3, %r4;"), "not");
  EXPECT_EQ(ways("setp.lt.u32 %p1, %r3, %r4;"), "taken");
  EXPECT_EQ(ways("setp.gt.u32 %p1, %r3, %r4;"), "not");
  // By a bit: even numbers and odd ones.
  EXPECT_EQ(ways("shl.b32 %r5, %r1, 1; or.b32 %r6, %r5, 1; setp.eq.u32 %p1, %r5, %r6;"), "not");
  EXPECT_EQ(ways("shl.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 3;"), "not");
  EXPECT_EQ(ways("or.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 4;"), "not");
  EXPECT_EQ(ways("mov.u32 %r5, 4; setp.ne.u32 %p1, %r5, 4;"), "not");
  EXPECT_EQ(ways("mov.u32 %r5, 4; setp.ne.u32 %p1, %r5, 5;"), "taken");
  // Nothing is known of the other side.
  EXPECT_EQ(ways("setp.gt.u32 %p1, %r3, %nctaid.x;"), "both");
  EXPECT_EQ(ways("setp.gt.u64 %p1, %d1, 7;"), "both");
}

// C2.7.1
TEST(FeasibleEdges, AValueAgainstItself) {
  EXPECT_EQ(waysOut("setp.lt.u32 %p1, %r1, %r1;"), "not");
  EXPECT_EQ(waysOut("setp.ne.u32 %p1, %r1, %r1;"), "not");
  EXPECT_EQ(waysOut("setp.ge.s32 %p1, %r1, %r1;"), "taken");
  EXPECT_EQ(waysOut("mov.u32 %r3, %r1; setp.eq.u32 %p1, %r1, %r3;"), "both");
  // Nothing defines it: it may be another number each time (F2).
  EXPECT_EQ(waysOut("setp.ne.u32 %p1, %r7, %r7;"), "both");
}

// The first round of a loop that is tested at the top.
TEST(FeasibleEdges, BehindAnotherEdge) {
  test::ValueFunction f(std::string(kCode) + R"(
      mov.u32 %r3, 0;
      L: setp.ge.u32 %p1, %r3, 4; @%p1 bra E; add.u32 %r3, %r3, 1; bra L;
      E: ret;)",
                        "", "", ".param .align 8 .b8 n[16]");
  const Cfg& cfg = f.analyses().get<Cfg>();
  const FeasibleEdges feasible(f.analyses().get<Ssa>(), f.analyses().get<ValueRanges>());
  const BlockId header{1};
  ASSERT_EQ(cfg.inEdges(header).size(), 2u);
  for (const EdgeId in : cfg.inEdges(header)) {
    const bool isFirst = cfg.source(in) == cfg.entry();
    for (EdgeId e = 0; e < cfg.edgeCount(); ++e) {
      if (cfg.source(e) != header) continue;
      const bool leaves = cfg.kind(e) != EdgeKind::Fallthrough;
      EXPECT_EQ(feasible.mayFollow(in, e), !(isFirst && leaves));
    }
  }
}

// The edge that is there because the loop has no end is no branch's.
TEST(BranchConditions, EndlessLoops) {
  test::ValueFunction f(std::string(kCode) + "L: setp.lt.u32 %p1, %r1, 4; @%p1 bra L; bra L;", "",
                        "", ".param .align 8 .b8 n[16]");
  const Cfg& cfg = f.analyses().get<Cfg>();
  const BranchConditions& conditions = f.analyses().get<BranchConditions>();
  bool isAny = false;
  for (EdgeId e = 0; e < cfg.edgeCount(); ++e) {
    if (cfg.kind(e) != EdgeKind::Endless) continue;
    isAny = true;
    EXPECT_TRUE(conditions.ofEdge(e).empty());
  }
  EXPECT_TRUE(isAny);
}

}  // namespace
}  // namespace ptxopt::analysis
