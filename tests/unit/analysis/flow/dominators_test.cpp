// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/dominators.h"

#include <gtest/gtest.h>

#include <set>

#include "graphs.h"

namespace ptxopt::analysis {
namespace {

using Set = std::vector<BlockId>;

TEST(Dominators, OfADiamondWithATail) {
  //   0 -> 1, 2 -> 3 -> 4
  const FlowGraph graph = test::flowGraph(5, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 5}});
  const Dominators dominators(graph);
  EXPECT_EQ(dominators.root(), BlockId{0});
  EXPECT_EQ(dominators.parent(BlockId{0}), BlockId::None);
  EXPECT_EQ(dominators.parent(BlockId{3}), BlockId{0});
  EXPECT_EQ(dominators.parent(BlockId{4}), BlockId{3});
  EXPECT_EQ(dominators.depth(BlockId{4}), 2u);
  EXPECT_TRUE(dominators.dominates(BlockId{3}, BlockId{3}));
  EXPECT_FALSE(dominators.strictlyDominates(BlockId{3}, BlockId{3}));
  EXPECT_FALSE(dominators.dominates(BlockId{1}, BlockId{3}));
  EXPECT_EQ(dominators.nearestCommonDominator(BlockId{1}, BlockId{4}), BlockId{0});
  const PostDominators post(graph);
  EXPECT_EQ(post.root(), graph.exit());
  EXPECT_EQ(post.parent(BlockId{0}), BlockId{3});
  EXPECT_TRUE(post.dominates(BlockId{4}, BlockId{0}));
}

TEST(Dominators, LeaveOutWhatTheEntryDoesNotReach) {
  const FlowGraph graph = test::flowGraph(3, {{0, 1}, {2, 1}, {1, 3}});
  const Dominators dominators(graph);
  EXPECT_FALSE(dominators.contains(BlockId{2}));
  EXPECT_FALSE(dominators.dominates(BlockId{2}, BlockId{2}));
  EXPECT_FALSE(dominators.dominates(BlockId{0}, BlockId{2}));
  EXPECT_FALSE(dominators.dominates(BlockId{2}, BlockId{0}));
  EXPECT_EQ(dominators.parent(BlockId{1}), BlockId{0});
  EXPECT_TRUE(dominators.subtree(BlockId{2}).empty());
  EXPECT_TRUE(PostDominators(graph).contains(BlockId{2}));
}

TEST(DominanceFrontiers, OfALoopWithABranch) {
  // 0 -> 1 -> (2 | 3) -> 4 -> 1, 4 -> exit
  const FlowGraph graph =
      test::flowGraph(5, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}});
  const Dominators dominators(graph);
  const DominanceFrontiers frontiers(graph, dominators);
  EXPECT_EQ(frontiers.frontier(BlockId{0}), Set{});
  EXPECT_EQ(frontiers.frontier(BlockId{1}), Set{BlockId{1}});
  EXPECT_EQ(frontiers.frontier(BlockId{2}), Set{BlockId{4}});
  EXPECT_EQ(frontiers.frontier(BlockId{4}), Set{BlockId{1}});
  const Set start = {BlockId{2}};
  EXPECT_EQ(frontiers.iterated(start), (Set{BlockId{1}, BlockId{4}}));
}

