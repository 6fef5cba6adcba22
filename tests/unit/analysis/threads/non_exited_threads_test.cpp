// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/threads/non_exited_threads.h"

#include <gtest/gtest.h>

#include "analysis/flow/call_graph.h"
#include "ir/barrier.h"
#include "value_text.h"

namespace ptxopt::analysis {
namespace {

// For each barrier whether all threads execute it and none has ended: "yn".
// docs/soundness/ C8.3.2, C8.3.3
std::string answers(const std::string& body, const std::string& before = "") {
  test::ValueFunction f(
      ".reg .pred %p<4>; .reg .b32 %r<6>;\n"
      "mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n];\n"
      "setp.gt.u32 %p1, %r1, 40; setp.eq.u32 %p2, %r2, 3;\n" +
          body,
      "", before, ".param .u32 n");
  const CallGraph graph(f.module());
  const CallEffects effects(graph);
  const Cfg& cfg = f.analyses().get<Cfg>();
  const NonExitedThreads warps(cfg, f.analyses().get<Liveness>(), effects);
  std::string text;
  for (const BlockId b : cfg.blocks()) {
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      if (ir::ctaBarrier(instruction)) text += warps.allExecute(b) ? 'y' : 'n';
    }
  }
  return text;
}

TEST(NonExitedThreads, WithoutEndsUniformBlocksAre) {
  EXPECT_EQ(answers("bar.sync 0; ret;"), "y");
  EXPECT_EQ(answers("@%p1 bra L; bar.sync 0; L: bar.sync 0; ret;"), "ny");
  EXPECT_EQ(answers("@%p2 bra L; bar.sync 0; L: bar.sync 0; ret;"), "yy");
  EXPECT_EQ(answers("L: bar.sync 0; add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 9; @%p3 bra L;"),
            "y");
  EXPECT_EQ(answers("L: bar.sync 0; add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 9; @%p3 bra L;"),
            "n");
}

// The end of the text ends all threads alike.
TEST(NonExitedThreads, TheEndOfTheText) {
  EXPECT_EQ(answers("@%p2 bra L; bar.sync 0; L: bar.sync 0;"), "yy");
  EXPECT_EQ(answers("@%p1 bra L; bar.sync 0; L: bar.sync 0;"), "ny");
}

TEST(NonExitedThreads, SomeMayHaveEnded) {
  EXPECT_EQ(answers("bar.sync 0; @%p1 exit; bar.sync 0; ret;"), "yn");
  EXPECT_EQ(answers("bar.sync 0; @%p1 ret; bar.sync 0; ret;"), "yn");
  EXPECT_EQ(answers("bar.sync 0; @%p1 bra DONE; bar.sync 0; DONE: ret;"), "yn");
  // The end is under a condition that all share, within one that they do not.
  EXPECT_EQ(answers("@%p1 bra L; @%p2 exit; L: bar.sync 0; ret;"), "n");
  EXPECT_EQ(answers("@%p2 bra L; @%p1 exit; L: bar.sync 0; ret;"), "n");
}

TEST(NonExitedThreads, AllEndOrNone) {
  EXPECT_EQ(answers("@%p2 exit; bar.sync 0; ret;"), "y");
  EXPECT_EQ(answers("@%p2 bra L; bar.sync 0; ret; L: bar.sync 0; exit;"), "yy");
}

TEST(NonExitedThreads, EndsBehindDoNoHarm) {
  EXPECT_EQ(answers("bar.sync 0; @%p1 exit; ret;"), "y");
  EXPECT_EQ(answers("bar.sync 0; @%p1 bra L; ret; L: exit;"), "y");
  // A loop comes back from after.
  EXPECT_EQ(answers("L: bar.sync 0; @%p1 exit; @%p2 bra L; ret;"), "n");
}

TEST(NonExitedThreads, ATrapEndsTheGrid) {
  EXPECT_EQ(answers("@%p1 trap; bar.sync 0; ret;"), "y");
}

TEST(NonExitedThreads, CallsMayEndThreads) {
  EXPECT_EQ(answers("call f; bar.sync 0; ret;", ".func f() { ret; }"), "y");
  EXPECT_EQ(answers("call f; bar.sync 0; ret;", ".func f() { exit; }"), "n");
  EXPECT_EQ(answers("call f; bar.sync 0; ret;", ".extern .func f();"), "n");
  EXPECT_EQ(answers("future.instruction %r1; bar.sync 0; ret;"), "n");
}

}  // namespace
}  // namespace ptxopt::analysis
