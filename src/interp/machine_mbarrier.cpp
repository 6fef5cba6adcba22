// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mbarrier objects (PTX ISA 9.7.15.16).
#include <algorithm>
#include <cstring>

#include "interp/machine_bulk.h"
#include "interp/machine_tensor_core.h"

namespace ptxopt::interp {

namespace {

MbarrierObject read(const Segment& shared, std::uint64_t offset) {
  std::uint64_t bits;
  std::memcpy(&bits, shared.bytes.data() + offset, MbarrierObject::kBytes);
  return MbarrierObject(bits);
}

void append(std::vector<Snapshot>& to, const std::vector<Snapshot>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

Machine::Place Machine::resolveMbarrier(Thread& thread, const Op& op, isa::Space space,
                                        std::uint64_t address, Cta*& owner) {
  const Place place = resolve(thread, op, space, address, MbarrierObject::kBytes, true);
  for (const auto& cta : thread.cta->cluster->ctas) {
    if (place.segment == &cta->shared) owner = cta.get();
  }
  if (owner == nullptr) {
    fault(FindingKind::OutOfBounds, op, "an mbarrier object outside of shared memory");
  }
  return place;
}

void Machine::mbarrier(Thread& thread, const Op& op) {
  const Frame r = thread.frame;
  const auto kind = static_cast<MbarrierKind>(op.detail);
  if (kind == MbarrierKind::PendingCount) {
    r[op.d] = MbarrierToken(r[op.b]).pending;
    return;
  }
  const std::uint64_t address = addressOf(thread, op);
  if (op.c == 0) return mbarrierAt(thread, op, op.space, address);
  // Multicast: the object at the same offset in every CTA of the mask.
  const std::uint64_t mask = r[op.c];
  for (std::uint64_t rank = 0; rank < thread.cta->cluster->ctas.size(); ++rank) {
    if ((mask >> rank & 1) == 0) continue;
    mbarrierAt(thread, op, isa::Space::SharedCluster, inRank(address, rank));
  }
}

void Machine::mbarrierAt(Thread& thread, const Op& op, isa::Space space, std::uint64_t address) {
  const Frame r = thread.frame;
  const auto kind = static_cast<MbarrierKind>(op.detail);
  Cta* owner = nullptr;
  const Place place = resolveMbarrier(thread, op, space, address, owner);
  const bool isWeak = kind == MbarrierKind::Init || kind == MbarrierKind::Invalidate;
  if (options_.detectsRaces) {
    check(thread, op, place, MbarrierObject::kBytes, true, !isWeak);
    if (kind != MbarrierKind::Init) checkMbarrier(thread, op, *owner, place.offset);
  }
  MbarrierObject object = read(owner->shared, place.offset);
  MbarrierHistory& history = owner->mbarriers[place.offset];
  const auto count = static_cast<std::uint32_t>(r[op.b]);

  switch (kind) {
    case MbarrierKind::Init:
      if (options_.detectsRaces) checkInit(thread, op, history, count);
      history.hasLayout1 = op.is(kSecond);
      return resetMbarrier(*owner, place.offset, count, &op);
    case MbarrierKind::Invalidate:
      return resetMbarrier(*owner, place.offset, 0, nullptr);
    case MbarrierKind::ExpectTransactions:
      if (options_.detectsRaces)
        checkTransactions(thread, op, std::int64_t{object.transactionCount()} + count);
      object.transactions += count;
      break;
    case MbarrierKind::CompleteTransactions:
      if (options_.detectsRaces) {
        checkTransactions(thread, op, std::int64_t{object.transactionCount()} - count);
      }
      object.transactions -= count;
      break;
    case MbarrierKind::Arrive:
    case MbarrierKind::ArriveExpect:
    case MbarrierKind::ArriveDrop:
    case MbarrierKind::ArriveDropExpect:
      arriveAtMbarrier(thread, op, object, history, place.offset);
      break;
    case MbarrierKind::Test:
    case MbarrierKind::TestParity:
      return testMbarrier(thread, op, object, *owner, place.offset);
    case MbarrierKind::CheckLayout:
      r[op.d] = history.hasLayout1 == op.is(kSecond) ? 1 : 0;
      return;
    case MbarrierKind::PendingCount:
      return;
  }
  writeMbarrier(*owner, place.offset, object);
  settleMbarrier(*owner, place.offset);
}

void Machine::writeMbarrier(Cta& owner, std::uint64_t offset, const MbarrierObject& object) {
  const std::uint64_t bits = object.bits();
  std::memcpy(owner.shared.bytes.data() + offset, &bits, MbarrierObject::kBytes);
  owner.mbarriers[offset].bits = bits;
}

// `init`: null for mbarrier.inval.
void Machine::resetMbarrier(Cta& owner, std::uint64_t offset, std::uint32_t count, const Op* init) {
  MbarrierHistory& history = owner.mbarriers[offset];
  history.init = init;
  history.firstPhase = history.phases;
  history.pending.clear();
  history.completed = {};
  history.pendingSeen = history.completedSeen = {};
  history.pendingFenced = history.completedFenced = {};
  MbarrierObject object(0);
  object.expected = object.pending = count & MbarrierObject::kCountMask;
  writeMbarrier(owner, offset, object);
}

void Machine::arriveAtMbarrier(Thread& thread, const Op& op, MbarrierObject& object,
                               MbarrierHistory& history, std::uint64_t offset) {
  if (options_.detectsRaces) checkArrival(thread, op, history);
  const auto kind = static_cast<MbarrierKind>(op.detail);
  const bool expects = kind == MbarrierKind::ArriveExpect || kind == MbarrierKind::ArriveDropExpect;
  const bool drops = kind == MbarrierKind::ArriveDrop || kind == MbarrierKind::ArriveDropExpect;
  const auto count = static_cast<std::uint32_t>(thread.frame[op.b]);
  // May be the register of the count.
  thread.frame[op.d] = MbarrierToken::make(object, history.phases, offset);
  const std::uint64_t arrivals = expects ? 1 : count;
  if (arrivals == 0 || arrivals > object.pending) {
    fault(FindingKind::BarrierMismatch, op,
          "more arrivals at an mbarrier than it expects, by " + describe(nameOf(thread)));
  }
  if (expects && options_.detectsRaces) {
    checkTransactions(thread, op, std::int64_t{object.transactionCount()} + count);
  }
  if (expects) object.transactions += count;
  if (drops) object.expected -= arrivals;
  object.pending -= arrivals;
  if (op.is(kSecond) && object.isComplete()) {
    fault(FindingKind::BarrierMismatch, op,
          "an arrival with .noComplete that completes the phase, by " + describe(nameOf(thread)));
  }
  if (!options_.detectsRaces) return;
  if (op.semantics == isa::Semantics::Relaxed) {
    // Only what an earlier fence released.  The default scope is that of the CTA.
    const std::size_t scopeLevel = op.scope == isa::Scope::None ? 0 : levelOf(op.scope);
    const auto& released = thread.clock.released[scopeLevel];
    if (released) history.pending.push_back(*released);
    if (tensorCores_ != nullptr) tensorCores_->arrive(thread, history.pendingFenced);
  } else {
    history.pending.push_back(thread.clock.release());
  }
}

void Machine::testMbarrier(Thread& thread, const Op& op, const MbarrierObject& object, Cta& owner,
                           std::uint64_t offset) {
  const Frame r = thread.frame;
  const bool hasToken = static_cast<MbarrierKind>(op.detail) == MbarrierKind::Test;
  const std::uint64_t operand = r[op.b];
  const bool phase = hasToken ? MbarrierToken(operand).parity : (operand & 1) != 0;
  const bool done = object.phase != phase;
  r[op.d] = done ? 1 : 0;
  MbarrierHistory& history = owner.mbarriers[offset];
  if (options_.detectsRaces && hasToken) {
    checkToken(thread, op, history, MbarrierToken(operand), offset);
  } else if (options_.detectsRaces) {
    checkTest(thread, op, history, phase);
  }
  if (!done) return landFor(owner, offset);
  history.isObserved = true;
  if (history.completedFailure != nullptr) thread.cta->failedRequest = history.completedFailure;
  if (!options_.detectsRaces) return;
  if (history.phaseAgent == 0) return;  // there is no object
  for (std::size_t k = 0; k < kScopeLevels; ++k)
    append(thread.clock.seen[k], history.completedSeen[k]);
  if (tensorCores_ != nullptr) tensorCores_->observe(thread, history.completedFenced);
  if (op.semantics != isa::Semantics::Relaxed) {
    return thread.clock.learn(history.completed, learnMemo_);
  }
  if (tensorCores_ != nullptr) tensorCores_->observe(thread, {&history.completed.base, 1});
  // A later fence may acquire it.
  thread.clock.seen[0].push_back(history.completed);
  history.seen[thread.clock.agent()] = history.phases;
}

void Machine::settleMbarrier(Cta& owner, std::uint64_t offset) {
  MbarrierObject object = read(owner.shared, offset);
  if (!object.isComplete()) return;
  MbarrierHistory& history = owner.mbarriers[offset];
  object.phase = !object.phase;
  object.pending = object.expected;
  writeMbarrier(owner, offset, object);
  ++history.phases;
  history.isObserved = false;
  history.completedSeen = std::exchange(history.pendingSeen, {});
  history.completedFenced = std::exchange(history.pendingFenced, {});
  history.completedFailure = std::exchange(history.failedRequest, nullptr);
  if (history.phaseAgent == 0) return;
  // Joined once, for all threads that wait.
  ClockJoin clocks;
  for (const Snapshot& arrival : std::exchange(history.pending, {})) clocks.add(arrival);
  if (history.agent != 0) clocks.add(Snapshot{nullptr, history.agent, history.phases});
  history.completed = {clocks.finish(), history.phaseAgent, history.phases};
}

void Machine::completeTransactions(Cta& owner, std::uint64_t offset, std::uint32_t count) {
  MbarrierObject object = read(owner.shared, offset);
  object.transactions -= count;
  writeMbarrier(owner, offset, object);
  settleMbarrier(owner, offset);
}

void Machine::expectArrival(Cta& owner, std::uint64_t offset) {
  MbarrierObject object = read(owner.shared, offset);
  ++object.pending;
  writeMbarrier(owner, offset, object);
}

void Machine::arriveTracked(Cta& owner, std::uint64_t offset, std::span<const Snapshot> done) {
  MbarrierObject object = read(owner.shared, offset);
  if (object.pending != 0) --object.pending;
  writeMbarrier(owner, offset, object);
  if (options_.detectsRaces) {
    for (const Snapshot& agent : done) {
      if (agent.own != 0) owner.mbarriers[offset].pending.push_back(agent);
    }
  }
  settleMbarrier(owner, offset);
}

// A thread waits in vain: copies that have not landed may do so now, one after the other.
void Machine::landFor(Cta& owner, std::uint64_t offset) {
  std::vector<Bulk*> candidates;
  for (const auto& bulk : inFlight_) {
    if (bulk->barrier == &owner && bulk->barrierOffset == offset) candidates.push_back(bulk.get());
  }
  if (!candidates.empty()) {
    land(*candidates[scheduler_->random(candidates.size())]);
    dropLanded();
  }
  if (tensorCores_ != nullptr) tensorCores_->landFor(owner, offset);
  const std::vector<Thread*>& trackers = owner.mbarriers[offset].trackers;
  if (!trackers.empty()) {
    Thread& thread = *trackers[scheduler_->random(trackers.size())];
    std::uint32_t clock = 0;
    for (const TrackedArrival& arrival : thread.trackedArrivals) {
      if (arrival.offset == offset) clock = std::max(clock, arrival.clock);
    }
    landCopies(thread, clock);
  }
}

}  // namespace ptxopt::interp
