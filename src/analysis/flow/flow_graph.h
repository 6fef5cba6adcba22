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

#include "support/bit_set.h"
#include "support/digraph.h"

namespace ptxopt::analysis {

using BlockId = Vertex;

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
  BlockId source = 0;
  BlockId target = 0;
  EdgeKind kind = EdgeKind::Fallthrough;
};

class FlowGraph : public Digraph {
 public:
  // `blockCount` is at least 1.
  FlowGraph(std::uint32_t blockCount, std::vector<FlowEdge> edges);

  std::uint32_t blockCount() const { return vertexCount() - 1; }  // without the exit
  BlockId entry() const { return 0; }
  BlockId exit() const { return vertexCount() - 1; }
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

}  // namespace ptxopt::analysis
