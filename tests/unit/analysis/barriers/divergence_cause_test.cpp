// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/divergence_cause.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/barriers/participation.h"
#include "value_text.h"

namespace ptxopt::analysis {
namespace {

using Kind = DivergenceCause::Kind;

std::string nameOf(Kind kind) {
  switch (kind) {
    case Kind::Special:
      return "special";
    case Kind::Load:
      return "load";
    case Kind::Atomic:
      return "atomic";
    case Kind::Parameter:
      return "parameter";
    case Kind::Exchange:
      return "exchange";
    case Kind::Call:
      return "call";
    case Kind::Local:
      return "local";
    case Kind::Undefined:
      return "undefined";
    case Kind::Unknown:
      return "unknown";
  }
  return {};
}

// Of the first barrier: numbers of the branch and of the source among the instructions, and what it
// is.
std::string causeOf(const std::string& code) {
  test::ValueFunction f(".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;" + code, "",
                        ".global .align 4 .b8 G[64];", ".param .u32 n");
  const CallGraph graph(f.module());
  const BarrierUses uses(f.module(), graph);
  const auto& cfg = f.analyses().get<Cfg>();
  const Participation participation(cfg, f.analyses().get<Liveness>(), uses);
  const auto cause = DivergenceCauses(cfg, *participation.uniformity(0))
                         .of(*participation.barriers().at(0).instruction);
  if (!cause) return "none";
  const auto all = f.instructions();
  const auto number = [&](const ir::Instruction* instruction) {
    const auto at = std::find(all.begin(), all.end(), instruction);
    return at == all.end() ? std::string("-") : std::to_string(at - all.begin());
  };
  return number(cause->branch) + " " + number(cause->source) + " " + nameOf(cause->kind);
}

TEST(DivergenceCause, NamesBranchAndValue) {
  EXPECT_EQ(causeOf("mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 1; setp.lt.u32 %p1, %r2, 8;"
                    "@%p1 bra L; bar.sync 0; L: bar.sync 0;"),
            "3 0 special");
  EXPECT_EQ(causeOf("ld.global.u32 %r1, [G]; setp.lt.u32 %p1, %r1, 8;"
                    "@%p1 bra L; bar.sync 0; L: bar.sync 0;"),
            "2 0 load");
  EXPECT_EQ(causeOf("atom.global.add.u32 %r1, [G], 1; setp.lt.u32 %p1, %r1, 8;"
                    "@%p1 bra L; bar.sync 0; L: bar.sync 0;"),
            "2 0 atomic");
  EXPECT_EQ(causeOf("vote.sync.any.pred %p1, 1, -1;"
                    "@%p1 bra L; bar.sync 0; L: bar.sync 0;"),
            "1 0 exchange");
  EXPECT_EQ(causeOf("@%p1 bra L; bar.sync 0; L: bar.sync 0;"), "0 - undefined");
}

TEST(DivergenceCause, OfAGuard) {
  EXPECT_EQ(causeOf("mov.u32 %r1, %laneid; setp.lt.u32 %p1, %r1, 8; @%p1 bar.sync 0;"),
            "2 0 special");
}

TEST(DivergenceCause, OfAValueThatDivergentCodeComputes) {
  // %r2 is a constant in either branch: which one is what differs.
  EXPECT_EQ(causeOf("mov.u32 %r1, %tid.x; mov.u32 %r2, 0; setp.lt.u32 %p1, %r1, 8; @%p1 bra K;"
                    "mov.u32 %r2, 1; K: setp.eq.u32 %p2, %r2, 0; @%p2 bra L; bar.sync 0;"
                    "L: bar.sync 0;"),
            "6 0 special");
}

TEST(DivergenceCause, OfLoopsThatThreadsLeaveAtDifferentTimes) {
  EXPECT_EQ(causeOf("mov.u32 %r1, %tid.x; L: bar.sync 0; add.u32 %r1, %r1, 1;"
                    "setp.lt.u32 %p1, %r1, 8; @%p1 bra L; bar.sync 0;"),
            "4 0 special");
}

TEST(DivergenceCause, IsNoneWhereAllThreadsGo) {
  EXPECT_EQ(causeOf("ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 8; @%p1 bra L; bar.sync 0; L: "
                    "bar.sync 0;"),
            "none");
}

}  // namespace
}  // namespace ptxopt::analysis
