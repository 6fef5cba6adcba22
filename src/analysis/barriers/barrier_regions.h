// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The accesses that reach a barrier, or can be reached from it, without crossing another barrier,
// while barriers are removed one after the other: docs/soundness/ C2.1 and C9.
//
// The program is a graph whose nodes are barriers and pieces of code without a barrier.  Each piece
// knows the classes of accesses that reach its end, including its own, and those that can be
// reached from its beginning.  Sets propagate through every node except a barrier that separates.
// When a barrier is removed, only the new classes propagate.  A piece whose only successor is
// another piece with no other predecessor is merged with it, so that a run of removed barriers
// costs as much as one of them.
//
// Cost: each class enters the set of each node at most once over the life of the object, removals
// included: O(edges * classes) at worst, near-linear for straight runs.  A limit on the number of
// these entries may be set; once it is reached, every query answers "unknown".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/addresses/access_classes.h"

namespace ptxopt::analysis {

class BarrierRegions {
 public:
  using Node = std::uint32_t;

  // An effect of an instruction, for explanations.
  struct Event {
    const ir::Instruction* instruction = nullptr;  // null at the end of a thread: marks, no class
    const ir::Function* function = nullptr;
    EffectMarks marks = 0;              // marks, or else
    std::optional<AccessSet::Key> key;  // a class
    Ordered ordered = Ordered::Both;
    bool reads = false;
    bool writes = false;
    bool isRepeated = false;  // it occurs elsewhere below every node that leads here
  };

  explicit BarrierRegions(const AccessClasses& classes) : classes_(&classes) {}

  // ---- building -------------------------------------------------------------------------------
  void reserve(std::size_t nodes) {
    nodes_.reserve(nodes);
    parents_.reserve(nodes);
    links_.reserve(2 * nodes);  // about one edge for each node, from both of its ends
  }
  Node addPiece();
  // Must be called before solve(); the event belongs to the piece that was added last.
  void addEvent(const Event& event);
  Node addBarrier(bool separates);
  void addEdge(Node from, Node to);
  bool separates(Node barrier) const { return nodes_[barrier].separates; }
  class Neighbours;
  Neighbours successors(Node n) const;
  Neighbours predecessors(Node n) const;
  Node nodeCount() const { return static_cast<Node>(nodes_.size()); }
  // The span is valid until the next event is added.
  std::span<const Event> events(Node n) const {
    return std::span(events_).subspan(nodes_[n].firstEvent, nodes_[n].eventCount);
  }

  // ---- queries --------------------------------------------------------------------------------
  // The classes and marks that can be reached from the beginning of a piece without crossing a
  // barrier that separates.  After solve(); complete only if isWithinLimit().
  const AccessSet& belowBeginOf(Node piece) const { return nodes_[find(piece)].below.set; }
  // Call it after adding all nodes, edges and events.  `limit`: total entries in sets, over the
  // life of the object.
  void solve(std::uint64_t limit);
  bool isWithinLimit() const { return entries_ <= limit_; }

  // The marks on either side.
  EffectMarks marksAround(Node barrier) const;
  // A pair of accesses that needs the barrier.
  //
  // If a thread may end below before it reaches another kept barrier, this is the last barrier at
  // which it arrives, and nothing else orders its accesses above with the accesses of other threads
  // below, however far below.  The memory model gives the end of a thread no synchronisation, so no
  // later barrier helps (docs/soundness/ A1.11, E.6).
  std::optional<AccessClasses::Conflict> conflict(Node barrier,
                                                  Precision precision = Precision::Affine,
                                                  Relation relation = Relation::TwoThreads) const;
  // For explanations: AccessClasses::anyConflict() of both sides, ignoring accesses below later
  // barriers.
  bool anyConflict(Node barrier, Relation relation,
                   const std::function<bool(const AccessClasses::Conflict&)>& visit) const;
  void remove(Node barrier);

