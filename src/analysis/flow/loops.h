// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop forest of a flow graph, reducible or not.
//
// Definition (Havlak: "Nesting of Reducible and Irreducible Loops", 1997): the outermost loops are
// the strongly connected components with at least one edge; the header of a loop is the block of it
// that a depth-first search from the entry finds first; the loops inside of it are those of the
// component without its header.  A loop that is entered only through its header is reducible, and
// is then the natural loop of all edges to the header from inside.  Any other is an irreducible
// region: its header is one of its entries, and what nests in it depends on the order of the
// search. Blocks that the entry does not reach are in no loop.
//
// Cost: near O(V + E) where loops are reducible (each block and each inner loop is absorbed once,
// outermost loops by disjoint sets); the entries of an irreducible region are looked at again for
// each loop around it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/flow/flow_graph.h"

namespace ptxopt::analysis {

using LoopId = std::uint32_t;  // dense; a loop has a smaller number than the loops inside of it

class Loops {
 public:
  explicit Loops(const FlowGraph& graph);

  std::uint32_t count() const { return static_cast<std::uint32_t>(loops_.size()); }
  bool isReducible() const;  // all of them; O(loops)

  BlockId header(LoopId loop) const { return loops_[loop].header; }
  // kNone for an outermost loop.
  LoopId parent(LoopId loop) const { return loops_[loop].parent; }
  // 1 for an outermost loop.
  std::uint32_t depth(LoopId loop) const { return loops_[loop].depth; }
  bool isReducible(LoopId loop) const { return entries(loop).size() == 1; }
  // The blocks through which it can be entered, the header first.
  std::span<const BlockId> entries(LoopId loop) const {
    const Loop& of = loops_[loop];
    return std::span(entries_).subspan(of.firstEntry, of.entryCount);
  }
  // All blocks, those of inner loops included; the header first.
  std::span<const BlockId> members(LoopId loop) const {
    return std::span(members_).subspan(loops_[loop].firstMember, loops_[loop].memberCount);
  }
  // O(1).
  bool contains(LoopId loop, BlockId block) const {
    return positions_[block] - loops_[loop].firstMember < loops_[loop].memberCount;
  }

  // Innermost loop around a block; kNone where there is none.
  LoopId loopOf(BlockId block) const { return innermost_[block]; }
  // How many loops are around a block.
  std::uint32_t depthOf(BlockId block) const {
    return innermost_[block] == kNone ? 0 : loops_[innermost_[block]].depth;
  }

  // Edges from members to other blocks, Endless ones left out.  O(edges out of members).
  std::vector<EdgeId> exits(LoopId loop) const;
  // Edges from members to the header.  O(edges into the header).
  std::vector<EdgeId> backEdges(LoopId loop) const;

 private:
  struct Loop {
    BlockId header = kNone;
    LoopId parent = kNone;
    std::uint32_t depth = 0;
    std::uint32_t firstEntry = 0;  // in entries_
    std::uint32_t entryCount = 0;
    std::uint32_t firstMember = 0;  // in members_
    std::uint32_t memberCount = 0;
  };
  class Finder;
  void layOut();

  const FlowGraph* graph_;
  std::vector<Loop> loops_;
  std::vector<LoopId> innermost_;  // by block
  std::vector<BlockId> entries_;
  std::vector<BlockId> members_;          // every loop is a slice
  std::vector<std::uint32_t> positions_;  // by block: in members_, or kNone
};

}  // namespace ptxopt::analysis
