// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of a CTA and of a cluster.
#include <algorithm>

#include "interp/machine_tensor_core.h"
#include "interp/machine_wake.h"

namespace ptxopt::interp {

std::span<Machine::Thread> Machine::lanesOf(Cta& cta, std::uint32_t warp) const {
  const std::uint32_t first = warp * 32;
  return std::span(cta.threads).subspan(first, std::min(32u, threadsPerCta_ - first));
}

// ---- barriers of the CTA (docs/soundness/ A1) ---------------------------------------------------

void Machine::arriveAtBarrier(Thread& thread, const Op& op) {
  const Slot id = thread.frame[op.a] & 0xffffffffu;
  if (id >= thread.cta->barriers.size()) {
    fault(FindingKind::OutOfBounds, op, "barrier " + std::to_string(id) + " does not exist");
  }
  thread.barrier = static_cast<std::uint32_t>(id);
  block(thread, State::AtBarrier);
  settleWarpAtBarrier(*thread.cta, thread.warp());
}

namespace {

std::string countText(std::uint64_t count) {
  return count == 0 ? "without a count" : "with count " + std::to_string(count);
}

}  // namespace

// A warp arrives when all of its threads that have not exited have arrived (A1.4).
void Machine::settleWarpAtBarrier(Cta& cta, std::uint32_t warp) {
  const std::span<Thread> lanes = lanesOf(cta, warp);
  Thread* first = nullptr;
  // Mostly the last lane is the last that comes.
  for (auto lane = lanes.rbegin(); lane != lanes.rend(); ++lane) {
    Thread& thread = *lane;
    if (thread.state == State::Exited) continue;
    if (thread.state != State::AtBarrier) return;
    if (first != nullptr && thread.barrier != first->barrier) return;
    first = &thread;
  }
  if (first == nullptr) return;

  Barrier& barrier = cta.barriers[first->barrier];
  const Op& op = first->op();
  if (!barrier.isActive) {
    barrier.isActive = true;
    barrier.first = &op;
    barrier.count = op.is(kHasCount) ? (first->frame[op.b] & 0xffffffffu) : 0;
  }
  for (Thread& thread : lanes) {
    if (thread.state != State::AtBarrier) continue;
    const Op& own = thread.op();
    if (&own != &op && (own.is(kAligned) || op.is(kAligned))) {
      Finding& found = finding(FindingKind::BarrierDivergence, op,
                               "threads of one warp are at different aligned barriers: " +
                                   describe(nameOf(*first)) + " is here",
                               &own, "and " + describe(nameOf(thread)) + " is here");
      for (const Thread& lane : lanes) involve(found, agentOf(lane));
    }
    const bool ownReduces = static_cast<BarrierKind>(own.detail) > BarrierKind::Arrive;
    const bool firstReduces = static_cast<BarrierKind>(barrier.first->detail) > BarrierKind::Arrive;
    const std::uint64_t count = own.is(kHasCount) ? (thread.frame[own.b] & 0xffffffffu) : 0;
    if (count != barrier.count || ownReduces != firstReduces) {
      const bool isCount = count != barrier.count;
      Finding& found = finding(FindingKind::BarrierMismatch, own,
                               "barrier " + std::to_string(thread.barrier) + " is used " +
                                   (isCount ? countText(count) + " while threads have come to it " +
                                                  countText(barrier.count)
                                            : "with a reduction and without one"),
                               barrier.first, "this instruction came first");
      involve(found, agentOf(thread));
    }
    if (options_.detectsRaces) barrier.clocks.add(thread.clock);
    if (static_cast<BarrierKind>(own.detail) == BarrierKind::Arrive) {
      ++thread.pc;
      wake(thread);
      continue;
    }
    if (ownReduces) {
      const bool value = thread.frame[own.c] != 0;
      barrier.population += value ? 1 : 0;
      barrier.conjunction = barrier.conjunction && value;
      barrier.disjunction = barrier.disjunction || value;
    }
    thread.state = State::InBarrier;
    barrier.waiting.push_back(&thread);
  }
  barrier.arrived |= std::uint64_t{1} << warp;
  ++barrier.arrivedWarps;
  settleBarrier(cta, barrier);
}

void Machine::settleBarrier(Cta& cta, Barrier& barrier) {
  if (!barrier.isActive) return;
  if (barrier.count != 0) {
    if (barrier.arrivedWarps * 32 < barrier.count) return;
  } else {
    for (std::uint32_t warp = 0; warp * 32 < threadsPerCta_; ++warp) {
      const bool arrived = (barrier.arrived >> warp & 1) != 0;
      if (!arrived && cta.warps[warp].live != 0) return;
    }
  }
  const Barrier complete = std::exchange(barrier, {});
  ClockJoin clocks = complete.clocks;
  const ClockRef known = options_.detectsRaces ? clocks.finish() : nullptr;
  for (Thread* thread : complete.waiting) {
    const Op& op = thread->op();
    switch (static_cast<BarrierKind>(op.detail)) {
      case BarrierKind::Popc:
        putResult(*thread, op.d, complete.population);
        break;
      case BarrierKind::And:
        putResult(*thread, op.d, complete.conjunction ? 1 : 0);
        break;
      case BarrierKind::Or:
        putResult(*thread, op.d, complete.disjunction ? 1 : 0);
        break;
      default:
        break;
    }
    if (known != nullptr) {
      thread->clock.setBase(known);
      // It is also a fence of CTA scope (A1.7).
      fence(thread->clock, isa::Semantics::AcqRel, isa::Scope::Cta);
    }
    ++thread->pc;
    wake(*thread);
  }
}

// ---- barrier.cluster ----------------------------------------------------------------------------

void Machine::clusterBarrier(Thread& thread, const Op& op) {
  Cluster& cluster = *thread.cta->cluster;
  if (op.is(kWait)) {
    if (!thread.arrivedAtCluster) {
      fault(FindingKind::BarrierMismatch, op, "barrier.cluster.wait without an arrive");
    }
    block(thread, State::AtCluster);
    ++cluster.waiting;
    settleCluster(cluster);
    return;
  }
  if (thread.arrivedAtCluster) {
    fault(FindingKind::BarrierMismatch, op, "a second barrier.cluster.arrive without a wait");
  }
  thread.arrivedAtCluster = true;
  thread.clusterPhase = cluster.phase;
  if (options_.detectsRaces) {
    // A relaxed arrival publishes what a fence before it has released to the cluster (A3.2).
    const auto& released = thread.clock.released[levelOf(isa::Scope::Cluster)];
    if (op.semantics != isa::Semantics::Relaxed) {
      cluster.clocks.add(thread.clock);
    } else {
      if (released) cluster.clocks.add(*released);
      if (tensorCores_ != nullptr) tensorCores_->arriveAtCluster(thread);
    }
  }
  --cluster.pending;
  ++thread.pc;
  settleCluster(cluster);
}

void Machine::settleCluster(Cluster& cluster) {
  if (cluster.pending == 0 && cluster.live != 0) {
    ++cluster.phase;
    cluster.pending = cluster.live;
    if (options_.detectsRaces) cluster.lastClock = cluster.clocks.finish();
    if (tensorCores_ != nullptr) tensorCores_->completeArrivals(cluster);
  }
  if (cluster.waiting == 0) return;
  for (const auto& cta : cluster.ctas) {
    for (Thread& thread : cta->threads) {
      if (thread.state != State::AtCluster || thread.clusterPhase == cluster.phase) continue;
      thread.arrivedAtCluster = false;
      --cluster.waiting;
      if (options_.detectsRaces) {
        thread.clock.learn(cluster.lastClock);
        if (tensorCores_ != nullptr) tensorCores_->observeCluster(thread);
      }
      ++thread.pc;
      wake(thread);
    }
  }
}

}  // namespace ptxopt::interp
