// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control dependence (Ferrante, Ottenstein, Warren: "The Program Dependence Graph and Its Use in
// Optimization", 1987) on the post-dominator tree.
//
// A block is control dependent on an edge a -> s if it post-dominates s but does not strictly
// post-dominate a: once a branches to s, the block will be executed.  A loop header may depend on
// edges that leave the header itself.  Nothing is stored, since in nested loops the relation has
// quadratically many pairs; each query states its cost.
//
// To ignore some edges, as docs/soundness/ C1.2 and C1.5 require, build FlowGraph::without(edges),
// its PostDominators, and their ControlDependence.  The block numbers stay the same.
//
// An Endless edge is virtual: no instruction decides whether its dependents are executed.
#pragma once

#include <span>
#include <vector>

#include "analysis/flow/dominators.h"
#include "analysis/flow/flow_graph.h"
#include "support/bit_set.h"

namespace ptxopt::analysis {

class ControlDependence {
 public:
  // Both must outlive the object.
  ControlDependence(const FlowGraph& graph, const PostDominators& postDominators)
      : graph_(&graph), postDominators_(&postDominators) {}

  // Calls visit(block) for every block that is directly control dependent on `edge`, from its
  // target up the post-dominator tree.  O(answer).
  template <class Visitor>
  void forEachDependent(EdgeId edge, Visitor&& visit) const {
    const BlockId stop = postDominators_->parent(graph_->source(edge));
    for (BlockId b = graph_->target(edge); b != stop; b = postDominators_->parent(b)) visit(b);
  }

  // The edges on which `block` is directly control dependent, in ascending order.  O(edges into the
  // blocks that it post-dominates).
  std::vector<EdgeId> controllers(BlockId block) const;

  // The transitive closure: the blocks that are control dependent on an edge out of one of
  // `branches`, or on an edge out of such a block, and so on.  O((V + E) * inverse Ackermann),
  // however large the answer.
  BitSet iteratedDependents(std::span<const BlockId> branches) const;

  // The inverse: the blocks whose branches decide, directly or not, about `block`.  O(V + E).
  std::vector<BlockId> iteratedControllers(BlockId block) const;

 private:
  const FlowGraph* graph_;
  const PostDominators* postDominators_;
};

}  // namespace ptxopt::analysis
