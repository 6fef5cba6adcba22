// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/polling.h"

#include <gtest/gtest.h>

#include "analysis/memory/polling_reads.h"
#include "ir/barrier.h"
#include "value_text.h"

namespace ptxopt::analysis {
namespace {

constexpr const char* kCode = R"(
    .reg .pred %p<9>; .reg .b32 %r<12>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [data]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x;
)";
constexpr const char* kVariables = ".shared .b32 S[64]; .const .b64 K[4];\n";
constexpr const char* kParameters = ".param .u64 data, .param .u32 n";

// For each barrier whether it may go: docs/soundness/ C2.6.
std::string answers(const std::string& body, const std::string& functions = "",
                    bool sharedIsExternal = false) {
  test::ValueFunction f(kCode + body, "", kVariables + functions, kParameters);
  const CallGraph graph(f.module());
  const CallEffects effects(graph);
  const PollingLoops polling(f.analyses().get<Cfg>(), f.analyses().get<Loops>(), effects,
                             sharedIsExternal);
  std::string text;
  for (const ir::Instruction* instruction : f.instructions()) {
    if (!ir::ctaBarrier(*instruction)) continue;
    const BlockId block = instruction->block;
    text += polling.canLoseAnchor(block) ? 'y' : 'n';
    EXPECT_EQ(polling.obstacle(block).has_value(), !polling.canLoseAnchor(block));
  }
  return text;
}
std::string loop(const std::string& body) {
  return "L:" + body + "setp.ne.u32 %p1, %r3, 0; @%p1 bra L; ret;";
}

TEST(PollingLoops, LoadsThatCouldBeHoisted) {
  EXPECT_EQ(answers("ld.global.u32 %r3, [%d1]; bar.sync 0; ret;"), "y");
  EXPECT_EQ(answers(loop("ld.global.u32 %r3, [%d1]; bar.sync 0;")), "n");
  EXPECT_EQ(answers(loop("ld.u32 %r3, [%d1]; bar.sync 0;")), "n");
  EXPECT_EQ(answers(loop("sub.u32 %r3, %r2, 1; bar.sync 0;")), "y");
  EXPECT_EQ(answers(loop("ld.shared.u32 %r3, [S]; bar.sync 0;")), "y");
  EXPECT_EQ(answers(loop("ld.shared.u32 %r3, [S]; bar.sync 0;"), "", true), "n");
  EXPECT_EQ(answers(loop("ld.const.u32 %r3, [K]; bar.sync 0;")), "y");
  EXPECT_EQ(answers(loop("st.global.u32 [%d1], %r3; bar.sync 0;")), "y");
}

TEST(PollingLoops, WhatElseHoldsTheLoop) {
  const std::string load = "ld.global.u32 %r3, [%d1]; bar.sync 0;";
  EXPECT_EQ(answers(loop(load + "bar.sync 1;")), "yy");
  EXPECT_EQ(answers(loop(load + "membar.cta;")), "y");
  EXPECT_EQ(answers(loop(load + "membar.gl;")), "y");
  EXPECT_EQ(answers(loop(load + "bar.warp.sync -1;")), "y");
  EXPECT_EQ(answers(loop(load + "ld.volatile.global.u32 %r4, [%d1];")), "y");
  EXPECT_EQ(answers(loop(load + "atom.global.add.u32 %r4, [%d1], 1;")), "y");
  EXPECT_EQ(answers(loop(load + "future.instruction;")), "y");
  // A store may alias, and is not counted.
  EXPECT_EQ(answers(loop(load + "st.global.u32 [%d1+8], %r4;")), "n");
}

TEST(PollingLoops, AddressesThatChange) {
  const auto at = [](const std::string& code) {
    return answers("mov.u64 %d2, %d1;" + loop(code + "ld.global.u32 %r3, [%d2]; bar.sync 0;"));
  };
  EXPECT_EQ(at(""), "n");
  EXPECT_EQ(at("add.u64 %d2, %d2, 4;"), "y");
  EXPECT_EQ(at("add.u64 %d2, %d1, 4;"), "n");
  EXPECT_EQ(at("mov.u64 %d3, %d1; add.u64 %d2, %d3, 4;"), "n");
  EXPECT_EQ(at("ld.const.u64 %d2, [K];"), "n");
  EXPECT_EQ(at("ld.param.u64 %d2, [data];"), "n");
  EXPECT_EQ(at("ld.volatile.global.u64 %d2, [%d1+8];"), "y");  // which holds the loop
  // Two definitions, both of what does not change.
  EXPECT_EQ(at("setp.eq.u32 %p2, %r1, %r2; mov.u64 %d2, %d1; @%p2 add.u64 %d2, %d1, 8;"), "n");
  // Much against the order of the text: nothing is claimed, which keeps the barrier.
  std::string chain;
  for (int k = 0; k < 40; ++k) {
    chain += "B" + std::to_string(k) + ": ";
    chain += "add.u64 %x" + std::to_string(k) + ", %x" + std::to_string(k + 1) + ", 4;";
  }
  EXPECT_EQ(answers(".reg .b64 %x<50>;" + loop(chain + "mov.u64 %x40, %d1;"
                                                       "ld.global.u32 %r3, [%x0]; bar.sync 0;")),
            "n");
}

TEST(PollingLoops, LoopsInLoops) {
  const auto nested = [](const std::string& inner, const std::string& outer) {
    return answers("M: mov.u32 %r4, 0; L:" + inner +
                   "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8; @%p1 bra L;" + outer +
                   "setp.ne.u32 %p2, %r3, 0; @%p2 bra M; ret;");
  };
  EXPECT_EQ(nested("bar.sync 0;", "ld.global.u32 %r3, [%d1];"), "n");
  EXPECT_EQ(nested("ld.global.u32 %r3, [%d1];", "bar.sync 0;"), "n");
  EXPECT_EQ(nested("bar.sync 0;", "bar.sync 0; ld.global.u32 %r3, [%d1];"), "yy");
  EXPECT_EQ(nested("ld.global.u32 %r3, [%d1]; bar.sync 0;", "bar.sync 0;"), "ny");
}

TEST(PollingLoops, Calls) {
  const auto of = [](const std::string& body, bool sharedIsExternal = false) {
    return answers(loop("call f; sub.u32 %r3, %r2, 1; bar.sync 0;"),
                   ".func f() { .reg .b32 %r<3>; .reg .b64 %d<3>;" + body + " ret; }",
                   sharedIsExternal);
  };
  EXPECT_EQ(of("add.u32 %r1, %r2, 1;"), "y");
  EXPECT_EQ(of("mov.u64 %d1, 64; ld.global.u32 %r1, [%d1];"), "n");
  EXPECT_EQ(of("ld.shared.u32 %r1, [S];"), "y");
  EXPECT_EQ(of("ld.shared.u32 %r1, [S];", true), "n");
}

TEST(PollingLoops, TheLastOneStays) {
  test::ValueFunction f(kCode + loop("ld.global.u32 %r3, [%d1]; bar.sync 0; bar.sync 1;"), "",
                        kVariables, kParameters);
  const CallGraph graph(f.module());
  const CallEffects effects(graph);
  PollingLoops polling(f.analyses().get<Cfg>(), f.analyses().get<Loops>(), effects, false);
  const BlockId block{indexOf(f.instructions().back()->block) - 1};
  EXPECT_TRUE(polling.canLoseAnchor(block));
  EXPECT_FALSE(polling.loseAnchor(block));
  EXPECT_FALSE(polling.canLoseAnchor(block));
  ASSERT_TRUE(polling.obstacle(block));
  EXPECT_EQ(polling.obstacle(block)->load->desc->mnemonic, "ld.global.u32");
  EXPECT_FALSE(polling.obstacle(f.instructions().back()->block));  // after the loop
  EXPECT_TRUE(polling.loseAnchor(block));
  EXPECT_FALSE(polling.isSafeWithout(block));
}

// For each strong read whether a thread may wait for it: docs/soundness/ D1.15.
std::string polls(const std::string& body, const std::string& functions = "") {
  test::ValueFunction f(kCode + body, "", kVariables + functions, kParameters);
  const PollingReads reads(f.analyses().get<Ssa>(), f.analyses().get<Loops>());
  std::string text;
  for (const ir::Instruction* instruction : f.instructions()) {
    const isa::InstructionDesc& desc = *instruction->desc;
    const bool isRead = desc.effect == isa::Effect::Strong && desc.is(isa::kMemoryRead);
    if (isRead) text += reads.contains(*instruction) ? 'y' : 'n';
  }
  return text;
}

TEST(PollingReads, ThatDecideALoop) {
  const std::string load = "ld.volatile.global.u32 %r3, [%d1];";
  EXPECT_EQ(polls(load + "ret;"), "n");
  EXPECT_EQ(polls(loop(load)), "y");
  EXPECT_EQ(polls(loop("ld.relaxed.gpu.global.u32 %r3, [%d1];")), "y");
  EXPECT_EQ(polls(loop("atom.global.cas.b32 %r3, [%d1], 0, 1;")), "y");
  EXPECT_EQ(polls(loop("ld.volatile.shared.u32 %r3, [S];")), "y");
  // The number of rounds does not depend on it.
  const std::string counted = "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8; @%p1 bra L;";
  const auto rounds = [&](const std::string& body, const std::string& after = "") {
    return polls("mov.u32 %r4, 0; L:" + body + counted + after + "ret;");
  };
  EXPECT_EQ(rounds(load), "n");
  EXPECT_EQ(rounds(load, "setp.eq.u32 %p2, %r3, 0; @%p2 exit;"), "n");
  // A branch inside of the loop.
  EXPECT_EQ(rounds(load + "setp.eq.u32 %p2, %r3, 0; @%p2 bra M; mov.u32 %r5, 1; M:"), "y");
  EXPECT_EQ(rounds(load + "setp.eq.u32 %p2, %r3, 0; @%p2 exit;"), "y");
  // Through registers, guards, addresses and phis.
  EXPECT_EQ(polls(loop("ld.volatile.global.u32 %r5, [%d1]; add.u32 %r3, %r5, 1;")), "y");
  EXPECT_EQ(polls(loop("ld.volatile.global.u32 %r5, [%d1]; setp.eq.u32 %p2, %r5, 0;"
                       "mov.u32 %r3, 0; @%p2 mov.u32 %r3, 1;")),
            "y");
  EXPECT_EQ(polls(loop("ld.volatile.global.u64 %d2, [%d1]; ld.global.u32 %r3, [%d2];")), "y");
  EXPECT_EQ(
      polls("mov.u32 %r3, 1; L: setp.eq.u32 %p1, %r3, 0; @%p1 bra E;" + load + "bra L; E: ret;"),
      "y");
  // Of a loop around it.
  EXPECT_EQ(
      polls("M: mov.u32 %r4, 0; L:" + load + counted + "setp.ne.u32 %p2, %r3, 0; @%p2 bra M; ret;"),
      "y");
}

// What leaves the registers may come back to decide anything.
TEST(PollingReads, ThatLeaveTheRegisters) {
  const auto rounds = [](const std::string& use) {
    return polls("mov.u32 %r4, 0; L: ld.volatile.global.u32 %r3, [%d1];" + use +
                     "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8; @%p1 bra L; ret;",
                 ".func f(.reg .b32 %x) { ret; }");
  };
  EXPECT_EQ(rounds("st.global.u32 [%d1+4], %r3;"), "y");
  EXPECT_EQ(rounds("st.global.v2.u32 [%d1+8], {%r3, %r5};"), "y");
  EXPECT_EQ(rounds("call f, (%r3);"), "y");
  EXPECT_EQ(rounds("future.instruction %r3;"), "y");
}

}  // namespace
}  // namespace ptxopt::analysis
