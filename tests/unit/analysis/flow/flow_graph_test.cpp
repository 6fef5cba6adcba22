// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/flow_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "flow_graph_text.h"
#include "graphs.h"
#include "support/strong_components.h"

namespace ptxopt::analysis {
namespace {

using test::edges;

TEST(FlowGraph, WithoutFindsEndlessLoopsAnew) {
  // 0 -> 1 <-> 2, 2 -> exit, 1 -> 3 -> exit.
  const FlowGraph graph(4, {{BlockId{0}, BlockId{1}, EdgeKind::Fallthrough},
                            {BlockId{1}, BlockId{2}, EdgeKind::Fallthrough},
                            {BlockId{1}, BlockId{3}, EdgeKind::Taken},
                            {BlockId{2}, BlockId{1}, EdgeKind::Taken},
                            {BlockId{2}, BlockId{4}, EdgeKind::Return},
                            {BlockId{3}, BlockId{4}, EdgeKind::Return}});
  BitSet removed(graph.edgeCount());
  for (EdgeId edge = 0; edge < graph.edgeCount(); ++edge) {
    if (graph.source(edge) == BlockId{1} && graph.target(edge) == BlockId{3}) removed.set(edge);
    if (graph.source(edge) == BlockId{2} && graph.target(edge) == graph.exit()) removed.set(edge);
  }
  const FlowGraph rest = graph.without(removed);
  EXPECT_EQ(edges(rest), "0-fallthrough->1 1-fallthrough->2 2-taken->1 2-endless->x 3-return->x");
  EXPECT_FALSE(rest.isReachable(BlockId{3}));
  EXPECT_EQ(edges(rest.without(BitSet(rest.edgeCount()))), edges(rest));
}

TEST(FlowGraph, WithoutDropsVirtualEdgesThatAreNeededNoMore) {
  const FlowGraph graph = test::flowGraph(2, {{0, 1}, {1, 0}});
  EXPECT_EQ(edges(graph), "0-taken->1 1-taken->0 1-endless->x");
  BitSet removed(graph.edgeCount());
  removed.set(graph.firstOutEdge(BlockId{0}));
  EXPECT_EQ(edges(graph.without(removed)), "0-endless->x 1-taken->0");
}

TEST(FlowGraph, OneVirtualEdgeLeavesEachLoopThatNoOtherEdgeLeaves) {
  std::mt19937 random(10);
  std::size_t virtualEdges = 0;
  for (std::uint32_t k = 0; k < 3000; ++k) {
    SCOPED_TRACE(k);
    const FlowGraph graph = test::randomFlowGraph(random, 4 + k % 16);
    const BitSet reachExit =
        test::reachableFrom(graph, graph.exit(), BlockId::None, Direction::Backward);
    ASSERT_EQ(reachExit.count(), graph.vertexCount());

    std::vector<Arc> real;
    for (EdgeId edge = 0; edge < graph.edgeCount(); ++edge) {
      if (graph.kind(edge) != EdgeKind::Endless) {
        real.push_back({indexOf(graph.source(edge)), indexOf(graph.target(edge))});
      }
    }
    const StrongComponents strong(Digraph(graph.vertexCount(), real));
    std::set<std::uint32_t> closed;  // components that no real edge leaves
    for (std::uint32_t c = 0; c < strong.count; ++c) closed.insert(c);
    closed.erase(strong.component[indexOf(graph.exit())]);
    for (const Arc& arc : real) {
      if (strong.component[arc.source] != strong.component[arc.target]) {
        closed.erase(strong.component[arc.source]);
      }
    }
    for (EdgeId edge = 0; edge < graph.edgeCount(); ++edge) {
      if (graph.kind(edge) != EdgeKind::Endless) continue;
      ++virtualEdges;
      ASSERT_EQ(graph.target(edge), graph.exit());
      ASSERT_EQ(closed.erase(strong.component[indexOf(graph.source(edge))]), 1u);
    }
    ASSERT_TRUE(closed.empty());
    ASSERT_EQ(test::reachableFrom(graph, graph.entry()).test(graph.exit()),
              graph.isReachable(graph.exit()));
  }
  EXPECT_GT(virtualEdges, 500u);
}

}  // namespace
}  // namespace ptxopt::analysis
