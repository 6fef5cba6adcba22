// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis/flow/dominators.h"
#include "graphs.h"

namespace ptxopt::analysis {
namespace {

using Set = std::set<BlockId>;

Set setOf(std::span<const BlockId> blocks) {
  return {blocks.begin(), blocks.end()};
}

TEST(Loops, NestWithTheOuterFirst) {
  // 0 -> 1 -> 2 -> 2, 2 -> 3 -> 1, 3 -> 4 -> exit
  const FlowGraph graph =
      test::flowGraph(5, {{0, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 1}, {3, 4}, {4, 5}});
  const Loops loops(graph);
  ASSERT_EQ(loops.count(), 2u);
  EXPECT_TRUE(loops.isReducible());
  EXPECT_EQ(loops.header(LoopId{0}), BlockId{1});
  EXPECT_EQ(loops.parent(LoopId{0}), LoopId::None);
  EXPECT_EQ(setOf(loops.members(LoopId{0})), (Set{BlockId{1}, BlockId{2}, BlockId{3}}));
  EXPECT_EQ(loops.members(LoopId{0}).front(), BlockId{1});
  EXPECT_EQ(loops.header(LoopId{1}), BlockId{2});
  EXPECT_EQ(loops.parent(LoopId{1}), LoopId{0});
  EXPECT_EQ(loops.depth(LoopId{1}), 2u);
  EXPECT_EQ(loops.depthOf(BlockId{0}), 0u);
  EXPECT_EQ(loops.loopOf(BlockId{4}), LoopId::None);
  ASSERT_EQ(loops.exits(LoopId{0}).size(), 1u);
  EXPECT_EQ(graph.target(loops.exits(LoopId{0})[0]), BlockId{4});
  ASSERT_EQ(loops.backEdges(LoopId{0}).size(), 1u);
  EXPECT_EQ(graph.source(loops.backEdges(LoopId{0})[0]), BlockId{3});
}

TEST(Loops, EndlessLoopHasNoExit) {
  const FlowGraph graph = test::flowGraph(2, {{0, 1}, {1, 0}});
  const Loops loops(graph);
  ASSERT_EQ(loops.count(), 1u);
  EXPECT_EQ(loops.header(LoopId{0}), graph.entry());
  EXPECT_TRUE(loops.exits(LoopId{0}).empty());
}

TEST(Loops, RegionWithTwoEntriesIsIrreducible) {
  const FlowGraph graph = test::flowGraph(4, {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3}, {3, 4}});
  const Loops loops(graph);
  ASSERT_EQ(loops.count(), 1u);
  EXPECT_FALSE(loops.isReducible());
  EXPECT_EQ(setOf(loops.entries(LoopId{0})), (Set{BlockId{1}, BlockId{2}}));
  EXPECT_EQ(loops.entries(LoopId{0}).front(), loops.header(LoopId{0}));
}

// The strongly connected components with an edge of the subgraph on `blocks`.
std::vector<Set> cyclesOf(const FlowGraph& graph, const Set& blocks) {
  const auto reaches = [&](BlockId from) {
    Set seen;
    std::vector<BlockId> stack = {from};
    while (!stack.empty()) {
      const BlockId b = stack.back();
      stack.pop_back();
      for (const BlockId next : graph.successors(b)) {
        if (blocks.count(next) != 0 && seen.insert(next).second) stack.push_back(next);
      }
    }
    return seen;
  };
  std::vector<Set> found;
  Set done;
  for (const BlockId b : blocks) {
    if (done.count(b) != 0) continue;
    Set component;
    const Set reached = reaches(b);
    if (reached.count(b) == 0) continue;
    for (const BlockId other : reached) {
      if (reaches(other).count(b) != 0) component.insert(other);
    }
    done.insert(component.begin(), component.end());
    found.push_back(component);
  }
  return found;
}

class LoopCheck {
 public:
  explicit LoopCheck(const FlowGraph& graph)
      : graph_(graph),
        loops_(graph),
        dominators_(graph),
        reached_(test::reachableFrom(graph, BlockId{0})) {}

  void run() {
    Set all;
    for (const BlockId b : graph_.blocksAndExit()) {
      if (reached_.test(b)) {
        all.insert(b);
      } else {
        ASSERT_EQ(loops_.loopOf(b), LoopId::None);
      }
    }
    check(all, LoopId::None);
    EXPECT_EQ(checked_, loops_.count());
    checkNaturalLoops();
  }

