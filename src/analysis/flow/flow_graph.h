// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shape of a control-flow graph, without its instructions: an entry, a virtual exit, and edges
// with kinds.  Dominators, loops, control dependence and the dataflow solver need nothing else.
//
// Vertices: block 0 is the entry (it may have predecessors); blockCount() is the virtual exit,
// which has no successors.  Every vertex reaches the exit, even an unreachable block.  If the given
// edges leave an endless loop, an edge of kind Endless is added from the loop to the exit, so that
// every block has a post-dominator.  This edge leaves the vertex of the terminal strongly connected
// component that a depth-first search finishes first, which is a latch of the loop.  It is a latch
// because an edge from the header would make the whole loop body control dependent on the branches
// in it.  A block without any given edge counts as an endless loop.
//
// Cost: O(V + E), twice that if there are endless loops.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/statement.h"
#include "support/bit_set.h"
#include "support/digraph.h"
#include "support/ids.h"
#include "support/order.h"

namespace ptxopt::analysis {

using ir::BlockId;

enum class EdgeKind : std::uint8_t {
  Fallthrough,  // to the next block of the text; also for a guarded branch that is not taken
  Taken,        // bra
  Indirect,     // brx.idx and the like; one edge for each distinct target
  Unknown,      // from an instruction or to a target that is not understood (docs/soundness/ A7.2)
  // To the virtual exit:
  Return,       // ret, and the end of the body
  Exit,         // exit
  Trap,         // trap
  NoReturn,     // a call that never returns
  UnknownExit,  // like Unknown
  Endless,      // virtual: out of an endless loop
};
std::string_view spelling(EdgeKind kind);  // "fallthrough"

struct FlowEdge {
  BlockId source = BlockId::None;
  BlockId target = BlockId::None;
  EdgeKind kind = EdgeKind::Fallthrough;
};

class FlowGraph : public Digraph {
 public:
  // `blockCount` is at least 1.
  FlowGraph(std::uint32_t blockCount, std::vector<FlowEdge> edges);

  std::uint32_t blockCount() const { return vertexCount() - 1; }  // without the exit
  BlockId entry() const { return BlockId{0}; }
  BlockId exit() const { return BlockId{vertexCount() - 1}; }
  IdRange<BlockId> blocks() const { return IdRange<BlockId>(blockCount()); }
  IdRange<BlockId> blocksAndExit() const { return IdRange<BlockId>(vertexCount()); }

  // The vertices of the Digraph are the blocks.
  BlockId source(EdgeId edge) const { return BlockId{Digraph::source(edge)}; }
  BlockId target(EdgeId edge) const { return BlockId{Digraph::target(edge)}; }
  // Edges out of a block are firstOutEdge(block) .. endOutEdge(block) - 1.
  EdgeId firstOutEdge(BlockId block) const { return Digraph::firstOutEdge(indexOf(block)); }
  EdgeId endOutEdge(BlockId block) const { return Digraph::firstOutEdge(indexOf(block) + 1); }
  std::span<const EdgeId> inEdges(BlockId block) const { return Digraph::inEdges(indexOf(block)); }
  IdSpan<BlockId> successors(BlockId block) const {
    return IdSpan<BlockId>(Digraph::successors(indexOf(block)));
  }
  IdSpan<BlockId> predecessors(BlockId block) const {
    return IdSpan<BlockId>(Digraph::predecessors(indexOf(block)));
  }
  IdSpan<BlockId> next(BlockId block, Direction direction) const {
    return IdSpan<BlockId>(Digraph::next(indexOf(block), direction));
  }
  IdSpan<BlockId> previous(BlockId block, Direction direction) const {
    return next(block, opposite(direction));
  }

  EdgeKind kind(EdgeId edge) const { return kinds_[edge]; }
  // True if a path from the entry reaches the block.  For the exit, an endless loop counts too.
  bool isReachable(BlockId block) const { return reachable_.test(block); }

  // The same blocks without the edges in `removed` (one bit for each edge).  Endless edges are
  // recomputed: an old one remains only if it is still needed.
  FlowGraph without(const BitSet& removed) const;

 private:
  std::vector<EdgeKind> kinds_;  // by edge
  BitSet reachable_;
};

// The blocks that `root` reaches, in reverse postorder.
class BlockOrder {
 public:
  BlockOrder(const FlowGraph& graph, BlockId root, Direction direction = Direction::Forward)
      : order_(graph, indexOf(root), direction) {}

  IdSpan<BlockId> blocks() const { return IdSpan<BlockId>(order_.vertices()); }
  // kNone for a block that is not reachable from the root.
  std::uint32_t position(BlockId block) const { return order_.position(indexOf(block)); }
  bool contains(BlockId block) const { return order_.contains(indexOf(block)); }

 private:
  ReversePostorder order_;
};

}  // namespace ptxopt::analysis
