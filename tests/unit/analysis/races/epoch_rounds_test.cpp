// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/races/epoch_rounds.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/barrier.h"
#include "value_text.h"

namespace ptxopt::analysis {
namespace {

// The rounds, of 0 to 4, in which one thread may be at the only store while another one is at the
// only load: "00 12".
std::string roundsOf(const std::string& code) {
  test::ValueFunction f(".reg .pred %p<4>; .reg .b32 %r<9>;" + code, "",
                        ".shared .align 4 .b8 A[64];");
  const ir::Instruction* store = nullptr;
  const ir::Instruction* load = nullptr;
  for (const ir::Instruction* instruction : f.instructions()) {
    if (instruction->desc->opcode == isa::Opcode::St) store = instruction;
    if (instruction->desc->opcode == isa::Opcode::Ld) load = instruction;
  }
  EpochRounds rounds(f.analyses().get<Cfg>(), f.analyses().get<Loops>(),
                     [](const ir::Instruction& i) { return ir::ctaBarrier(i).has_value(); });
  std::string text = rounds.dividesRounds(LoopId{0}) ? "divided:" : "free:";
  for (std::int64_t a = 0; a < 5; ++a) {
    for (std::int64_t b = 0; b < 5; ++b) {
      if (!rounds.mayMeet(LoopId{0}, *store, a, *load, b)) continue;
      text += " " + std::to_string(a) + std::to_string(b);
    }
  }
  return text;
}

const std::string kStore = "st.shared.u32 [A], 0; ";
const std::string kLoad = "ld.shared.u32 %r1, [A]; ";
const std::string kBarrier = "bar.sync 0; ";

TEST(EpochRounds, OneBarrierInEachRound) {
  // The load comes before the barrier of its round, so a store of the round before meets it.
  EXPECT_EQ(roundsOf("L: " + kLoad + kBarrier + kStore + "@%p1 bra L;"), "divided: 01 12 23 34");
  EXPECT_EQ(roundsOf("L: " + kStore + kBarrier + kLoad + "@%p1 bra L;"), "divided: 10 21 32 43");
  EXPECT_EQ(roundsOf("L: " + kBarrier + kStore + kLoad + "@%p1 bra L;"), "divided: 00 11 22 33 44");
}

TEST(EpochRounds, TwoBarriersInEachRound) {
  EXPECT_EQ(roundsOf("L: " + kStore + kBarrier + kLoad + kBarrier + "@%p1 bra L;"), "divided:");
  EXPECT_EQ(roundsOf("L: " + kBarrier + kStore + kLoad + kBarrier + "@%p1 bra L;"),
            "divided: 00 11 22 33 44");
}

TEST(EpochRounds, AWayWithoutABarrier) {
  const std::string any =
      " 00 01 02 03 04 10 11 12 13 14 20 21 22 23 24 30 31 32 33 34 40 41 42 43 44";
  EXPECT_EQ(roundsOf("L: " + kStore + kLoad + "@%p1 bra L;"), "free:" + any);
  EXPECT_EQ(roundsOf("L: " + kStore + "@%p2 bra M; " + kBarrier + "M: " + kLoad + "@%p1 bra L;"),
            "free:" + any);
}

TEST(EpochRounds, OutsideOfTheLoop) {
  // Before the loop, only the first round is near; the store is in no round.
  EXPECT_EQ(roundsOf(kStore + "L: " + kLoad + kBarrier + "@%p1 bra L;"), "divided: 00");
}

// More barriers and blocks than are followed: no two rounds are said to meet.
TEST(EpochRounds, TooManyBarriers) {
  std::string between;
  for (int k = 0; k < 2'100; ++k) {
    const std::string label = "M" + std::to_string(k);
    between += kBarrier + "@%p2 bra " + label + "; " + label + ": ";
  }
  EXPECT_EQ(roundsOf("L: " + kStore + kLoad + between + "@%p1 bra L;"), "divided:");
}

}  // namespace
}  // namespace ptxopt::analysis