 private:
  // The loops directly inside of `parent`, whose members without the header are `blocks`.
  void check(const Set& blocks, LoopId parent) {
    std::set<LoopId> children;
    for (const LoopId loop : loops_.all()) {
      if (loops_.parent(loop) == parent) children.insert(loop);
    }
    const std::vector<Set> cycles = cyclesOf(graph_, blocks);
    ASSERT_EQ(children.size(), cycles.size());
    Set inLoops;
    for (const LoopId loop : children) {
      ++checked_;
      const Set members = setOf(loops_.members(loop));
      ASSERT_TRUE(std::count(cycles.begin(), cycles.end(), members) == 1);
      ASSERT_EQ(members.size(), loops_.members(loop).size());
      ASSERT_EQ(loops_.members(loop).front(), loops_.header(loop));
      ASSERT_EQ(loops_.depth(loop), parent == LoopId::None ? 1 : loops_.depth(parent) + 1);
      ASSERT_TRUE(parent == LoopId::None || parent < loop);
      for (const BlockId b : graph_.blocksAndExit()) {
        ASSERT_EQ(loops_.contains(loop, b), members.count(b) == 1);
      }
      inLoops.insert(members.begin(), members.end());
      checkEdges(loop, members);
      Set inside = members;
      inside.erase(loops_.header(loop));
      ASSERT_NO_FATAL_FAILURE(check(inside, loop));
    }
    for (const BlockId b : blocks) {
      if (inLoops.count(b) == 0) {
        ASSERT_EQ(loops_.loopOf(b), parent);
      }
    }
  }

  void checkEdges(LoopId loop, const Set& members) {
    Set entries;
    std::vector<EdgeId> exits;
    for (EdgeId edge = 0; edge < graph_.edgeCount(); ++edge) {
      const bool fromInside = members.count(graph_.source(edge)) == 1;
      const bool toInside = members.count(graph_.target(edge)) == 1;
      if (!fromInside && toInside && reached_.test(graph_.source(edge))) {
        entries.insert(graph_.target(edge));
      }
      if (fromInside && !toInside && graph_.kind(edge) != EdgeKind::Endless) exits.push_back(edge);
    }
    if (members.count(graph_.entry()) == 1) entries.insert(graph_.entry());
    ASSERT_EQ(setOf(loops_.entries(loop)), entries);
    ASSERT_EQ(loops_.entries(loop).size(), entries.size());
    ASSERT_EQ(loops_.entries(loop).front(), loops_.header(loop));
    ASSERT_EQ(loops_.exits(loop), exits);
  }

  // A reducible loop is the natural loop of its header; every natural loop lies in a loop with that
  // header.
  void checkNaturalLoops() {
    for (const BlockId header : graph_.blocksAndExit()) {
      Set natural;
      for (const BlockId latch : graph_.predecessors(header)) {
        if (!dominators_.dominates(header, latch)) continue;
        natural.insert(header);
        const BitSet body = test::reachableFrom(graph_, latch, header, Direction::Backward);
        for (const BlockId b : graph_.blocksAndExit()) {
          if (body.test(b) && reached_.test(b)) natural.insert(b);
        }
      }
      const auto isHeader = [&](LoopId loop) { return loops_.header(loop) == header; };
      const IdRange<LoopId> loops = loops_.all();
      const auto found = std::ranges::find_if(loops, isHeader);
      if (found == loops.end()) {
        EXPECT_TRUE(natural.empty());
      } else if (loops_.isReducible(*found)) {
        EXPECT_EQ(setOf(loops_.members(*found)), natural);
      } else {
        for (const BlockId b : natural) EXPECT_TRUE(loops_.contains(*found, b));
      }
    }
  }

  const FlowGraph& graph_;
  Loops loops_;
  Dominators dominators_;
  BitSet reached_;
  std::uint32_t checked_ = 0;
};

TEST(Loops, AgreeWithTheirDefinitionOnRandomGraphs) {
  std::mt19937 random(3);
  for (std::uint32_t k = 0; k < 4000; ++k) {
    SCOPED_TRACE(k);
    const FlowGraph graph = test::randomFlowGraph(random, 4 + k % 16);
    LoopCheck(graph).run();
    ASSERT_FALSE(HasFailure());
  }
}

TEST(Loops, OfLongChainsLaddersAndDeepNests) {
  EXPECT_EQ(Loops(test::chain()).count(), 0u);
  EXPECT_EQ(Loops(test::ladder()).count(), 0u);
  const FlowGraph nest = test::nest();
  const Loops loops(nest);
  EXPECT_EQ(loops.count(), nest.blockCount() / 2);
  EXPECT_EQ(loops.depth(LoopId{loops.count() - 1}), loops.count());
  EXPECT_EQ(loops.members(LoopId{0}).size(), nest.blockCount());
}

}  // namespace
}  // namespace ptxopt::analysis
