// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop forest of a flow graph, reducible or not.
//
// Definition (Havlak: "Nesting of Reducible and Irreducible Loops", 1997): the outermost loops are
// the strongly connected components with at least one edge.  The header of a loop is its block that
// a depth-first search from the entry finds first; its inner loops are those of the component
// without the header.  A loop that is entered only through its header is reducible, and is then the
// natural loop of all edges to the header from inside.  Any other loop is an irreducible region:
// its header is one of its entries, and its inner loops depend on the order of the search.  Blocks
// that the entry does not reach are in no loop.
//
// Cost: near O(V + E) if all loops are reducible (each block and each inner loop is absorbed once,
// outermost loops by disjoint sets).  The entries of an irreducible region are visited again for
// each loop around it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/flow/flow_graph.h"

namespace ptxopt::analysis {

// Dense; a loop has a smaller number than its inner loops.
enum class LoopId : std::uint32_t { None = ~0u };

class Loops {
 public:
  explicit Loops(const FlowGraph& graph);

  std::uint32_t count() const { return loops_.size(); }
  IdRange<LoopId> all() const { return loops_.ids(); }
  bool isReducible() const;  // all loops are; O(loops)

  BlockId header(LoopId loop) const { return loops_[loop].header; }
  // None for an outermost loop.
  LoopId parent(LoopId loop) const { return loops_[loop].parent; }
  // 1 for an outermost loop.
  std::uint32_t depth(LoopId loop) const { return loops_[loop].depth; }
  bool isReducible(LoopId loop) const { return entries(loop).size() == 1; }
  // The blocks through which control can enter the loop, the header first.
  std::span<const BlockId> entries(LoopId loop) const {
    const Loop& of = loops_[loop];
    return std::span(entries_).subspan(of.firstEntry, of.entryCount);
  }
  // All blocks, including those of inner loops; the header first.
  std::span<const BlockId> members(LoopId loop) const {
    return std::span(members_).subspan(loops_[loop].firstMember, loops_[loop].memberCount);
  }
  // O(1).
  bool contains(LoopId loop, BlockId block) const {
    return positions_[block] - loops_[loop].firstMember < loops_[loop].memberCount;
  }

  // The innermost loop around a block; None if there is none.
  LoopId loopOf(BlockId block) const { return innermost_[block]; }
  // The number of loops around a block.
  std::uint32_t depthOf(BlockId block) const {
    return innermost_[block] == LoopId::None ? 0 : loops_[innermost_[block]].depth;
  }

  // Edges from members to other blocks, without Endless edges.  O(edges out of members).
  std::vector<EdgeId> exits(LoopId loop) const;
  // Edges from members to the header.  O(edges into the header).
  std::vector<EdgeId> backEdges(LoopId loop) const;

 private:
  struct Loop {
    BlockId header = BlockId::None;
    LoopId parent = LoopId::None;
    std::uint32_t depth = 0;
    std::uint32_t firstEntry = 0;  // in entries_
    std::uint32_t entryCount = 0;
    std::uint32_t firstMember = 0;  // in members_
    std::uint32_t memberCount = 0;
  };
  class Finder;
  void layOut();

  const FlowGraph* graph_;
  IdVector<LoopId, Loop> loops_;
  IdVector<BlockId, LoopId> innermost_;
  std::vector<BlockId> entries_;
  std::vector<BlockId> members_;                // each loop is a slice
  IdVector<BlockId, std::uint32_t> positions_;  // in members_, or kNone
};

}  // namespace ptxopt::analysis
