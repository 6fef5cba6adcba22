// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/control_dependence.h"

#include <algorithm>

namespace ptxopt::analysis {

std::vector<EdgeId> ControlDependence::controllers(BlockId block) const {
  std::vector<EdgeId> found;
  for (const BlockId inner : postDominators_->subtree(block)) {
    for (const EdgeId edge : graph_->inEdges(inner)) {
      if (!postDominators_->strictlyDominates(block, graph_->source(edge))) found.push_back(edge);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

BitSet ControlDependence::iteratedDependents(std::span<const BlockId> branches) const {
  BitSet dependents(graph_->vertexCount());
  BitSet isPending(graph_->vertexCount());
  std::vector<BlockId> pending;
  const auto enqueue = [&](BlockId b) {
    if (isPending.set(b)) pending.push_back(b);
  };
  for (const BlockId b : branches) enqueue(b);

  // Disjoint sets with path halving: the nearest ancestor in the tree that is not a dependent yet,
  // so that no block is visited twice.
  IdVector<BlockId, BlockId> skip(graph_->vertexCount());
  for (const BlockId b : skip.ids()) skip[b] = b;
  const auto firstOpen = [&](BlockId b) {
    while (skip[b] != b) b = skip[b] = skip[skip[b]];
    return b;
  };

  while (!pending.empty()) {
    const BlockId branch = pending.back();
    pending.pop_back();
    const BlockId stop = postDominators_->parent(branch);
    if (stop == BlockId::None) continue;  // the exit has no branch
    const std::uint32_t stopDepth = postDominators_->depth(stop);
    for (const BlockId successor : graph_->successors(branch)) {
      for (BlockId b = firstOpen(successor); postDominators_->depth(b) > stopDepth;
           b = firstOpen(b)) {
        dependents.set(b);
        enqueue(b);
        skip[b] = postDominators_->parent(b);
      }
    }
  }
  return dependents;
}

std::vector<BlockId> ControlDependence::iteratedControllers(BlockId block) const {
  // Control dependence is the dominance frontier of the reversed graph.
  return DominanceFrontiers(*graph_, *postDominators_).iterated({&block, 1});
}

}  // namespace ptxopt::analysis