void checkTree(const FlowGraph& graph, const DominatorTree& tree) {
  const auto expected = test::dominanceByDefinition(graph, tree.root(), tree.direction());
  std::size_t contained = 0;
  for (const BlockId b : graph.blocksAndExit()) {
    ASSERT_EQ(tree.contains(b), expected[b].test(b));
    if (!tree.contains(b)) continue;
    ++contained;
    std::set<BlockId> subtree;
    std::uint32_t dominators = 0;
    for (const BlockId a : graph.blocksAndExit()) {
      ASSERT_EQ(tree.dominates(a, b), expected[a].test(b)) << indexOf(a) << ' ' << indexOf(b);
      dominators += expected[a].test(b);
      if (expected[b].test(a)) subtree.insert(a);
      if (!tree.contains(a)) continue;
      const BlockId common = tree.nearestCommonDominator(a, b);
      for (const BlockId c : graph.blocksAndExit()) {
        const bool isCommon = expected[c].test(a) && expected[c].test(b);
        ASSERT_EQ(isCommon, expected[c].test(common));
      }
    }
    ASSERT_EQ(tree.depth(b) + 1, dominators);
    ASSERT_EQ(std::set<BlockId>(tree.subtree(b).begin(), tree.subtree(b).end()), subtree);
    ASSERT_EQ(tree.subtree(b).front(), b);
    ASSERT_EQ(tree.subtree(b).size(), subtree.size());
    std::set<BlockId> children;
    tree.forEachChild(b, [&](BlockId child) { children.insert(child); });
    for (const BlockId c : graph.blocksAndExit()) {
      ASSERT_EQ(children.count(c) == 1, tree.contains(c) && tree.parent(c) == b);
    }
  }
  ASSERT_EQ(tree.preorder().size(), contained);
}

void checkFrontiers(const FlowGraph& graph, const DominatorTree& tree, std::mt19937& random) {
  const auto dominates = test::dominanceByDefinition(graph, tree.root(), tree.direction());
  const DominanceFrontiers frontiers(graph, tree);
  IdVector<BlockId, std::set<BlockId>> expected(graph.vertexCount());
  for (const BlockId x : graph.blocksAndExit()) {
    for (const BlockId y : graph.blocksAndExit()) {
      if (!dominates[x].test(y)) continue;
      for (const BlockId next : graph.next(y, tree.direction())) {
        if (x == next || !dominates[x].test(next)) expected[x].insert(next);
      }
    }
    ASSERT_EQ(frontiers.frontier(x), Set(expected[x].begin(), expected[x].end()));
  }

  Set start;
  for (const BlockId b : graph.blocksAndExit()) {
    if (random() % 4 == 0) start.push_back(b);
  }
  std::set<BlockId> iterated;
  Set pending = start;
  while (!pending.empty()) {
    const BlockId b = pending.back();
    pending.pop_back();
    for (const BlockId f : expected[b]) {
      if (iterated.insert(f).second) pending.push_back(f);
    }
  }
  ASSERT_EQ(frontiers.iterated(start), Set(iterated.begin(), iterated.end()));
}

TEST(Dominators, AgreeWithTheirDefinitionOnRandomGraphs) {
  std::mt19937 random(1);
  for (std::uint32_t k = 0; k < 4000; ++k) {
    SCOPED_TRACE(k);
    const FlowGraph graph = test::randomFlowGraph(random, 4 + k % 16);
    const Dominators dominators(graph);
    const PostDominators post(graph);
    ASSERT_NO_FATAL_FAILURE(checkTree(graph, dominators));
    ASSERT_NO_FATAL_FAILURE(checkTree(graph, post));
    ASSERT_NO_FATAL_FAILURE(checkFrontiers(graph, dominators, random));
    ASSERT_NO_FATAL_FAILURE(checkFrontiers(graph, post, random));
    ASSERT_EQ(post.preorder().size(), graph.vertexCount());
  }
}

TEST(Dominators, OfLongChainsLaddersAndDeepNests) {
  const FlowGraph chain = test::chain();
  EXPECT_EQ(Dominators(chain).depth(chain.exit()), chain.blockCount());
  EXPECT_EQ(PostDominators(chain).depth(BlockId{0}), chain.blockCount());
  const FlowGraph ladder = test::ladder();
  EXPECT_EQ(Dominators(ladder).depth(ladder.exit()), 1u);
  EXPECT_EQ(PostDominators(ladder).parent(BlockId{0}), ladder.exit());
  const FlowGraph nest = test::nest();
  EXPECT_EQ(Dominators(nest).depth(nest.exit()), nest.blockCount());
  const Dominators dominators(nest);
  const BlockId innermost{nest.blockCount() / 2 - 1};
  const std::vector<BlockId> found = DominanceFrontiers(nest, dominators).iterated({&innermost, 1});
  EXPECT_EQ(found.size(), nest.blockCount() / 2);
}

}  // namespace
}  // namespace ptxopt::analysis
