// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/dataflow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "graphs.h"
#include "support/shared_set.h"

namespace ptxopt::analysis {
namespace {

// Which blocks lie on some path, or on every path, to a block: what the block itself adds comes
// after it.
template <class Set, Direction kWay, bool kOnEveryPath>
struct PassedBlocks {
  using State = Set;
  static constexpr Direction kDirection = kWay;
  State initial() const { return kOnEveryPath ? all : none; }
  State boundary() const { return none; }
  void meet(State& into, const State& from) const {
    if constexpr (kOnEveryPath) {
      into.intersect(from);
    } else {
      into.unite(from);
    }
  }
  void transfer(BlockId block, State& state) const { state.set(indexOf(block)); }
  Set none;
  Set all;
};

template <class Set, Direction kWay>
void checkAgainstPaths(const FlowGraph& graph, const Set& none, const Set& all) {
  const BlockId start = kWay == Direction::Forward ? graph.entry() : graph.exit();
  const Dataflow<PassedBlocks<Set, kWay, false>> some(graph, {none, all});
  const Dataflow<PassedBlocks<Set, kWay, true>> every(graph, {none, all});
  const auto dominance = test::dominanceByDefinition(graph, start, kWay);
  const BitSet reached = test::reachableFrom(graph, start, BlockId::None, kWay);
  for (const BlockId b : graph.blocksAndExit()) {
    for (const BlockId a : graph.blocksAndExit()) {
      if (!reached.test(b)) {
        ASSERT_FALSE(some.after(b).test(indexOf(a)));
        ASSERT_TRUE(every.after(b).test(indexOf(a)));
        continue;
      }
      ASSERT_EQ(some.after(b).test(indexOf(a)),
                reached.test(a) && test::reachableFrom(graph, a, BlockId::None, kWay).test(b));
      ASSERT_EQ(every.after(b).test(indexOf(a)), dominance[a].test(b));
    }
    if (!reached.test(b)) continue;
    // before() is after() without what the block itself added.
    auto before = every.before(b);
    before.set(indexOf(b));
    ASSERT_TRUE(before == every.after(b));
  }
}

TEST(Dataflow, AgreesWithPathsOnRandomGraphs) {
  std::mt19937 random(6);
  for (std::uint32_t k = 0; k < 500; ++k) {
    SCOPED_TRACE(k);
    const FlowGraph graph = test::randomFlowGraph(random, 4 + k % 12);
    const BitSet none(graph.vertexCount());
    const BitSet all(graph.vertexCount(), true);
    ASSERT_NO_FATAL_FAILURE((checkAgainstPaths<BitSet, Direction::Forward>(graph, none, all)));
    ASSERT_NO_FATAL_FAILURE((checkAgainstPaths<BitSet, Direction::Backward>(graph, none, all)));
    SharedSetPool pool(graph.vertexCount());
    const SharedSet few(pool);
    const SharedSet many(pool, true);
    ASSERT_NO_FATAL_FAILURE((checkAgainstPaths<SharedSet, Direction::Forward>(graph, few, many)));
    ASSERT_NO_FATAL_FAILURE((checkAgainstPaths<SharedSet, Direction::Backward>(graph, few, many)));
  }
}

// The longest way from the entry, cut at a bound: a lattice that is not a set.
struct LongestPath {
  using State = std::uint32_t;
  static constexpr Direction kDirection = Direction::Forward;
  static constexpr std::uint32_t kMost = 100;
  State initial() const { return 0; }
  State boundary() const { return 0; }
  void meet(State& into, State from) const { into = std::max(into, from); }
  void transfer(BlockId, State& state) const { state = std::min(state + 1, kMost); }
};

TEST(Dataflow, TakesAnyLattice) {
  const FlowGraph acyclic = test::flowGraph(4, {{0, 1}, {0, 3}, {1, 2}, {2, 3}, {3, 4}});
  EXPECT_EQ(Dataflow<LongestPath>(acyclic, {}).before(BlockId{3}), 3u);
  const FlowGraph cyclic = test::flowGraph(2, {{0, 1}, {1, 0}, {1, 2}});
  EXPECT_EQ(Dataflow<LongestPath>(cyclic, {}).after(BlockId{0}), LongestPath::kMost);
}

TEST(Dataflow, VisitsEachBlockOfAnAcyclicGraphOnce) {
  for (const FlowGraph& graph : {test::chain(), test::ladder()}) {
    EXPECT_EQ(Dataflow<LongestPath>(graph, {}).transfers(), graph.vertexCount());
  }
}

TEST(Dataflow, DenseSetsAreForSmallProducts) {
  EXPECT_TRUE(denseFits(50'000, 0));
  EXPECT_TRUE(denseFits(1'000, 10'000));
  EXPECT_FALSE(denseFits(50'000, 1'000'000));
}

}  // namespace
}  // namespace ptxopt::analysis
