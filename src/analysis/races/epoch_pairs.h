// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of accesses that no barrier keeps apart.
//
// An epoch is what the threads of a CTA execute between two barriers in which all of them take
// part.  Two accesses are of one epoch if both can be reached from the start of the kernel, or from
// one barrier, without crossing another.  bar.warp.sync divides an epoch for two threads of one
// warp, and for no others.
//
// Cost: O(epochs * pieces and events in them), and O(log pairs) for each pair of accesses to one
// object.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/barriers/barrier_graph.h"

namespace ptxopt::analysis {

class EpochPairs {
 public:
  using Event = BarrierRegions::Event;

  struct Pair {
    const Event* first = nullptr;
    const Event* second = nullptr;  // maybe the same
    // A barrier of the warp lies between them wherever they are of one epoch.
    bool areWarpsDifferent = false;
    // In each of these epochs, one of them may be ordered before the other by atomics, fences, or
    // barriers of some of the threads that come between.
    bool mayBeOrdered = false;
  };

  // A graph for races, of which solve() has not been called; it must outlive the object.
  explicit EpochPairs(const BarrierGraph& graph);

  // One of the two writes, not both are strong, and they may touch a common byte.  In the order of
  // the text of the first.
  const std::vector<Pair>& pairs() const { return pairs_; }
  // Some pairs were not looked at, or not compared.
  bool isLimitMet() const { return isLimitMet_ || graph_.classes().isLimitMet(); }

 private:
  using Node = BarrierRegions::Node;
  // An event that takes part in pairs, in one epoch.
  struct Member {
    const Event* event = nullptr;
    bool isOrderedBefore = false;  // something that orders may come before it in the epoch
    bool isOrderedAfter = false;
  };
  enum class Grain : std::uint8_t { Warp, Cta };  // which barriers divide

  void findStarts();
  void addEpoch(Node start, Grain grain);
  // `start` is a piece of code: each barrier is followed by one.
  std::vector<Node> nodesFrom(Node start, Grain grain) const;
  std::unordered_set<Node> orderedNodes(const std::vector<Node>& nodes, Direction direction) const;
  void addMembers(const std::vector<Node>& nodes);
  void addPairs(Grain grain);
  void add(const Member& one, const Member& other, Grain grain);
  bool divides(Node node, Grain grain) const;

  const BarrierGraph& graph_;
  const BarrierRegions& regions_;
  std::vector<bool> isWarpBarrier_;  // by node
  std::vector<Node> starts_;
  std::vector<Node> warpStarts_;
  std::vector<Member> members_;                                         // of the epoch in question
  std::map<std::pair<const Event*, const Event*>, std::size_t> known_;  // in pairs_
  std::vector<Pair> pairs_;
  bool isLimitMet_ = false;
};

}  // namespace ptxopt::analysis
