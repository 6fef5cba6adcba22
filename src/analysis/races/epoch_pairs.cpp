// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/races/epoch_pairs.h"

#include <algorithm>

#include "ir/effect.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using Event = BarrierRegions::Event;

// Threads may agree on an order by it.  A strong access alone does not order others.
bool mayOrder(const Event& event) {
  if ((event.marks & (kOpaqueSync | kCtaFence | kBarrierResource)) == 0) {
    return event.key && ir::effectOf(*event.instruction) == isa::Effect::Sync;
  }
  switch (ir::effectOf(*event.instruction)) {
    case isa::Effect::Strong:
    case isa::Effect::Weak:
    case isa::Effect::InvariantRead:
      return false;
    default:
      return event.instruction->desc->control != isa::Control::Trap;
  }
}

// Neither is it something else than an access, nor what unknown code may do.
bool isKnown(const AccessClasses& classes, const Event& event) {
  const AccessClass& of = classes.of(*event.key);
  const isa::InstructionDesc& desc = *event.instruction->desc;
  const bool isUnknown = !desc.known() || desc.control == isa::Control::Call;
  return (of.kinds & kSync) == 0 && !(isUnknown && of.domain == Domain::Any);
}

}  // namespace

EpochPairs::EpochPairs(const BarrierGraph& graph)
    : graph_(graph), regions_(graph.regions()), isWarpBarrier_(graph.regions().nodeCount()) {
  for (const Node node : graph.warpBarriers()) isWarpBarrier_[node] = true;
  findStarts();
  for (const Node start : starts_) addEpoch(start, Grain::Warp);
  for (const Node start : warpStarts_) addEpoch(start, Grain::Warp);
  // Without barriers of a warp, both grains have the same epochs.
  if (!graph.warpBarriers().empty()) {
    for (const Node start : starts_) addEpoch(start, Grain::Cta);
  }
  std::ranges::stable_sort(pairs_, {}, [](const Pair& pair) {
    return std::pair(pair.first->instruction->source.begin, pair.second->instruction->source.begin);
  });
}

bool EpochPairs::divides(Node node, Grain grain) const {
  return regions_.separates(node) || (grain == Grain::Warp && isWarpBarrier_[node]);
}

void EpochPairs::findStarts() {
  for (Node node = 0; node < regions_.nodeCount(); ++node) {
    const auto before = regions_.predecessors(node);
    if (before.begin() == before.end()) starts_.push_back(node);
    if (!divides(node, Grain::Warp)) continue;
    for (const Node next : regions_.successors(node)) {
      (regions_.separates(node) ? starts_ : warpStarts_).push_back(next);
    }
  }
}

void EpochPairs::addEpoch(Node start, Grain grain) {
  addMembers(nodesFrom(start, grain));
  addPairs(grain);
}

std::vector<EpochPairs::Node> EpochPairs::nodesFrom(Node start, Grain grain) const {
  std::vector<Node> nodes = {start};
  std::unordered_set<Node> seen{start};
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    for (const Node next : regions_.successors(nodes[at])) {
      if (!divides(next, grain) && seen.insert(next).second) nodes.push_back(next);
    }
  }
  return nodes;
}

// Of the nodes of an epoch those that come after one with something that orders; backward: before.
std::unordered_set<EpochPairs::Node> EpochPairs::orderedNodes(const std::vector<Node>& nodes,
                                                              Direction direction) const {
  const std::unordered_set<Node> epoch(nodes.begin(), nodes.end());
  std::unordered_set<Node> ordered;
  std::vector<Node> work;
  for (const Node node : nodes) {
    if (std::ranges::any_of(regions_.events(node), mayOrder)) work.push_back(node);
  }
  while (!work.empty()) {
    const Node node = work.back();
    work.pop_back();
    const bool isForward = direction == Direction::Forward;
    for (const Node next : isForward ? regions_.successors(node) : regions_.predecessors(node)) {
      if (epoch.contains(next) && ordered.insert(next).second) work.push_back(next);
    }
  }
  return ordered;
}

// All accesses of the nodes, and what may order them there.
void EpochPairs::addMembers(const std::vector<Node>& nodes) {
  members_.clear();
  const std::unordered_set<Node> before = orderedNodes(nodes, Direction::Forward);
  const std::unordered_set<Node> after = orderedNodes(nodes, Direction::Backward);
  for (const Node node : nodes) {
    const auto events = regions_.events(node);
    bool isOrdered = before.contains(node);
    const std::size_t first = members_.size();
    for (const Event& event : events) {
      // What orders comes before the access that it is part of.
      isOrdered |= mayOrder(event);
      const bool isAccess =
          event.key && (event.reads || event.writes) && isKnown(graph_.classes(), event);
      if (isAccess) members_.push_back({&event, isOrdered, false});
    }
    isOrdered = after.contains(node);
    for (std::size_t k = events.size(), member = members_.size(); k-- > 0;) {
      if (member > first && members_[member - 1].event == &events[k]) {
        members_[--member].isOrderedAfter = isOrdered;
      }
      isOrdered |= mayOrder(events[k]);
    }
  }
}

void EpochPairs::addPairs(Grain grain) {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    for (std::size_t n = k; n < members_.size() && !isLimitMet_; ++n) {
      if (members_[k].event->writes || members_[n].event->writes) {
        add(members_[k], members_[n], grain);
      }
    }
  }
}

void EpochPairs::add(const Member& one, const Member& other, Grain grain) {
  const AccessClasses& classes = graph_.classes();
  const AccessClass& a = classes.of(*one.event->key);
  const AccessClass& b = classes.of(*other.event->key);
  constexpr AccessKinds kStrong = kStrongRead | kStrongWrite;
  if ((a.kinds & kStrong) != 0 && (b.kinds & kStrong) != 0) return;
  const bool areWarpsDifferent = grain == Grain::Cta;
  const bool mayBeOrdered = (one.isOrderedAfter && other.isOrderedBefore) ||
                            (other.isOrderedAfter && one.isOrderedBefore);
  // Most pairs do not conflict, which is known by their classes.
  if (!classes.mayConflict(a, b, Relation::TwoThreads)) return;
  const bool hasAddresses = a.address != AddressId::None && b.address != AddressId::None;
  if (classes.isWorkSpent() || (classes.isLimitMet() && !hasAddresses)) {
    isLimitMet_ = classes.isWorkSpent();
    return;
  }
  const std::pair key(std::min(one.event, other.event), std::max(one.event, other.event));
  if (const auto known = known_.find(key); known != known_.end()) {
    pairs_[known->second].mayBeOrdered &= mayBeOrdered;
    return;
  }
  if (areWarpsDifferent && !classes.mayConflict(a, b, Relation::TwoWarps)) return;
  if (exceeds(pairs_.size() + 1, Limit::RacePairs)) {
    isLimitMet_ = true;
    return;
  }
  known_.emplace(key, pairs_.size());
  const bool isInOrder =
      one.event->instruction->source.begin <= other.event->instruction->source.begin;
  pairs_.push_back({isInOrder ? one.event : other.event, isInOrder ? other.event : one.event,
                    areWarpsDifferent, mayBeOrdered});
}

}  // namespace ptxopt::analysis
