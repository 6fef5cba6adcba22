// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/dominators.h"

#include <algorithm>
#include <queue>

namespace ptxopt::analysis {

namespace {

// Vertices are identified by their numbers in the preorder of a depth-first search, where the root
// is 0.  So "smaller" means "discovered earlier".
class SemiNca {
 public:
  SemiNca(const FlowGraph& graph, BlockId root, Direction direction)
      : graph_(graph), direction_(direction), numbers_(graph.vertexCount(), kNone) {
    search(root);
    findSemidominators();
    findDominators();
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(nodes_.size()); }
  BlockId vertex(std::uint32_t number) const { return nodes_[number].vertex; }
  // 0 for the root.
  std::uint32_t dominator(std::uint32_t number) const { return nodes_[number].dominator; }

 private:
  struct Node {
    BlockId vertex;
    std::uint32_t ancestor;  // at first the parent in the search
    std::uint32_t semi;
    std::uint32_t best;
    std::uint32_t dominator;
  };

  void search(BlockId root) {
    struct Frame {
      BlockId vertex;
      std::uint32_t nextChild;
    };
    nodes_.reserve(graph_.vertexCount());
    std::vector<Frame> stack;
    stack.reserve(graph_.vertexCount());
    const auto enter = [&](BlockId v, std::uint32_t parent) {
      numbers_[v] = count();
      nodes_.push_back({v, parent, parent, count(), parent});
      stack.push_back({v, 0});
    };
    enter(root, 0);
    while (!stack.empty()) {
      Frame& top = stack.back();
      const IdSpan<BlockId> children = graph_.next(top.vertex, direction_);
      if (top.nextChild == children.size()) {
        stack.pop_back();
        continue;
      }
      const BlockId child = children[top.nextChild++];
      if (numbers_[child] == kNone) enter(child, numbers_[top.vertex]);
    }
  }

  // The semidominator of w: the earliest vertex from which a path leads to w whose inner vertices
  // are all later than w.  Proceeds from the last vertex to the first.  The vertices after w form a
  // forest, in which the best of v is the vertex with the smallest semidominator on the compressed
  // part of the path from v upwards.
  void findSemidominators() {
    for (std::uint32_t w = count(); w-- > 1;) {
      for (const BlockId predecessor : graph_.previous(nodes_[w].vertex, direction_)) {
        const std::uint32_t v = numbers_[predecessor];
        if (v == kNone) continue;
        // A vertex that is not after w is a candidate itself; otherwise the best one above it is.
        nodes_[w].semi = std::min(nodes_[w].semi, v <= w ? v : nodes_[bestAbove(v, w)].semi);
      }
    }
  }

  // The vertex with the smallest semidominator among v and its ancestors that are later than
  // `limit`.
  std::uint32_t bestAbove(std::uint32_t v, std::uint32_t limit) {
    path_.clear();
    while (nodes_[v].ancestor > limit) {
      path_.push_back(v);
      v = nodes_[v].ancestor;
    }
    // Compress the path: v, the last vertex below the limit, becomes the ancestor of all of them.
    while (!path_.empty()) {
      const std::uint32_t lower = path_.back();
      path_.pop_back();
      nodes_[lower].ancestor = nodes_[v].ancestor;
      if (nodes_[nodes_[v].best].semi < nodes_[nodes_[lower].best].semi) {
        nodes_[lower].best = nodes_[v].best;
      }
      v = lower;
    }
    return nodes_[v].best;
  }

  // The immediate dominator of w is the nearest common ancestor, in the tree built so far, of its
  // parent and its semidominator.
  void findDominators() {
    for (std::uint32_t w = 1; w < count(); ++w) {
      std::uint32_t& dominator = nodes_[w].dominator;
      while (dominator > nodes_[w].semi) dominator = nodes_[dominator].dominator;
    }
  }

  const FlowGraph& graph_;
  Direction direction_;
  IdVector<BlockId, std::uint32_t> numbers_;
  std::vector<Node> nodes_;  // by number
  std::vector<std::uint32_t> path_;
};

}  // namespace

DominatorTree::DominatorTree(const FlowGraph& graph, BlockId root, Direction direction)
    : nodes_(graph.vertexCount()), direction_(direction) {
  const SemiNca result(graph, root, direction);

  // A dominator has a smaller number than the vertices that it dominates, so one pass in each
  // direction is enough.
  for (std::uint32_t k = result.count(); k-- > 0;) {
    Node& node = nodes_[result.vertex(k)];
    ++node.subtreeSize;
    if (k > 0) nodes_[result.vertex(result.dominator(k))].subtreeSize += node.subtreeSize;
  }
  preorder_.resize(result.count());
  std::vector<std::uint32_t> free(result.count());  // by number: the next position below it
  for (std::uint32_t k = 0; k < result.count(); ++k) {
    const BlockId vertex = result.vertex(k);
    Node& node = nodes_[vertex];
    node.position = 0;
    if (k > 0) {
      node.parent = result.vertex(result.dominator(k));
      node.depth = nodes_[node.parent].depth + 1;
      node.position = free[result.dominator(k)];
      free[result.dominator(k)] += node.subtreeSize;
    }
    preorder_[node.position] = vertex;
    free[k] = node.position + 1;
  }
}

std::vector<BlockId> DominanceFrontiers::frontier(BlockId v) const {
  std::vector<BlockId> found;
  for (const BlockId inner : tree_->subtree(v)) {
    for (const BlockId next : graph_->next(inner, tree_->direction())) {
      if (!tree_->strictlyDominates(v, next)) found.push_back(next);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<BlockId> DominanceFrontiers::iterated(std::span<const BlockId> vertices) const {
  // Deepest first: a subtree that was walked need not be walked again, because every edge that
  // leaves it to a vertex at or above the depth of an ancestor was found in the first walk.
  const auto isShallower = [&](BlockId a, BlockId b) { return tree_->depth(a) < tree_->depth(b); };
  std::priority_queue<BlockId, std::vector<BlockId>, decltype(isShallower)> queue(isShallower);
  BitSet isQueued(graph_->vertexCount());
  BitSet isWalked(graph_->vertexCount());
  BitSet isFound(graph_->vertexCount());
  const auto enqueue = [&](BlockId v) {
    if (tree_->contains(v) && isQueued.set(v)) queue.push(v);
  };
  for (const BlockId v : vertices) enqueue(v);

  std::vector<BlockId> found;
  std::vector<BlockId> stack;
  const auto walk = [&](BlockId v) {
    if (isWalked.set(v)) stack.push_back(v);
  };
  while (!queue.empty()) {
    const BlockId top = queue.top();
    queue.pop();
    walk(top);
    while (!stack.empty()) {
      const BlockId inner = stack.back();
      stack.pop_back();
      for (const BlockId next : graph_->next(inner, tree_->direction())) {
        if (tree_->depth(next) > tree_->depth(top) || !isFound.set(next)) continue;
        found.push_back(next);
        enqueue(next);
      }
      tree_->forEachChild(inner, walk);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace ptxopt::analysis
