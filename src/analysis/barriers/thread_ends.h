// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends of threads: which of them are arrivals at which barriers (docs/soundness/ C1.3).
//
// A thread and one that goes on part at a varying branch, so only ends and barriers are connected
// that both can be reached from such a branch without a barrier in between and lie in the same
// component of the code without barriers.  What a thread does in a tail, code after which there is
// no barrier, belongs to its end.
//
// Cost: near O(nodes + edges); a tail counts once for each block that leads into it.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/barriers/barrier_context.h"
#include "analysis/barriers/barrier_regions.h"
#include "analysis/threads/uniformity.h"
#include "support/bit_set.h"

namespace ptxopt::analysis {

// Threads may part at the end of this block, and some of them end before they meet again.
// `endsInside`: threads end in the body other than where its graph says so.
bool threadsMayPart(const BarrierBody& body, const Uniformity* uniformity, BlockId b,
                    bool endsInside);

class ThreadEnds {
 public:
  using Node = BarrierRegions::Node;

  // Must outlive the object.
  explicit ThreadEnds(BarrierRegions& regions) : regions_(regions) {}

  // ---- building, piece by piece -----------------------------------------------------------------
  // Adds the piece in which threads end: before the others of this list.
  void addEndPiece();
  // All pieces that were added since the last call are part of a tail, or not.
  void noteTail(bool isTail) { isInTail_.resize(regions_.nodeCount(), isTail); }
  // A thread may end at the end of the piece.
  void addEnd(Node piece) {
    mayEndIn_.push_back(piece);
    leaving_.push_back({piece, kNone});
  }
  // A thread may go on from the piece into a tail.
  void addWayIntoTail(Node piece, Node tail) { leaving_.push_back({piece, tail}); }
  // Threads may part at the end of the piece.
  void addParting(Node piece) { splits_.push_back(piece); }

  // Adds the arrivals.  `barriers`: the nodes of those that are judged.
  void connect(std::span<const Node> barriers);

 private:
  // A thread may leave the code that leads to barriers after `from`: into a tail, from which none
  // is met, or because it ends.
  struct Leaving {
    Node from = kNone;
    Node tail = kNone;
  };
  // The ends of the threads that leave one component.
  struct Arrival {
    Node node = kNone;
    std::vector<Node> from;
    std::vector<Node> tails;
  };
  class Components;

  BitSet partedFrom(std::span<const Node> barriers, const BitSet& leadsToEnd) const;
  void addArrival(Arrival& arrival);
  const std::vector<BarrierRegions::Event>& eventsOfTail(Node tail);
  void addThreadEnd(EffectMarks marks);
  BitSet reach(const std::vector<Node>& from, Direction direction) const;

  BarrierRegions& regions_;
  Node threadEnd_ = kNone;
  std::vector<Node> mayEndIn_;
  std::vector<Leaving> leaving_;
  std::vector<Node> splits_;
  std::vector<bool> isInTail_;  // by node, as far as there are bodies
  std::unordered_map<Node, std::vector<BarrierRegions::Event>> tails_;
};

}  // namespace ptxopt::analysis
