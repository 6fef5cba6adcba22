// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dominator and post-dominator trees, and dominance frontiers.
//
// Algorithm: semi-NCA (Georgiadis, Tarjan, Werneck: "Finding Dominators in Practice", 2006), with
// explicit stacks. boost::lengauer_tarjan_dominator_tree is not used because its path compression
// recurses once for each block of a chain, and because it keeps a deque, half a kilobyte, for each
// vertex.  Time O(E log V) for the semidominators; the walk to the nearest common ancestor takes
// O(V^2) in contrived cases and O(V) in real ones.  Memory: 20 bytes a vertex.
//
// Frontiers are computed on demand: those of n nested loops have n^2 / 2 entries.
#pragma once

#include <span>
#include <vector>

#include "analysis/flow/flow_graph.h"
#include "support/ids.h"

namespace ptxopt::analysis {

// A tree of the vertices that the root reaches in `direction`.  Forward from the entry it is the
// dominator tree, Backward from the exit the post-dominator tree; the comments below say
// "dominates" for both.
class DominatorTree {
 public:
  DominatorTree(const FlowGraph& graph, BlockId root, Direction direction);

  Direction direction() const { return direction_; }
  BlockId root() const { return preorder_.front(); }
  bool contains(BlockId block) const { return nodes_[block].position != kNone; }

  // The immediate dominator; None for the root and for vertices outside the tree.
  BlockId parent(BlockId block) const { return nodes_[block].parent; }
  // 0 for the root.
  std::uint32_t depth(BlockId block) const { return nodes_[block].depth; }
  // Every path from the root to b goes through a; a vertex dominates itself.  False if one of them
  // is not in the tree.  O(1).
  bool dominates(BlockId a, BlockId b) const {
    const Node& above = nodes_[a];
    return contains(a) && contains(b) && nodes_[b].position - above.position < above.subtreeSize;
  }
  bool strictlyDominates(BlockId a, BlockId b) const { return a != b && dominates(a, b); }
  // Both must be in the tree.  O(depth).
  BlockId nearestCommonDominator(BlockId a, BlockId b) const {
    while (!dominates(a, b)) a = parent(a);
    return a;
  }

  // All vertices of the tree, each before those that it dominates.
  std::span<const BlockId> preorder() const { return preorder_; }
  // The vertices that v dominates, v itself first; empty if v is not in the tree.
  std::span<const BlockId> subtree(BlockId block) const {
    if (!contains(block)) return {};
    return std::span(preorder_).subspan(nodes_[block].position, nodes_[block].subtreeSize);
  }
  // Calls visit(child) for every vertex whose immediate dominator is v.
  template <class Visitor>
  void forEachChild(BlockId block, Visitor&& visit) const {
    const std::span<const BlockId> all = subtree(block);
    for (std::size_t k = 1; k < all.size(); k += nodes_[all[k]].subtreeSize) visit(all[k]);
  }

 private:
  struct Node {
    BlockId parent = BlockId::None;
    std::uint32_t depth = 0;
    std::uint32_t position = kNone;  // in preorder_
    std::uint32_t subtreeSize = 0;
  };
  IdVector<BlockId, Node> nodes_;
  std::vector<BlockId> preorder_;
  Direction direction_;
};

class Dominators : public DominatorTree {
 public:
  explicit Dominators(const FlowGraph& graph)
      : DominatorTree(graph, graph.entry(), Direction::Forward) {}
};

// Contains every block, even unreachable ones (see FlowGraph).
class PostDominators : public DominatorTree {
 public:
  explicit PostDominators(const FlowGraph& graph)
      : DominatorTree(graph, graph.exit(), Direction::Backward) {}
};

// The frontier of v: the vertices that v does not strictly dominate, but with a predecessor that v
// dominates.  Answers are sorted.  The graph and the tree must outlive the object.
class DominanceFrontiers {
 public:
  DominanceFrontiers(const FlowGraph& graph, const DominatorTree& tree)
      : graph_(&graph), tree_(&tree) {}

  // O(edges out of the blocks that v dominates).
  std::vector<BlockId> frontier(BlockId block) const;
  // The iterated frontier: the smallest set that contains the frontiers of `vertices` and of its
  // own members.  SSA form needs phis there.  O(V + E + answer * log(answer)) for any number of
  // vertices (Sreedhar and Gao: "A Linear Time Algorithm for Placing Phi-Nodes", 1995).
  std::vector<BlockId> iterated(std::span<const BlockId> vertices) const;

 private:
  const FlowGraph* graph_;
  const DominatorTree* tree_;
};

}  // namespace ptxopt::analysis
