// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers and the collectives of a warp.
#include <algorithm>
#include <bit>
#include <cmath>

#include "interp/arithmetic/floating.h"
#include "interp/machine.h"

namespace ptxopt::interp {

std::span<Machine::Thread> Machine::lanesOf(Cta& cta, std::uint32_t warp) const {
  const std::uint32_t first = warp * 32;
  return std::span(cta.threads).subspan(first, std::min(32u, threadsPerCta_ - first));
}

std::uint32_t Machine::liveLanes(const Cta& cta, std::uint32_t warp) const {
  std::uint32_t lanes = 0;
  const std::uint32_t end = std::min(threadsPerCta_, warp * 32 + 32);
  for (std::uint32_t k = warp * 32; k < end; ++k) {
    if (cta.threads[k].state != State::Exited) lanes |= 1u << k % 32;
  }
  return lanes;
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

// A warp arrives when all of its threads that have not exited have arrived (A1.4).
void Machine::settleWarpAtBarrier(Cta& cta, std::uint32_t warp) {
  const std::span<Thread> lanes = lanesOf(cta, warp);
  Thread* first = nullptr;
  for (Thread& thread : lanes) {
    if (thread.state == State::Exited) continue;
    if (thread.state != State::AtBarrier) return;
    if (first == nullptr) first = &thread;
    if (thread.barrier != first->barrier) return;
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
      Finding& found =
          finding(FindingKind::BarrierMismatch, own,
                  "barrier " + std::to_string(thread.barrier) + " is used with " +
                      (count != barrier.count ? "another count" : "a reduction and without one"),
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
      if (!arrived && liveLanes(cta, warp) != 0) return;
    }
  }
  const Barrier complete = std::exchange(barrier, {});
  ClockJoin clocks = complete.clocks;
  const ClockRef known = options_.detectsRaces ? clocks.finish() : nullptr;
  for (Thread* thread : complete.waiting) {
    const Op& op = thread->op();
    switch (static_cast<BarrierKind>(op.detail)) {
      case BarrierKind::Popc:
        thread->frame[op.d] = complete.population;
        break;
      case BarrierKind::And:
        thread->frame[op.d] = complete.conjunction ? 1 : 0;
        break;
      case BarrierKind::Or:
        thread->frame[op.d] = complete.disjunction ? 1 : 0;
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
    settleCluster(cluster);
    return;
  }
  if (thread.arrivedAtCluster) {
    fault(FindingKind::BarrierMismatch, op, "a second barrier.cluster.arrive without a wait");
  }
  thread.arrivedAtCluster = true;
  thread.clusterPhase = cluster.phase;
  if (options_.detectsRaces && op.semantics != isa::Semantics::Relaxed) {
    cluster.clocks.add(thread.clock);
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
  }
  for (const auto& cta : cluster.ctas) {
    for (Thread& thread : cta->threads) {
      if (thread.state != State::AtCluster || thread.clusterPhase == cluster.phase) continue;
      thread.arrivedAtCluster = false;
      if (options_.detectsRaces) {
        thread.clock.learn(cluster.lastClock);
      }
      ++thread.pc;
      wake(thread);
    }
  }
}

// ---- collectives of a warp ----------------------------------------------------------------------

void Machine::arriveAtCollective(Thread& thread, const Op& op) {
  const std::uint32_t self = 1u << thread.lane();
  thread.mask = op.is(kHasMask) ? static_cast<std::uint32_t>(thread.frame[op.e]) : self;
  if (op.is(kHasMask) && (thread.mask & self) == 0) {
    involve(finding(FindingKind::BarrierDivergence, op,
                    describe(nameOf(thread)) + " is not in the mask that it names"),
            agentOf(thread));
    thread.mask |= self;
  }
  block(thread, State::AtCollective);
  if (op.is(kHasMask)) {
    settleCollective(*thread.cta, thread.warp());
  } else {
    // Without a mask: the threads that are here once no other thread of the warp can continue.
    for (const Thread& lane : lanesOf(*thread.cta, thread.warp())) {
      if (lane.state == State::Running) return;
    }
    releaseConverging(*thread.cta, thread.warp());
  }
}

void Machine::settleCollective(Cta& cta, std::uint32_t warp) {
  const std::uint32_t live = liveLanes(cta, warp);
  const std::span<Thread> lanes = lanesOf(cta, warp);
  for (std::uint32_t seen = 0; Thread & thread : lanes) {
    const std::uint32_t bit = 1u << thread.lane();
    if (thread.state != State::AtCollective || (seen & bit) != 0) continue;
    const Op& op = thread.op();
    if (!op.is(kHasMask)) continue;
    const std::uint32_t group = thread.mask & live;
    // A group may be incomplete: other threads of it may first wait with a smaller mask.
    for (const Thread& other : lanes) {
      if (other.mask == thread.mask) seen |= 1u << other.lane();
    }
    const bool complete = std::all_of(lanes.begin(), lanes.end(), [&](const Thread& other) {
      if ((group >> other.lane() & 1) == 0) return true;
      return other.state == State::AtCollective && other.mask == thread.mask &&
             other.op().detail == op.detail && other.op().type == op.type;
    });
    if (complete) runCollective(cta, warp, group);
  }
}

namespace {

// redux of f32: with kAbs on magnitudes; with kPropagateNaN the result is NaN if an input is.
Slot reduceFloat(CollectiveKind kind, const Op& op, Slot a, Slot b) {
  const auto value = [&](Slot bits) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return op.is(kAbs) ? std::fabs(x) : x;
  };
  const bool propagates = op.is(kPropagateNaN);
  const float result = kind == CollectiveKind::ReduceMinimum
                           ? minimum(value(a), value(b), propagates)
                           : maximum(value(a), value(b), propagates);
  return std::bit_cast<std::uint32_t>(result);
}

Slot reduce(CollectiveKind kind, isa::Type type, Slot a, Slot b) {
  const auto x = static_cast<std::uint32_t>(a);
  const auto y = static_cast<std::uint32_t>(b);
  const auto sx = static_cast<std::int32_t>(x);
  const auto sy = static_cast<std::int32_t>(y);
  const bool isSigned = isa::isSigned(type);
  switch (kind) {
    case CollectiveKind::ReduceAdd:
      return x + y;
    case CollectiveKind::ReduceMinimum:
      return isSigned ? static_cast<std::uint32_t>(std::min(sx, sy)) : std::min(x, y);
    case CollectiveKind::ReduceMaximum:
      return isSigned ? static_cast<std::uint32_t>(std::max(sx, sy)) : std::max(x, y);
    case CollectiveKind::ReduceAnd:
      return x & y;
    case CollectiveKind::ReduceOr:
      return x | y;
    default:
      return x ^ y;
  }
}

struct Shuffle {
  std::uint32_t lane = 0;
  bool inRange = false;
};

// PTX ISA 9.7.10.6, following the manual's pseudocode.
Shuffle shuffleSource(CollectiveKind kind, std::uint32_t lane, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t distance = b & 31;
  const std::uint32_t segment = c >> 8 & 31;
  const std::uint32_t maximum = (lane & segment) | (c & 31 & ~segment);
  const std::uint32_t minimum = lane & segment;
  std::uint32_t source = lane;
  bool inRange = false;
  switch (kind) {
    case CollectiveKind::ShuffleUp:
      source = lane - distance;
      inRange = static_cast<std::int32_t>(source) >= static_cast<std::int32_t>(maximum);
      break;
    case CollectiveKind::ShuffleDown:
      source = lane + distance;
      inRange = source <= maximum;
      break;
    case CollectiveKind::ShuffleButterfly:
      source = lane ^ distance;
      inRange = source <= maximum;
      break;
    default:
      source = minimum | (distance & ~segment);
      inRange = source <= maximum;
      break;
  }
  return {inRange ? source : lane, inRange};
}

// The manual only guarantees that the same mask gives the same thread.
std::uint32_t electedLane(Policy policy, std::uint64_t seed, std::uint32_t mask,
                          std::uint32_t lanes) {
  switch (policy) {
    case Policy::RoundRobin:
    case Policy::LaneByLane:
      return static_cast<std::uint32_t>(std::countr_zero(lanes));
    case Policy::Backwards:
      return 31 - static_cast<std::uint32_t>(std::countl_zero(lanes));
    default: {
      // The next one, starting at some lane.
      const auto first = static_cast<int>(((seed ^ mask) * 0x9e3779b97f4a7c15u) >> 59);
      return static_cast<std::uint32_t>(first + std::countr_zero(std::rotr(lanes, first))) % 32;
    }
  }
}

}  // namespace

void Machine::runCollective(Cta& cta, std::uint32_t warp, std::uint32_t lanes) {
  const std::span<Thread> threads = lanesOf(cta, warp);
  std::array<Slot, 32> values{};
  Slot all = 0;
  bool isFirst = true;
  std::uint32_t ballot = 0;
  ClockJoin clocks;
  const Thread& leader = threads[static_cast<std::size_t>(std::countr_zero(lanes))];
  const Op& form = leader.op();
  const auto kind = static_cast<CollectiveKind>(form.detail);
  if (kind >= CollectiveKind::MatrixMultiply) {
    const bool together = lanes == ~0u && std::all_of(threads.begin(), threads.end(),
                                                      [&](Thread& t) { return &t.op() == &form; });
    if (!together) {
      fault(FindingKind::BarrierDivergence, form, "not all 32 threads of a warp are here");
    }
    runMatrix(cta, warp, form);
    for (Thread& thread : threads) {
      ++thread.pc;
      wake(thread);
    }
    return;
  }
  for (Thread& thread : threads) {
    if ((lanes >> thread.lane() & 1) == 0) continue;
    const Slot value = thread.frame[thread.op().a];
    values[thread.lane()] = value;
    if (value != 0) ballot |= 1u << thread.lane();
    if (form.type == isa::Type::F32 && kind >= CollectiveKind::ReduceAdd &&
        kind <= CollectiveKind::ReduceXor) {
      all = reduceFloat(kind, form, isFirst ? value : all, value);
    } else {
      all = isFirst ? value : reduce(kind, form.type, all, value);
    }
    isFirst = false;
    if (kind == CollectiveKind::WarpSync && options_.detectsRaces) clocks.add(thread.clock);
  }
  const ClockRef known =
      kind == CollectiveKind::WarpSync && options_.detectsRaces ? clocks.finish() : nullptr;

  for (Thread& thread : threads) {
    if ((lanes >> thread.lane() & 1) == 0) continue;
    const Op& op = thread.op();
    Slot* const r = thread.frame;
    const auto putSecond = [&](bool value) {
      if (op.q != 0) r[op.q] = value ? 1 : 0;
    };
    switch (kind) {
      case CollectiveKind::ShuffleUp:
      case CollectiveKind::ShuffleDown:
      case CollectiveKind::ShuffleButterfly:
      case CollectiveKind::ShuffleIndex: {
        const Shuffle source =
            shuffleSource(kind, thread.lane(), static_cast<std::uint32_t>(r[op.b]),
                          static_cast<std::uint32_t>(r[op.c]));
        // The value of a lane that does not take part is unspecified: here the thread's own value.
        const bool takesPart = (lanes >> source.lane & 1) != 0;
        r[op.d] = values[takesPart ? source.lane : thread.lane()];
        putSecond(source.inRange);
        break;
      }
      case CollectiveKind::VoteAll:
        r[op.d] = ballot == lanes ? 1 : 0;
        break;
      case CollectiveKind::VoteAny:
        r[op.d] = ballot != 0 ? 1 : 0;
        break;
      case CollectiveKind::VoteUniform:
        r[op.d] = ballot == 0 || ballot == lanes ? 1 : 0;
        break;
      case CollectiveKind::VoteBallot:
        r[op.d] = ballot;
        break;
      case CollectiveKind::MatchAny:
      case CollectiveKind::MatchAll: {
        std::uint32_t same = 0;
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          const bool matches = (lanes >> lane & 1) != 0 && values[lane] == values[thread.lane()];
          if (matches) same |= 1u << lane;
        }
        const bool agreed = same == lanes;
        r[op.d] = kind == CollectiveKind::MatchAny || agreed ? same : 0;
        putSecond(agreed);
        break;
      }
      case CollectiveKind::Elect:
        r[op.d] = electedLane(options_.policy, options_.seed, thread.mask, lanes);
        putSecond(thread.lane() == r[op.d]);
        break;
      case CollectiveKind::ActiveMask:
        r[op.d] = lanes;
        break;
      case CollectiveKind::WarpSync:
        if (known != nullptr) thread.clock.setBase(known);
        break;
      default:
        r[op.d] = all;
        break;
    }
  }
  for (Thread& thread : threads) {
    if ((lanes >> thread.lane() & 1) == 0) continue;
    ++thread.pc;
    wake(thread);
  }
}

}  // namespace ptxopt::interp
