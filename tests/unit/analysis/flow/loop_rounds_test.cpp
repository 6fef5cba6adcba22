// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/loop_rounds.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/barrier.h"
#include "value_text.h"

namespace ptxopt::analysis {
namespace {

// From the only store over the n-th barrier to the only load: "0 1 2 3+ anew", those that there
// are.
std::string roundsOf(const std::string& code, std::size_t n = 0) {
  test::ValueFunction f(".reg .pred %p<4>; .reg .b32 %r<9>;" + code, "",
                        ".shared .align 4 .b8 A[64];");
  const ir::Instruction* store = nullptr;
  const ir::Instruction* load = nullptr;
  std::vector<const ir::Instruction*> barriers;
  for (const ir::Instruction* instruction : f.instructions()) {
    if (instruction->desc->opcode == isa::Opcode::St) store = instruction;
    if (instruction->desc->opcode == isa::Opcode::Ld) load = instruction;
    if (ir::ctaBarrier(*instruction)) barriers.push_back(instruction);
  }
  const auto found = roundsBetween(
      f.analyses().get<Cfg>(), f.analyses().get<Loops>(), LoopId{0}, *store, *barriers.at(n), *load,
      [](const ir::Instruction& i) { return ir::ctaBarrier(i).has_value(); });
  if (!found) return "unknown";
  std::string text;
  for (std::size_t k = 0; k < found->after.size(); ++k) {
    if (found->after[k]) text += k == LoopRounds::kMost ? "3+ " : std::to_string(k) + " ";
  }
  return text + (found->anew ? "anew" : "");
}

const std::string kStore = "st.shared.u32 [A], 0; ";
const std::string kLoad = "ld.shared.u32 %r1, [A]; ";
const std::string kBarrier = "bar.sync 0; ";

TEST(LoopRounds, InOneLoop) {
  EXPECT_EQ(roundsOf("L: " + kStore + kBarrier + kLoad + "@%p1 bra L;"), "0 ");
  EXPECT_EQ(roundsOf("L: " + kLoad + kStore + kBarrier + "@%p1 bra L;"), "1 ");
  EXPECT_EQ(roundsOf("L: " + kLoad + kBarrier + kStore + "@%p1 bra L;"), "2 ");
  // The barrier may be left out in a round, but not the other one.
  EXPECT_EQ(roundsOf("L: " + kStore + "@%p2 bra M; " + kBarrier + "M: " + kLoad + "@%p1 bra L;"),
            "0 1 2 3+ ");
  EXPECT_EQ(roundsOf("L: " + kStore + kBarrier + kLoad + kBarrier + "@%p1 bra L;"), "0 ");
  EXPECT_EQ(roundsOf("L: " + kStore + kBarrier + kLoad + kBarrier + "@%p1 bra L;", 1), "");
}

TEST(LoopRounds, OfNestedLoops) {
  // Loop 0 is the outer one.
  EXPECT_EQ(roundsOf("K: L: " + kStore + kBarrier + kLoad + "@%p1 bra L; @%p2 bra K;"), "0 ");
  EXPECT_EQ(
      roundsOf("K: mov.u32 %r2, 0; L: " + kLoad + kStore + kBarrier + "@%p1 bra L; @%p2 bra K;"),
      "0 1 ");
}

TEST(LoopRounds, BehindALoop) {
  EXPECT_EQ(roundsOf("L: " + kStore + "@%p1 bra L; " + kBarrier + kLoad), "0 1 2 3+ ");
  EXPECT_EQ(roundsOf(kStore + kBarrier + "L: " + kLoad + "@%p1 bra L;"), "anew");
}

}  // namespace
}  // namespace ptxopt::analysis
