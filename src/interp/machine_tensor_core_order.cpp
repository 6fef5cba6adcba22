// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.fence: pipelines of operations that several threads issue, and what relaxed operations
// order together with such fences (PTX ISA 9.7.18.6.3).
//
// What is complete needs no such fence beside operations that release and acquire: the mechanisms
// of the memory model order it.
#include <algorithm>

#include "interp/machine_tensor_core.h"

namespace ptxopt::interp {

void Machine::TensorCores::fence(Thread& thread, const Op& op) {
  const bool isTracked = machine_->options_.detectsRaces;
  if (!op.is(kSecond)) {
    handOver(thread);
    if (isTracked) {
      const Snapshot own = thread.clock.release();
      ThreadClock known = clockOf(thread);
      known.start(Places::kNowhere);
      known.learn(own);
      fencedViews_[&thread].released = known.base();
    }
    return;
  }
  const auto view = fencedViews_.find(&thread);
  if (view != fencedViews_.end()) {
    for (const ClockRef& seen : std::exchange(view->second.seen, {})) {
      view->second.ordered.learn(seen);
    }
    view->second.mergedFrom = nullptr;
  }
  if (isHandedOver_) knownAtFence_[&thread] = clockOf(thread).base();
}

const ThreadClock& Machine::TensorCores::clockOf(const Thread& thread) {
  const auto found = fencedViews_.find(&thread);
  if (found == fencedViews_.end() || found->second.ordered.base() == nullptr) return thread.clock;
  FencedView& view = found->second;
  if (view.mergedFrom == nullptr || view.mergedFrom != thread.clock.base()) {
    view.mergedFrom = thread.clock.base();
    view.merged = thread.clock;
    view.merged.learn(view.ordered.base());
  }
  return view.merged;
}

void Machine::TensorCores::arrive(const Thread& thread, std::vector<ClockRef>& passed) const {
  const auto view = fencedViews_.find(&thread);
  if (view != fencedViews_.end() && view->second.released != nullptr) {
    passed.push_back(view->second.released);
  }
}

void Machine::TensorCores::observe(const Thread& thread, std::span<const ClockRef> passed) {
  if (passed.empty()) return;
  std::vector<ClockRef>& seen = fencedViews_[&thread].seen;
  seen.insert(seen.end(), passed.begin(), passed.end());
}

void Machine::TensorCores::arriveAtCluster(const Thread& thread) {
  arrive(thread, clusterArrivals_[thread.cta->cluster].pending);
}

void Machine::TensorCores::completeArrivals(const Cluster& cluster) {
  const auto found = clusterArrivals_.find(&cluster);
  if (found != clusterArrivals_.end()) {
    found->second.completed = std::exchange(found->second.pending, {});
  }
}

void Machine::TensorCores::observeCluster(const Thread& thread) {
  const auto found = clusterArrivals_.find(thread.cta->cluster);
  if (found != clusterArrivals_.end()) observe(thread, found->second.completed);
}

void Machine::TensorCores::fence(const Turn& turn, const Op& op) {
  for (std::uint32_t k = 0; k < turn.count; ++k) fence(*turn.threads[k], op);
}

void Machine::TensorCores::handOver(Thread& thread) {
  const auto found = issuers_.find(&thread);
  if (found == issuers_.end()) return;
  Issuer& issuer = found->second;
  // Nothing to add to the last one.
  if (!issuer.handovers.empty() && issuer.handovers.back()->issued == issuer.issued) return;
  auto handover = std::make_shared<Handover>();
  handover->clock = thread.clock.own();
  handover->issued = issuer.issued;
  const auto add = [](ThreadClock& agent, std::vector<Snapshot>& to) {
    if (agent.agent() != 0) to.push_back(agent.release());
  };
  add(issuer.copies, handover->copies);
  add(issuer.shifts, handover->shifts);
  add(issuer.sources, handover->sources);
  for (auto& [accumulator, agent] : issuer.accumulators) {
    if (agent.agent() != 0) handover->accumulators.emplace(accumulator, agent.release());
  }
  issuer.thread = thread.clock.agent();
  issuer.handovers.push_back(std::move(handover));
  isHandedOver_ = true;
  if (issuer.handovers.size() > kMostHandovers) issuer.handovers.pop_front();
}

Machine::TensorCores::Issuer& Machine::TensorCores::takeOver(const Thread& thread) {
  Issuer& own = issuers_[&thread];
  const auto known = knownAtFence_.find(&thread);
  if (known == knownAtFence_.end()) return own;
  const auto knows = [&, this](AgentId agent, std::uint32_t clock) {
    if (!machine_->options_.detectsRaces) return true;  // without clocks, all may be known
    return known->second != nullptr && known->second->at(agent) >= clock;
  };
  for (const auto& [other, issuer] : issuers_) {
    if (other == &thread || other->cta->cluster != thread.cta->cluster) continue;
    const auto last =
        std::find_if(issuer.handovers.rbegin(), issuer.handovers.rend(),
                     [&, id = issuer.thread](const auto& h) { return knows(id, h->clock); });
    if (last != issuer.handovers.rend()) own.inherited[other] = *last;
  }
  return own;
}

void Machine::TensorCores::inherit(const Issuer& issuer, ThreadClock& agent,
                                   std::initializer_list<Part> parts) {
  if (agent.agent() == 0) return;  // races are not detected
  for (const auto& [other, handover] : issuer.inherited) {
    for (const Part part : parts) {
      for (const Snapshot& snapshot : (*handover).*part) agent.learn(snapshot);
    }
  }
}

// Products on one accumulator are in order, and so are a product and another one that overwrites
// what it reads.
void Machine::TensorCores::inheritAccumulator(const Issuer& issuer, ThreadClock& agent,
                                              const Accumulator& accumulator) {
  inherit(issuer, agent, {&Handover::sources});
  if (agent.agent() == 0) return;
  for (const auto& [other, handover] : issuer.inherited) {
    const auto found = handover->accumulators.find(accumulator);
    if (found != handover->accumulators.end()) agent.learn(found->second);
  }
}

}  // namespace ptxopt::interp
