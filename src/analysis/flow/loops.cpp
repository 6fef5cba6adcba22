// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/loops.h"

#include <algorithm>

namespace ptxopt::analysis {

// Finds the loops from the last header of the depth-first search to the first, so that inner loops
// are stored before the loops around them.
class Loops::Finder {
 public:
  explicit Finder(Loops& result) : result_(result), graph_(*result.graph_) {}

  void find() {
    search();
    for (std::size_t k = order_.size(); k-- > 0;) tryHeader(order_[k]);
  }

 private:
  struct Interval {
    std::uint32_t begin = kNone;  // position in order_
    std::uint32_t end = 0;        // after the last descendant
  };

  void search() {
    struct Frame {
      BlockId block;
      std::uint32_t nextChild;
    };
    intervals_.resize(graph_.vertexCount());
    std::vector<Frame> stack;
    const auto enter = [&](BlockId b) {
      if (intervals_[b].begin != kNone) return;
      intervals_[b].begin = static_cast<std::uint32_t>(order_.size());
      order_.push_back(b);
      stack.push_back({b, 0});
    };
    enter(graph_.entry());
    while (!stack.empty()) {
      Frame& top = stack.back();
      const IdSpan<BlockId> children = graph_.successors(top.block);
      if (top.nextChild < children.size()) {
        enter(children[top.nextChild++]);
      } else {
        intervals_[top.block].end = static_cast<std::uint32_t>(order_.size());
        stack.pop_back();
      }
    }
  }

  bool isReached(BlockId b) const { return intervals_[b].begin != kNone; }
  bool isBelow(BlockId b, BlockId header) const {
    const Interval& of = intervals_[header];
    return intervals_[b].begin >= of.begin && intervals_[b].begin < of.end;
  }

  LoopId outermost(LoopId loop) {
    while (around_[loop] != loop) loop = around_[loop] = around_[around_[loop]];
    return loop;
  }

  void tryHeader(BlockId header) {
    for (const BlockId from : graph_.predecessors(header)) {
      if (isReached(from) && isBelow(from, header)) pending_.push_back(from);
    }
    if (pending_.empty()) return;

    const std::uint32_t firstEntry = static_cast<std::uint32_t>(result_.entries_.size());
    const LoopId loop = result_.loops_.push_back({.header = header, .firstEntry = firstEntry});
    around_.push_back(loop);
    result_.innermost_[header] = loop;
    result_.entries_.push_back(header);
    while (!pending_.empty()) {
      const BlockId b = pending_.back();
      pending_.pop_back();
      LoopId& of = result_.innermost_[b];
      if (of == LoopId::None) {
        of = loop;
        visitPredecessors(b, header);
      } else if (const LoopId inner = outermost(of); inner != loop) {
        around_[inner] = loop;
        result_.loops_[inner].parent = loop;
        // The inner loop can only be entered through its entries.
        for (std::uint32_t k = 0; k < result_.loops_[inner].entryCount; ++k) {
          visitPredecessors(result_.entries_[result_.loops_[inner].firstEntry + k], header);
        }
      }
    }
    result_.loops_[loop].entryCount =
        static_cast<std::uint32_t>(result_.entries_.size()) - firstEntry;
  }

  void visitPredecessors(BlockId b, BlockId header) {
    bool isEntry = false;
    for (const BlockId from : graph_.predecessors(b)) {
      if (!isReached(from)) continue;
      if (isBelow(from, header)) {
        pending_.push_back(from);
      } else {
        isEntry = true;
      }
    }
    if (isEntry) result_.entries_.push_back(b);
  }

  Loops& result_;
  const FlowGraph& graph_;
  std::vector<BlockId> order_;
  IdVector<BlockId, Interval> intervals_;
  IdVector<LoopId, LoopId> around_;  // disjoint sets: a loop that contains this one, or itself
  std::vector<BlockId> pending_;
};

Loops::Loops(const FlowGraph& graph)
    : graph_(&graph),
      innermost_(graph.vertexCount(), LoopId::None),
      positions_(graph.vertexCount(), kNone) {
  Finder(*this).find();
  layOut();
}

// Numbers the loops from outer to inner, and gives each a slice of members_: its header, its other
// blocks, then the slices of its inner loops.
void Loops::layOut() {
  std::reverse(loops_.begin(), loops_.end());
  const auto renumber = [&](LoopId loop) {
    return loop == LoopId::None ? loop : LoopId{count() - 1 - indexOf(loop)};
  };
  for (LoopId& loop : innermost_) loop = renumber(loop);
  for (const LoopId loop : innermost_) {
    if (loop != LoopId::None) ++loops_[loop].memberCount;
  }
  IdVector<LoopId, std::uint32_t> free(count());  // where the next inner loop starts
  for (const LoopId loop : all()) free[loop] = loops_[loop].memberCount;
  for (std::uint32_t k = count(); k-- > 0;) {
    Loop& of = loops_[LoopId{k}];
    of.parent = renumber(of.parent);
    if (of.parent != LoopId::None) loops_[of.parent].memberCount += of.memberCount;
  }

  std::uint32_t total = 0;
  for (const LoopId loop : all()) {
    Loop& of = loops_[loop];
    std::uint32_t& start = of.parent == LoopId::None ? total : free[of.parent];
    of.depth = of.parent == LoopId::None ? 1 : loops_[of.parent].depth + 1;
    of.firstMember = start;
    start += of.memberCount;
    free[loop] += of.firstMember;
  }
  members_.resize(total);
  IdVector<LoopId, std::uint32_t> next(count());
  for (const LoopId loop : all()) {
    positions_[loops_[loop].header] = loops_[loop].firstMember;
    next[loop] = loops_[loop].firstMember + 1;
  }
  for (const BlockId b : innermost_.ids()) {
    if (innermost_[b] == LoopId::None) continue;
    if (positions_[b] == kNone) positions_[b] = next[innermost_[b]]++;
    members_[positions_[b]] = b;
  }
}

bool Loops::isReducible() const {
  return std::ranges::all_of(loops_, [](const Loop& loop) { return loop.entryCount == 1; });
}

std::vector<EdgeId> Loops::exits(LoopId loop) const {
  std::vector<EdgeId> found;
  for (const BlockId member : members(loop)) {
    for (EdgeId edge = graph_->firstOutEdge(member); edge != graph_->endOutEdge(member); ++edge) {
      const bool isVirtual = graph_->kind(edge) == EdgeKind::Endless;
      if (!isVirtual && !contains(loop, graph_->target(edge))) found.push_back(edge);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<EdgeId> Loops::backEdges(LoopId loop) const {
  std::vector<EdgeId> found;
  for (const EdgeId edge : graph_->inEdges(header(loop))) {
    if (contains(loop, graph_->source(edge))) found.push_back(edge);
  }
  return found;
}

}  // namespace ptxopt::analysis
