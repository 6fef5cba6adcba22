// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/thread_ends.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

namespace ptxopt::analysis {

using ir::Instruction;

bool threadsMayPart(const BarrierBody& body, const Uniformity* uniformity, BlockId b,
                    bool endsInside) {
  const Cfg& cfg = *body.cfg;
  const auto next = cfg.successors(b);
  if (next.size() < 2) return false;
  const Instruction* decision = cfg.block(b).terminator;
  if (uniformity == nullptr || decision == nullptr || !decision->desc->known()) return true;
  bool varies = decision->guard && !uniformity->isUniform(decision->guard.predicate());
  ir::forEachRegister(*decision, [&](const ir::Operand& operand) {
    varies |= operand.reads && !uniformity->isUniform(operand.reg());
  });
  if (!varies) return false;
  // Where nothing but the ends of the graph ends a thread, all of them come to the
  // post-dominator; and in one epoch, if a barrier follows there.  If none does, some may be done
  // with it, and gone, before others have met the barriers before it.
  const BlockId join = body.postDominators->parent(b);
  return join == cfg.exit() || !uniformity->leadsToBarrier(join) || endsInside;
}

void ThreadEnds::addEndPiece() {
  threadEnd_ = regions_.addPiece();
  addThreadEnd(kThreadEnd);
}

// Of the code without a barrier, as disjoint sets.  Tails would join them all.
class ThreadEnds::Components {
 public:
  Components(const BarrierRegions& regions, Node threadEnd, const std::vector<bool>& isInTail)
      : component_(regions.nodeCount()) {
    const Node count = regions.nodeCount();
    std::iota(component_.begin(), component_.end(), 0);
    const auto isInComponent = [&](Node n) {
      return !regions.separates(n) && n != threadEnd && !isInTail[n];
    };
    for (Node n = 0; n < count; ++n) {
      if (!isInComponent(n)) continue;
      for (const Node next : regions.successors(n)) {
        if (isInComponent(next)) component_[find(n)] = find(next);
      }
    }
  }

  Node find(Node n) {
    while (component_[n] != n) n = component_[n] = component_[component_[n]];
    return n;
  }

 private:
  std::vector<Node> component_;
};

void ThreadEnds::connect(std::span<const Node> barriers) {
  std::sort(mayEndIn_.begin(), mayEndIn_.end());
  mayEndIn_.erase(std::unique(mayEndIn_.begin(), mayEndIn_.end()), mayEndIn_.end());
  const std::vector<Node> ends = mayEndIn_;
  for (const Node n : ends) regions_.addEdge(n, threadEnd_);
  if (splits_.empty() || ends.empty()) return;

  const BitSet leadsToEnd = reach(ends, Direction::Backward);
  const BitSet parted = partedFrom(barriers, leadsToEnd);
  Components components(regions_, threadEnd_, isInTail_);
  std::vector<Arrival> arrivals;
  std::unordered_map<Node, std::size_t> arrivalOf;  // by component
  for (const Leaving& leaving : leaving_) {
    if (isInTail_[leaving.from] || !parted.test(leaving.from)) continue;
    if (leaving.tail != kNone && !leadsToEnd.test(leaving.tail)) continue;
    const auto [at, isNew] = arrivalOf.try_emplace(components.find(leaving.from), arrivals.size());
    if (isNew) arrivals.emplace_back();
    arrivals[at->second].from.push_back(leaving.from);
    if (leaving.tail != kNone) arrivals[at->second].tails.push_back(leaving.tail);
  }
  for (Arrival& arrival : arrivals) addArrival(arrival);
  for (const Node barrier : barriers) {
    // The piece above; the others are arrivals.
    const Node p = regions_.predecessors(barrier).front();
    const auto found = arrivalOf.find(components.find(p));
    if (parted.test(p) && found != arrivalOf.end()) {
      regions_.addEdge(arrivals[found->second].node, barrier);
    }
  }
}

// Where threads may be that have parted from others where both an end and a barrier can still be
// met.
BitSet ThreadEnds::partedFrom(std::span<const Node> barriers, const BitSet& leadsToEnd) const {
  std::vector<Node> beforeBarriers;
  for (const Node barrier : barriers) {
    for (const Node p : regions_.predecessors(barrier)) beforeBarriers.push_back(p);
  }
  const BitSet leadsToBarrier = reach(beforeBarriers, Direction::Backward);
  std::vector<Node> splits;
  for (const Node n : splits_) {
    if (leadsToEnd.test(n) && leadsToBarrier.test(n)) splits.push_back(n);
  }
  return reach(splits, Direction::Forward);
}

// Code after which there is no barrier is reached from many components.  What a thread does there
// before it ends is part of its arrival in the component that it left; what others do there after
// they met the barriers of that component is not.
void ThreadEnds::addArrival(Arrival& arrival) {
  arrival.node = regions_.addPiece();
  addThreadEnd(kThreadEnd | kPartingEnd);
  std::sort(arrival.tails.begin(), arrival.tails.end());
  arrival.tails.erase(std::unique(arrival.tails.begin(), arrival.tails.end()), arrival.tails.end());
  for (const Node tail : arrival.tails) {
    for (const BarrierRegions::Event& event : eventsOfTail(tail)) regions_.addEvent(event);
  }
  for (const Node from : arrival.from) regions_.addEdge(from, arrival.node);
}

// One of each kind.
const std::vector<BarrierRegions::Event>& ThreadEnds::eventsOfTail(Node tail) {
  const auto [found, isNew] = tails_.try_emplace(tail);
  std::vector<BarrierRegions::Event>& events = found->second;
  if (!isNew) return events;
  std::set<std::pair<AccessSet::Key, Ordered>> keys;
  std::array<EffectMarks, 2> marks{};  // by order
  reach({tail}, Direction::Forward).forEach([&](std::size_t n) {
    for (BarrierRegions::Event event : regions_.events(static_cast<Node>(n))) {
      EffectMarks& known = marks[static_cast<std::size_t>(event.ordered)];
      const bool isNews =
          event.key ? keys.emplace(*event.key, event.ordered).second : (event.marks & ~known) != 0;
      known |= event.marks;
      event.isRepeated = true;
      if (isNews) events.push_back(event);
    }
  });
  return events;
}

void ThreadEnds::addThreadEnd(EffectMarks marks) {
  BarrierRegions::Event event;
  event.marks = marks;
  regions_.addEvent(event);
}

// Nodes that are reached from `from` without crossing a barrier that separates.
BitSet ThreadEnds::reach(const std::vector<Node>& from, Direction direction) const {
  BitSet seen(regions_.nodeCount());
  std::vector<Node> work;
  const auto visit = [&](Node n) {
    if (!regions_.separates(n) && seen.set(n)) work.push_back(n);
  };
  for (const Node n : from) visit(n);
  while (!work.empty()) {
    const Node n = work.back();
    work.pop_back();
    const auto next =
        direction == Direction::Forward ? regions_.successors(n) : regions_.predecessors(n);
    for (const Node m : next) visit(m);
  }
  return seen;
}

}  // namespace ptxopt::analysis
