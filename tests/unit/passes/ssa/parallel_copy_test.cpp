// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ssa/parallel_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

namespace ptxopt::passes {
namespace {

ir::RegisterId reg(std::uint32_t id) {
  return ir::RegisterId{id};
}

constexpr std::uint32_t kFirstTemporary = 1000;

// Runs the copies one after the other; every register holds its own number before.
std::map<ir::RegisterId, ir::RegisterId> run(const std::vector<RegisterCopy>& sequence) {
  std::map<ir::RegisterId, ir::RegisterId> held;
  for (const RegisterCopy& copy : sequence) {
    held[copy.destination] = held.contains(copy.source) ? held[copy.source] : copy.source;
  }
  return held;
}

struct Result {
  std::vector<RegisterCopy> sequence;
  std::uint32_t temporaries = 0;
};

Result sequenced(const std::vector<RegisterCopy>& parallel) {
  Result result;
  result.sequence = sequentialize(
      parallel, [&](ir::RegisterId) { return reg(kFirstTemporary + result.temporaries++); });
  const auto held = run(result.sequence);
  for (const RegisterCopy& copy : parallel) {
    const auto found = held.find(copy.destination);
    EXPECT_EQ(found != held.end() ? found->second : copy.destination, copy.source);
  }
  return result;
}

TEST(ParallelCopy, WithoutCyclesNeedsNoTemporary) {
  const Result result = sequenced({{reg(1), reg(2)}, {reg(2), reg(3)}, {reg(4), reg(2)}});
  EXPECT_EQ(result.temporaries, 0u);
  EXPECT_EQ(result.sequence.size(), 3u);
}

TEST(ParallelCopy, SwapTakesOneTemporary) {
  const Result result = sequenced({{reg(1), reg(2)}, {reg(2), reg(1)}});
  EXPECT_EQ(result.temporaries, 1u);
  EXPECT_EQ(result.sequence.size(), 3u);
}

TEST(ParallelCopy, EachCycleTakesOne) {
  const Result result = sequenced(
      {{reg(1), reg(2)}, {reg(2), reg(3)}, {reg(3), reg(1)}, {reg(7), reg(8)}, {reg(8), reg(7)}});
  EXPECT_EQ(result.temporaries, 2u);
}

TEST(ParallelCopy, CycleWithABranchNeedsNone) {
  // What a register outside of the cycle takes can be read from there.
  const Result result = sequenced({{reg(1), reg(2)}, {reg(2), reg(1)}, {reg(5), reg(1)}});
  EXPECT_EQ(result.temporaries, 0u);
}

TEST(ParallelCopy, ToItselfIsDropped) {
  EXPECT_TRUE(sequenced({{reg(1), reg(1)}}).sequence.empty());
}

TEST(ParallelCopy, AnyMapOfSmallSets) {
  std::mt19937 random(7);
  for (int round = 0; round < 5000; ++round) {
    const auto below = [&](std::uint32_t end) {
      return static_cast<std::uint32_t>(random() % end);
    };
    const std::uint32_t size = 1 + below(7);
    std::vector<RegisterCopy> parallel;
    for (std::uint32_t k = 0; k < size; ++k) {
      if (below(5) != 0) parallel.push_back({reg(k), reg(below(size))});
    }
    std::shuffle(parallel.begin(), parallel.end(), random);
    sequenced(parallel);
  }
}

}  // namespace
}  // namespace ptxopt::passes