  // ---- explaining: walks through the region, O(nodes / 64 + its pieces and events) -------------
  // Direction::Backward is above, Forward is below.
  struct Counts {
    std::uint32_t reads = 0;
    std::uint32_t writes = 0;
  };
  // They visit at most Limit::ExplainedInstructions pieces and events, and find nothing further
  // away. None if there are more.
  std::optional<Counts> count(Node barrier, Direction side) const;
  // An event of this class, or with one of these marks.
  const Event* findEvent(Node barrier, Direction side, std::optional<AccessSet::Key> key,
                         EffectMarks marks) const;
  // Like findEvent() below the barrier, but through all later barriers: for pairs that conflict()
  // found below them.
  const Event* findEventEverBelow(Node barrier, std::optional<AccessSet::Key> key,
                                  EffectMarks marks) const;

 private:
  struct Delta {
    EffectMarks marks = 0;
    std::vector<AccessSet::Key> keys;  // each once, in any order
    bool empty() const { return marks == 0 && keys.empty(); }
  };
  // The adjacency lists of all nodes, in one array.
  struct Link {
    Node node = kNone;
    std::uint32_t next = kNone;
  };
  struct LinkList {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
    bool isSingle() const { return first == last && first != kNone; }
  };
  // The state of one direction.  The two directions in which sets propagate are mirror images.
  struct Side {
    AccessSet set;
    Delta pending;
  };
  struct NodeData {
    bool isBarrier = false;
    bool separates = false;
    Node next = kNone;  // in the list of the nodes merged into this one
    Node last = 0;      // the end of that list
    std::uint32_t firstEvent = 0;
    std::uint32_t eventCount = 0;
    Side above;  // classes that reach the end of the node
    Side below;  // classes that can be reached from its beginning
    LinkList successors;
    LinkList predecessors;
  };

  void append(LinkList& list, Node node);
  Node find(Node n) const;
  Side& side(Node n, Direction d) {
    return d == Direction::Forward ? nodes_[n].above : nodes_[n].below;
  }
  Neighbours onward(Node n, Direction d) const;
  // `keys` in ascending order.
  void enter(Node n, Direction d, EffectMarks marks, std::span<const AccessSet::Key> keys,
             bool isNews = true);
  void enterFromAll(Node n, Direction d);
  void sweep(Direction d);
  void travel(Direction d);
  bool tryJoin(Node barrier);
  void findEverBelow();
  template <class Visitor>
  bool walk(Node barrier, Direction side, Visitor&& visit, bool isThroughBarriers = false) const;
  AccessSet::Key coarse(AccessSet::Key key) const;

  const AccessClasses* classes_;
  std::vector<NodeData> nodes_;
  std::vector<Link> links_;
  mutable std::vector<Node> parents_;  // the node into which each node was merged, or itself
  std::vector<Event> events_;
  std::vector<AccessSet> everBelow_;  // by node: through all barriers; empty unless threads part
  std::vector<Node> work_;
  std::vector<AccessSet::Key> added_;  // by the last enter()
  std::uint64_t entries_ = 0;
  std::uint64_t limit_ = 0;
};

// The neighbours of one node.  Valid until the next edge is added.
class BarrierRegions::Neighbours {
 public:
  class Iterator {
   public:
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const Link* links, std::uint32_t at) : links_(links), at_(at) {}
    Node operator*() const { return links_[at_].node; }
    Iterator& operator++() {
      at_ = links_[at_].next;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const Link* links_ = nullptr;
    std::uint32_t at_ = kNone;
  };

  Neighbours(const std::vector<Link>& links, LinkList list) : links_(links.data()), list_(list) {}
  Iterator begin() const { return {links_, list_.first}; }
  Iterator end() const { return {links_, kNone}; }
  Node front() const { return links_[list_.first].node; }

 private:
  const Link* links_;
  LinkList list_;
};

inline BarrierRegions::Neighbours BarrierRegions::successors(Node n) const {
  return {links_, nodes_[n].successors};
}
inline BarrierRegions::Neighbours BarrierRegions::predecessors(Node n) const {
  return {links_, nodes_[n].predecessors};
}
inline BarrierRegions::Neighbours BarrierRegions::onward(Node n, Direction d) const {
  return d == Direction::Forward ? successors(n) : predecessors(n);
}

}  // namespace ptxopt::analysis
