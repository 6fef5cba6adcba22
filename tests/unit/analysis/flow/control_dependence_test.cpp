// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/control_dependence.h"

#include <gtest/gtest.h>

#include <set>

#include "graphs.h"

namespace ptxopt::analysis {
namespace {

std::vector<BlockId> elements(const BitSet& set) {
  std::vector<BlockId> all;
  set.forEach<BlockId>([&](BlockId b) { all.push_back(b); });
  return all;
}

TEST(ControlDependence, OfADiamondInALoop) {
  // 0 -> 1 -> (2 | 3) -> 4 -> 1, 4 -> 5 -> exit
  const FlowGraph graph =
      test::flowGraph(6, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}, {5, 6}});
  const PostDominators post(graph);
  const ControlDependence dependence(graph, post);
  EXPECT_EQ(dependence.controllers(BlockId{0}).size(), 0u);
  ASSERT_EQ(dependence.controllers(BlockId{2}).size(), 1u);
  EXPECT_EQ(graph.source(dependence.controllers(BlockId{2})[0]), BlockId{1});
  EXPECT_EQ(graph.target(dependence.controllers(BlockId{2})[0]), BlockId{2});
  ASSERT_EQ(dependence.controllers(BlockId{4}).size(), 1u);  // whether the loop goes on
  EXPECT_EQ(graph.source(dependence.controllers(BlockId{4})[0]), BlockId{4});
  EXPECT_EQ(dependence.iteratedControllers(BlockId{2}), (std::vector{BlockId{1}, BlockId{4}}));
  const std::vector inner = {BlockId{1}};
  EXPECT_EQ(elements(dependence.iteratedDependents(inner)), (std::vector{BlockId{2}, BlockId{3}}));
  const std::vector latch = {BlockId{4}};
  EXPECT_EQ(elements(dependence.iteratedDependents(latch)),
            (std::vector{BlockId{1}, BlockId{2}, BlockId{3}, BlockId{4}}));
}

TEST(ControlDependence, WithoutTheExitOfALoopItsBodyDependsOnNoBranch) {
  // A grid-stride loop: 0 -> 1 -> (2 -> 1 | 3 -> exit).
  const FlowGraph graph = test::flowGraph(4, {{0, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 4}});
  BitSet removed(graph.edgeCount());
  for (EdgeId edge = 0; edge < graph.edgeCount(); ++edge) {
    if (graph.source(edge) == BlockId{1} && graph.target(edge) == BlockId{3}) removed.set(edge);
  }
  const std::vector branch = {BlockId{1}};
  const PostDominators before(graph);
  EXPECT_TRUE(ControlDependence(graph, before).iteratedDependents(branch).test(BlockId{2}));
  const FlowGraph rest = graph.without(removed);
  const PostDominators after(rest);
  EXPECT_TRUE(ControlDependence(rest, after).iteratedDependents(branch).empty());
}

TEST(ControlDependence, AgreesWithItsDefinitionOnRandomGraphs) {
  std::mt19937 random(2);
  for (std::uint32_t k = 0; k < 3000; ++k) {
    SCOPED_TRACE(k);
    const FlowGraph whole = test::randomFlowGraph(random, 4 + k % 16);
    BitSet removed(whole.edgeCount());
    for (EdgeId edge = 0; edge < whole.edgeCount(); ++edge) {
      if (k % 2 == 1 && random() % 8 == 0) removed.set(edge);
    }
    const FlowGraph graph = whole.without(removed);
    const PostDominators post(graph);
    const ControlDependence dependence(graph, post);
    const auto dominates = test::dominanceByDefinition(graph, graph.exit(), Direction::Backward);
    const auto depends = [&](BlockId b, EdgeId edge) {
      const BlockId source = graph.source(edge);
      return dominates[b].test(graph.target(edge)) && (b == source || !dominates[b].test(source));
    };

    IdVector<BlockId, std::set<BlockId>> controllers(graph.vertexCount());
    IdVector<BlockId, std::set<BlockId>> dependents(graph.vertexCount());
    for (const BlockId b : graph.blocksAndExit()) {
      std::vector<EdgeId> expected;
      for (EdgeId edge = 0; edge < graph.edgeCount(); ++edge) {
        if (!depends(b, edge)) continue;
        expected.push_back(edge);
        controllers[b].insert(graph.source(edge));
        dependents[graph.source(edge)].insert(b);
      }
      ASSERT_EQ(dependence.controllers(b), expected);
    }
    for (EdgeId edge = 0; edge < graph.edgeCount(); ++edge) {
      dependence.forEachDependent(edge, [&](BlockId b) { ASSERT_TRUE(depends(b, edge)); });
    }

    const auto closure = [&](const IdVector<BlockId, std::set<BlockId>>& relation, BlockId from) {
      std::set<BlockId> all;
      std::vector<BlockId> pending = {from};
      while (!pending.empty()) {
        const BlockId b = pending.back();
        pending.pop_back();
        for (const BlockId next : relation[b]) {
          if (all.insert(next).second) pending.push_back(next);
        }
      }
      return std::vector<BlockId>(all.begin(), all.end());
    };
    for (const BlockId b : graph.blocksAndExit()) {
      ASSERT_EQ(dependence.iteratedControllers(b), closure(controllers, b));
      ASSERT_EQ(elements(dependence.iteratedDependents({&b, 1})), closure(dependents, b));
    }
  }
}

TEST(ControlDependence, OfLongChainsLaddersAndDeepNests) {
  for (const FlowGraph& graph : {test::chain(), test::ladder(), test::nest()}) {
    const PostDominators post(graph);
    const ControlDependence dependence(graph, post);
    std::vector<BlockId> all;
    std::size_t branches = 0;
    for (const BlockId b : graph.blocksAndExit()) {
      all.push_back(b);
      branches += graph.successors(b).size() > 1;
    }
    const BitSet dependents = dependence.iteratedDependents(all);
    EXPECT_EQ(dependents.empty(), branches == 0);
    EXPECT_EQ(dependence.iteratedControllers(BlockId{graph.blockCount() / 2}).empty(),
              branches == 0);
  }
}

}  // namespace
}  // namespace ptxopt::analysis
