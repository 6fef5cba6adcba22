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
#include "support/digraph.h"

namespace ptxopt::analysis {

// A tree of the vertices that the root reaches in `direction`.  Forward from the entry it is the
// dominator tree, Backward from the exit the post-dominator tree; the comments below say
// "dominates" for both.
class DominatorTree {
 public:
  DominatorTree(const Digraph& graph, Vertex root, Direction direction);

  Direction direction() const { return direction_; }
  Vertex root() const { return preorder_.front(); }
  bool contains(Vertex v) const { return nodes_[v].position != kNone; }

  // The immediate dominator; kNone for the root and for vertices outside the tree.
  Vertex parent(Vertex v) const { return nodes_[v].parent; }
  // 0 for the root.
  std::uint32_t depth(Vertex v) const { return nodes_[v].depth; }
  // Every path from the root to b goes through a; a vertex dominates itself.  False if one of them
  // is not in the tree.  O(1).
  bool dominates(Vertex a, Vertex b) const {
    const Node& above = nodes_[a];
    return contains(a) && contains(b) && nodes_[b].position - above.position < above.subtreeSize;
  }
  bool strictlyDominates(Vertex a, Vertex b) const { return a != b && dominates(a, b); }
  // Both must be in the tree.  O(depth).
  Vertex nearestCommonDominator(Vertex a, Vertex b) const {
    while (!dominates(a, b)) a = parent(a);
    return a;
  }

  // All vertices of the tree, each before those that it dominates.
  std::span<const Vertex> preorder() const { return preorder_; }
  // The vertices that v dominates, v itself first; empty if v is not in the tree.
  std::span<const Vertex> subtree(Vertex v) const {
    if (!contains(v)) return {};
    return std::span(preorder_).subspan(nodes_[v].position, nodes_[v].subtreeSize);
  }
  // Calls visit(child) for every vertex whose immediate dominator is v.
  template <class Visitor>
  void forEachChild(Vertex v, Visitor&& visit) const {
    const std::span<const Vertex> all = subtree(v);
    for (std::size_t k = 1; k < all.size(); k += nodes_[all[k]].subtreeSize) visit(all[k]);
  }

 private:
  struct Node {
    Vertex parent = kNone;
    std::uint32_t depth = 0;
    std::uint32_t position = kNone;  // in preorder_
    std::uint32_t subtreeSize = 0;
  };
  std::vector<Node> nodes_;  // by vertex
  std::vector<Vertex> preorder_;
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
  DominanceFrontiers(const Digraph& graph, const DominatorTree& tree)
      : graph_(&graph), tree_(&tree) {}

  // O(edges out of the blocks that v dominates).
  std::vector<Vertex> frontier(Vertex v) const;
  // The iterated frontier: the smallest set that contains the frontiers of `vertices` and of its
  // own members.  SSA form needs phis there.  O(V + E + answer * log(answer)) for any number of
  // vertices (Sreedhar and Gao: "A Linear Time Algorithm for Placing Phi-Nodes", 1995).
  std::vector<Vertex> iterated(std::span<const Vertex> vertices) const;

 private:
  const Digraph* graph_;
  const DominatorTree* tree_;
};

}  // namespace ptxopt::analysis
