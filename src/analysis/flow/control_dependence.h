// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control dependence (Ferrante, Ottenstein, Warren: "The Program Dependence Graph and Its Use in
// Optimization", 1987) on the post-dominator tree.
//
// A block is control dependent on an edge a -> s if it post-dominates s but not strictly a: a's
// decision for s makes sure that it is executed.  A loop header may depend on edges of its own.
// Nothing is stored: the relation has quadratically many pairs in nested loops, so each query says
// what it costs.
//
// To judge a graph without some of its edges, as docs/soundness/ C1.2 and C1.5 want, take
// FlowGraph::without(edges), its PostDominators, and the ControlDependence of those; block numbers
// are the same in it.
//
// An Endless edge is virtual: what depends on one is decided by no instruction.
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
  // target upwards in the post-dominator tree.  O(answer).
  template <class Visitor>
  void forEachDependent(EdgeId edge, Visitor&& visit) const {
    const BlockId stop = postDominators_->parent(graph_->source(edge));
    for (BlockId b = graph_->target(edge); b != stop; b = postDominators_->parent(b)) visit(b);
  }

  // The edges on which `block` is directly control dependent, in ascending order.  O(edges into
  // what it post-dominates).
  std::vector<EdgeId> controllers(BlockId block) const;

  // The blocks that are control dependent on an edge out of one of `branches`, or on an edge out of
  // such a block, and so on.  O((V + E) * inverse Ackermann), whatever the answer.
  BitSet iteratedDependents(std::span<const BlockId> branches) const;

  // The other way round: the blocks whose decisions `block` depends on, directly or not.  O(V + E).
  std::vector<BlockId> iteratedControllers(BlockId block) const;

 private:
  const FlowGraph* graph_;
  const PostDominators* postDominators_;
};

}  // namespace ptxopt::analysis
