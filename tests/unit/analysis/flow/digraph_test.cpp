// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/digraph.h"

#include <gtest/gtest.h>

#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/graph/topological_sort.hpp>
#include <vector>

#include "analysis/flow/cfg.h"
#include "support/order.h"
#include "support/strong_components.h"

namespace ptxopt::analysis {
namespace {

template <class Graph>
struct CheckConcepts {
  BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<Graph>));
  BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<Graph>));
  BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<Graph>));
  BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<Graph>));
  BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<Graph, Vertex, boost::vertex_index_t>));
};
template struct CheckConcepts<Digraph>;
template struct CheckConcepts<FlowGraph>;
template struct CheckConcepts<Cfg>;
using ReversedCfg = boost::reverse_graph<Cfg>;
BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<ReversedCfg>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<ReversedCfg>));

std::vector<Vertex> list(std::span<const Vertex> vertices) {
  return {vertices.begin(), vertices.end()};
}

TEST(Digraph, NumbersEdgesBySourceAndKeepsTheirOrder) {
  const Digraph graph(3, {{2, 0}, {0, 2}, {0, 1}, {1, 1}, {0, 2}});
  ASSERT_EQ(graph.edgeCount(), 5u);
  EXPECT_EQ(list(graph.successors(0)), (std::vector<Vertex>{2, 1, 2}));
  EXPECT_EQ(list(graph.successors(1)), (std::vector<Vertex>{1}));
  EXPECT_EQ(list(graph.predecessors(2)), (std::vector<Vertex>{0, 0}));
  EXPECT_EQ(list(graph.predecessors(1)), (std::vector<Vertex>{0, 1}));
  for (EdgeId edge : graph.inEdges(2)) {
    EXPECT_EQ(graph.source(edge), 0u);
    EXPECT_EQ(graph.target(edge), 2u);
  }
}

TEST(Digraph, ServesBoostAlgorithmsInBothDirections) {
  const Digraph graph(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  std::vector<Vertex> order;
  boost::topological_sort(graph, std::back_inserter(order));
  EXPECT_EQ(order.front(), 3u);
  EXPECT_EQ(order.back(), 0u);
  order.clear();
  auto reversed = boost::make_reverse_graph(graph);
  boost::topological_sort(reversed, std::back_inserter(order));
  EXPECT_EQ(order.front(), 0u);
  EXPECT_EQ(order.back(), 3u);
}

TEST(Order, PutsEveryVertexBeforeWhatItReachesInAnAcyclicGraph) {
  const Digraph graph(5, {{0, 3}, {0, 1}, {3, 2}, {1, 2}, {4, 0}});
  const ReversePostorder order(graph, 0);
  EXPECT_EQ(order.vertices().size(), 4u);
  EXPECT_FALSE(order.contains(4));
  EXPECT_EQ(order.position(0), 0u);
  EXPECT_EQ(order.position(2), 3u);
  const ReversePostorder reversed(graph, 2, Direction::Backward);
  EXPECT_EQ(reversed.vertices().size(), 5u);
  EXPECT_EQ(reversed.vertices().back(), 4u);
}

TEST(Order, LeavesRootsInTheGivenOrder) {
  const Digraph graph(3, {});
  const std::vector<Vertex> roots = {2, 0, 1};
  EXPECT_EQ(postorder(graph, roots), roots);
}

TEST(Order, FindsWhatAVertexReaches) {
  const Digraph graph(5, {{0, 1}, {1, 2}, {2, 1}, {3, 0}});
  const auto elements = [](const BitSet& set) {
    std::vector<std::size_t> all;
    set.forEach([&](std::size_t v) { all.push_back(v); });
    return all;
  };
  EXPECT_EQ(elements(reachableFrom(graph, 1)), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(elements(reachableFrom(graph, 1, Direction::Backward)),
            (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(elements(reachableFrom(graph, 4)), (std::vector<std::size_t>{4}));
}

TEST(StrongComponents, AreNumberedFromTheSinks) {
  const Digraph graph(5, {{0, 1}, {1, 2}, {2, 1}, {2, 3}, {4, 4}});
  const StrongComponents strong(graph);
  EXPECT_EQ(strong.count, 4u);
  EXPECT_EQ(strong.component[1], strong.component[2]);
  EXPECT_LT(strong.component[3], strong.component[1]);
  EXPECT_LT(strong.component[1], strong.component[0]);
}

}  // namespace
}  // namespace ptxopt::analysis
