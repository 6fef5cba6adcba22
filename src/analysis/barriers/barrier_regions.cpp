// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/barrier_regions.h"

#include <algorithm>
#include <cassert>
#include <queue>
#include <utility>

#include "support/bit_set.h"
#include "support/limits.h"

namespace ptxopt::analysis {

// ---- building ----------------------------------------------------------------------------------

BarrierRegions::Node BarrierRegions::addPiece() {
  const auto n = static_cast<Node>(nodes_.size());
  NodeData& node = nodes_.emplace_back();
  node.last = n;
  parents_.push_back(n);
  node.firstEvent = static_cast<std::uint32_t>(events_.size());
  return n;
}

void BarrierRegions::addEvent(const Event& event) {
  NodeData& node = nodes_.back();
  events_.push_back(event);
  ++node.eventCount;
  for (const Direction d : {Direction::Forward, Direction::Backward}) {
    if (d == Direction::Forward && event.ordered == Ordered::AsLower) continue;
    if (d == Direction::Backward && event.ordered == Ordered::AsUpper) continue;
    Side& at = d == Direction::Forward ? node.above : node.below;
    at.set.addMarks(event.marks);
    if (event.key) at.set.add(*event.key);
  }
}

BarrierRegions::Node BarrierRegions::addBarrier(bool separates) {
  const Node n = addPiece();
  nodes_[n].isBarrier = true;
  nodes_[n].separates = separates;
  return n;
}

void BarrierRegions::append(LinkList& list, Node node) {
  const auto added = static_cast<std::uint32_t>(links_.size());
  links_.push_back({node, kNone});
  (list.first == kNone ? list.first : links_[list.last].next) = added;
  list.last = added;
}

void BarrierRegions::addEdge(Node from, Node to) {
  assert(from < nodes_.size() && to < nodes_.size());
  const Neighbours known = successors(from);
  if (std::ranges::find(known, to) != known.end()) return;
  append(nodes_[from].successors, to);
  append(nodes_[to].predecessors, from);
}

// ---- sets --------------------------------------------------------------------------------------

BarrierRegions::Node BarrierRegions::find(Node n) const {
  while (parents_[n] != n) n = parents_[n] = parents_[parents_[n]];
  return n;
}

void BarrierRegions::enter(Node n, Direction d, EffectMarks marks,
                           std::span<const AccessSet::Key> keys, bool isNews) {
  if (nodes_[n].separates) return;
  Side& at = side(n, d);
  const bool wasPending = !at.pending.empty();
  const EffectMarks added = at.set.addMarks(marks);
  if (isNews) at.pending.marks |= added;
  at.set.add(keys, added_);
  if (isNews) at.pending.keys.insert(at.pending.keys.end(), added_.begin(), added_.end());
  entries_ += added_.size();
  if (!wasPending && !at.pending.empty()) work_.push_back(n);
}

void BarrierRegions::travel(Direction d) {
  for (std::size_t at = 0; at < work_.size() && isWithinLimit(); ++at) {
    const Node n = work_[at];
    Delta delta = std::exchange(side(n, d).pending, {});
    std::ranges::sort(delta.keys);
    for (const Node next : onward(n, d)) enter(find(next), d, delta.marks, delta.keys);
  }
  work_.clear();
}

// Propagates the set of every node to its neighbours.  Neighbours that the sweep visits later
// propagate it themselves; for those visited before, it is new.
void BarrierRegions::sweep(Direction d) {
  const bool isForward = d == Direction::Forward;
  const auto count = static_cast<Node>(nodes_.size());
  for (Node k = 0; k < count && isWithinLimit(); ++k) {
    const Node n = isForward ? k : count - 1 - k;
    const AccessSet& set = side(n, d).set;
    for (const Node next : onward(n, d)) {
      const bool isToCome = isForward ? next > n : next < n;
      if (next != n) enter(next, d, set.marks(), set.keys(), !isToCome);
    }
  }
}

void BarrierRegions::solve(std::uint64_t limit) {
  limit_ = limit;
  const bool threadsPart = std::any_of(events_.begin(), events_.end(),
                                       [](const Event& e) { return (e.marks & kPartingEnd) != 0; });
  if (threadsPart) findEverBelow();
  for (const Direction d : {Direction::Forward, Direction::Backward}) {
    sweep(d);
    travel(d);
  }
}

// For "ever below": objects and addresses are distinguished only if there are few classes.
AccessSet::Key BarrierRegions::coarse(AccessSet::Key key) const {
  if (!exceeds(classes_->count(), Limit::RegionClasses)) return key;
  return classes_->countWithoutAddress() <= most(Limit::RegionClasses)
             ? classes_->withoutAddress(key)
             : classes_->withoutObject(key);
}

void BarrierRegions::findEverBelow() {
  everBelow_.resize(nodes_.size());
  std::vector<Node> work;
  for (Node n = static_cast<Node>(nodes_.size()); n-- > 0;) {
    AccessSet& set = everBelow_[n];
    for (std::uint32_t k = 0; k < nodes_[n].eventCount; ++k) {
      const Event& event = events_[nodes_[n].firstEvent + k];
      if (event.ordered == Ordered::AsUpper) continue;
      set.addMarks(event.marks);
      if (event.key) set.add(coarse(*event.key));
    }
    if (!set.empty()) work.push_back(n);
  }
  BitSet isPending(nodes_.size());
  for (const Node n : work) isPending.set(n);
  for (std::size_t at = 0; at < work.size(); ++at) {
    const Node n = work[at];
    isPending.reset(n);
    for (const Node p : predecessors(n)) {
      const bool hasNewMarks = everBelow_[p].addMarks(everBelow_[n].marks()) != 0;
      everBelow_[p].add(everBelow_[n].keys(), added_);
      if ((hasNewMarks || !added_.empty()) && isPending.set(p)) work.push_back(p);
    }
  }
}

EffectMarks BarrierRegions::marksAround(Node barrier) const {
  EffectMarks marks = 0;
  for (const Node p : predecessors(barrier)) marks |= nodes_[find(p)].above.set.marks();
  for (const Node s : successors(barrier)) marks |= nodes_[find(s)].below.set.marks();
  return marks;
}

std::optional<AccessClasses::Conflict> BarrierRegions::conflict(Node barrier, Precision precision,
                                                                Relation relation) const {
  for (const Node p : predecessors(barrier)) {
    const AccessSet& above = nodes_[find(p)].above.set;
    for (const Node s : successors(barrier)) {
      const AccessSet& below = nodes_[find(s)].below.set;
      if (const auto found = classes_->conflict(above, below, precision, relation)) return found;
      if ((below.marks() & kPartingEnd) == 0) continue;
      if (const auto found = classes_->conflict(above, everBelow_[s], precision, relation)) {
        return found;
      }
    }
  }
  return std::nullopt;
}

// Merges the piece above, the barrier and the piece below, if the barrier is the only successor of
// the first and the only predecessor of the last.  The neighbours on each side only receive the
// classes that came from the other side.
bool BarrierRegions::tryJoin(Node b) {
  if (!nodes_[b].predecessors.isSingle() || !nodes_[b].successors.isSingle()) return false;
  const Node upper = find(predecessors(b).front());
  const Node lower = find(successors(b).front());
  NodeData& into = nodes_[upper];
  NodeData& from = nodes_[lower];
  if (upper == lower || !into.successors.isSingle() || !from.predecessors.isSingle() ||
      into.isBarrier || from.isBarrier) {
    return false;
  }
  const auto newsFor = [&](Neighbours neighbours, const AccessSet& set, const AccessSet& known) {
    Delta news;
    const bool anyListens =
        std::ranges::any_of(neighbours, [&](Node n) { return !nodes_[find(n)].separates; });
    if (!anyListens) return news;
    news.marks = static_cast<EffectMarks>(set.marks() & ~known.marks());
    for (const AccessSet::Key key : set.keys()) {
      if (!known.contains(key)) news.keys.push_back(key);
    }
    return news;
  };
  into.above.pending = newsFor(successors(lower), into.above.set, from.above.set);
  into.below.pending = newsFor(predecessors(upper), from.below.set, into.below.set);
  into.above.set.absorb(std::move(from.above.set));
  into.below.set.absorb(std::move(from.below.set));
  into.successors = from.successors;
  parents_[b] = parents_[lower] = upper;
  nodes_[into.last].next = lower;
  into.last = from.last;
  for (const Direction d : {Direction::Forward, Direction::Backward}) {
    if (side(upper, d).pending.empty()) continue;
    work_.push_back(upper);
    travel(d);
  }
  return true;
}

void BarrierRegions::remove(Node b) {
  assert(b < nodes_.size());
  const bool separated = std::exchange(nodes_[b].separates, false);
  nodes_[b].isBarrier = false;
  if (!separated || tryJoin(b)) return;
  enterFromAll(b, Direction::Forward);
  travel(Direction::Forward);
  enterFromAll(b, Direction::Backward);
  travel(Direction::Backward);
}

// Takes over the sets of all its neighbours.
void BarrierRegions::enterFromAll(Node b, Direction d) {
  const Direction back = d == Direction::Forward ? Direction::Backward : Direction::Forward;
  for (const Node n : onward(b, back)) {
    const AccessSet set = side(find(n), d).set;
    enter(b, d, set.marks(), set.keys());
  }
}

// ---- explaining --------------------------------------------------------------------------------

// Calls visit(event) for every event of the region on that side, nearest pieces first, until it
// returns false.  Returns false if there are more pieces and events than the limit.
template <class Visitor>
bool BarrierRegions::walk(Node barrier, Direction d, Visitor&& visit,
                          bool isThroughBarriers) const {
  BitSet seen(nodes_.size());
  std::queue<Node> queue;
  std::size_t visited = 0;
  const auto reach = [&](Node n) {
    n = find(n);
    const bool isOpen = isThroughBarriers || !nodes_[n].separates;
    if (isOpen && seen.set(n)) queue.push(n);
  };
  for (const Node n : onward(barrier, d)) reach(n);
  for (; !queue.empty(); queue.pop()) {
    for (Node part = queue.front(); part != kNone; part = nodes_[part].next) {
      if (reaches(visited++, Limit::ExplainedInstructions)) return false;
      for (const Event& event : events(part)) {
        if (reaches(visited++, Limit::ExplainedInstructions)) return false;
        if (!visit(event)) return true;
      }
    }
    for (const Node n : onward(queue.front(), d)) reach(n);
  }
  return true;
}

std::optional<BarrierRegions::Counts> BarrierRegions::count(Node barrier, Direction d) const {
  Counts counts;
  const bool isComplete = walk(barrier, d, [&](const Event& event) {
    if (d == Direction::Backward || !event.isRepeated) {
      counts.reads += std::uint32_t{event.reads};
      counts.writes += std::uint32_t{event.writes};
    }
    return true;
  });
  if (!isComplete) return std::nullopt;
  return counts;
}

const BarrierRegions::Event* BarrierRegions::findEvent(Node barrier, Direction d,
                                                       std::optional<AccessSet::Key> key,
                                                       EffectMarks marks) const {
  const Event* found = nullptr;
  walk(barrier, d, [&](const Event& event) {
    const Ordered other = d == Direction::Forward ? Ordered::AsUpper : Ordered::AsLower;
    const bool isOrdered = event.ordered != other;
    const bool fits = key ? event.key == key : (event.marks & marks) != 0;
    if (fits && isOrdered) found = &event;
    return found == nullptr;
  });
  return found;
}

const BarrierRegions::Event* BarrierRegions::findEventEverBelow(Node barrier,
                                                                std::optional<AccessSet::Key> key,
                                                                EffectMarks marks) const {
  const Event* found = nullptr;
  const auto fits = [&](const Event& event) {
    return key ? event.key && coarse(*event.key) == key : (event.marks & marks) != 0;
  };
  walk(
      barrier, Direction::Forward,
      [&](const Event& event) {
        if (fits(event)) found = &event;
        return found == nullptr;
      },
      true);
  return found;
}

bool BarrierRegions::anyConflict(
    Node barrier, Relation relation,
    const std::function<bool(const AccessClasses::Conflict&)>& visit) const {
  for (const Node p : predecessors(barrier)) {
    for (const Node s : successors(barrier)) {
      if (classes_->anyConflict(nodes_[find(p)].above.set, nodes_[find(s)].below.set, relation,
                                visit)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace ptxopt::analysis
