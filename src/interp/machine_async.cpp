// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies (docs/soundness/ A6): cp.async, bulk copies and reductions, asynchronous
// stores.  Each may land at any time between its issue and a wait.  A bulk copy reads its source at
// one time and writes at another.
#include <algorithm>
#include <cstring>

#include "interp/arithmetic/conversion.h"
#include "interp/atomic.h"
#include "interp/machine_bulk.h"
#include "interp/machine_launch_control.h"
#include "interp/machine_multimem.h"
#include "interp/machine_tensor_core.h"
#include "interp/machine_texture.h"

namespace ptxopt::interp {

namespace {

using isa::Space;

constexpr std::uint64_t kRarity = 8;  // one in kRarity chances to land on its own

Proxy asyncProxyTo(const Segment& segment) {
  return segment.isShared ? Proxy::AsyncShared : Proxy::AsyncGlobal;
}

}  // namespace

// ---- cp.async -----------------------------------------------------------------------------------

void Machine::executeAsync(Thread& thread, const Op& op) {
  switch (op.action) {
    case Action::CopyAsync:
      return issueCopy(thread, op);
    case Action::CommitAsync:
      return commitCopies(thread);
    case Action::WaitAsync:
      return waitForCopies(thread, op);
    case Action::ArriveAsync:
      return arriveAfterCopies(thread, op);
    case Action::Bulk:
      return issueBulk(thread, op);
    case Action::CommitBulk:
      return commitBulks(thread);
    case Action::WaitBulk:
      return waitForBulks(thread, op);
    case Action::Mbarrier:
      return mbarrier(thread, op);
    case Action::TensorCore:
      return tensorCores().execute(thread, op);
    case Action::ReplaceField:
      return replaceMapField(thread, op);
    case Action::Multimem:
      return Multimems(*this, thread, op).execute();
    case Action::Texture:
      return Textures(*this, thread, op).execute();
    default:
      return;  // handled by execute()
  }
}

void Machine::commitCopies(Thread& thread) {
  for (PendingCopy& copy : thread.copies) {
    if (copy.committed) continue;
    copy.committed = true;
    copy.group = thread.copyGroup;
  }
  ++thread.copyGroup;
}

void Machine::commitBulks(Thread& thread) {
  for (const auto& bulk : thread.bulks) {
    if (bulk->committed) continue;
    bulk->committed = true;
    bulk->group = thread.bulkGroup;
  }
  auto& reads = thread.mapReads.groups;
  if (!reads.empty() && !reads.back().committed) {
    reads.back().committed = true;
    reads.back().group = thread.bulkGroup;
  }
  ++thread.bulkGroup;
}

void Machine::issueCopy(Thread& thread, const Op& op) {
  const auto size = static_cast<std::uint32_t>(thread.frame[op.c]);
  const auto sourceSize = std::min(size, static_cast<std::uint32_t>(thread.frame[op.e]));
  if (size != 4 && size != 8 && size != 16) {
    fault(FindingKind::Unsupported, op, "cp.async of another size than 4, 8 or 16 bytes");
  }
  PendingCopy copy;
  copy.size = size;
  copy.sourceSize = sourceSize;
  copy.clock = ++thread.clock.copies;
  copy.to = resolve(thread, op, Space::Shared, addressOf(thread, op), size, true);
  const std::uint64_t from = thread.frame[op.b] + (op.index != 0 ? thread.frame[op.index] : 0);
  if (sourceSize != 0) {
    // The address is aligned for all bytes, but only those that are read must be there.
    const bool isPart = sourceSize != size && from % size == 0;
    copy.from = resolve(thread, op, Space::Global, from, isPart ? 1 : size, false);
    if (isPart) resolve(thread, op, Space::Global, from + sourceSize - 1, 1, false);
  }
  if (options_.detectsRaces) {
    Access access;
    access.agent = copiesOf(thread.clock.agent());
    access.clock = copy.clock;
    check(thread, op, copy.to, size, true, false, &access);
    if (sourceSize != 0) check(thread, op, copy.from, sourceSize, false, false, &access);
  }
  if (landsEarly_) land(copy);
  thread.copies.push_back(copy);
}

void Machine::land(PendingCopy& copy) {
  if (copy.landed) return;
  copy.landed = true;
  std::memset(copy.to.data, 0, copy.size);
  if (copy.sourceSize != 0) std::memcpy(copy.to.data, copy.from.data, copy.sourceSize);
}

void Machine::landCopies(Thread& thread, std::uint32_t clock) {
  for (PendingCopy& copy : thread.copies) {
    if (copy.clock <= clock) land(copy);
  }
  settleTrackedArrivals(thread);
}

void Machine::landSome(Thread& thread) {
  if (landsLate_ || scheduler_->random(kRarity) != 0) return;
  land(thread.copies[scheduler_->random(thread.copies.size())]);
  settleTrackedArrivals(thread);
}

bool Machine::isCompletedBy(const Thread& thread, const Op& wait, const PendingCopy& copy) {
  const auto allowed = static_cast<std::uint32_t>(thread.frame[wait.a]);
  return wait.is(kSecond) || (copy.committed && thread.copyGroup - copy.group > allowed);
}

void Machine::waitForCopies(Thread& thread, const Op& op) {
  std::uint32_t latest = 0;
  auto next = thread.copies.begin();
  for (; next != thread.copies.end() && isCompletedBy(thread, op, *next); ++next) {
    land(*next);
    latest = next->clock;
  }
  thread.copies.erase(thread.copies.begin(), next);
  settleTrackedArrivals(thread);
  if (latest == 0 || !options_.detectsRaces) return;
  thread.clock.learn(Snapshot{nullptr, copiesOf(thread.clock.agent()), latest});
}

void Machine::arriveAfterCopies(Thread& thread, const Op& op) {
  Cta* owner = nullptr;
  const Place place = resolveMbarrier(thread, op, op.space, addressOf(thread, op), owner);
  if (owner != thread.cta) {
    fault(FindingKind::OutOfBounds, op, "an mbarrier object outside of the CTA's shared memory");
  }
  if (options_.detectsRaces) checkMbarrier(thread, op, *owner, place.offset);
  // Without .noinc the arrival is added to the expected ones.
  if (!op.is(kSecond)) expectArrival(*owner, place.offset);
  thread.trackedArrivals.push_back({thread.clock.copies, place.offset});
  owner->mbarriers[place.offset].trackers.push_back(&thread);
  settleTrackedArrivals(thread);
}

void Machine::settleTrackedArrivals(Thread& thread) {
  auto& arrivals = thread.trackedArrivals;
  for (std::size_t k = 0; k < arrivals.size();) {
    const TrackedArrival arrival = arrivals[k];
    const bool waits = std::any_of(
        thread.copies.begin(), thread.copies.end(),
        [&](const PendingCopy& copy) { return copy.clock <= arrival.clock && !copy.landed; });
    if (waits) {
      ++k;
      continue;
    }
    arrivals.erase(arrivals.begin() + static_cast<std::ptrdiff_t>(k));
    const AgentId agent = copiesOf(thread.clock.agent());
    std::erase(thread.cta->mbarriers[arrival.offset].trackers, &thread);
    const Snapshot done{nullptr, agent, arrival.clock};
    arriveTracked(*thread.cta, arrival.offset, {&done, 1});
  }
}

// ---- bulk copies --------------------------------------------------------------------------------

AgentId Machine::newAgent(const Thread& owner) {
  owners_.push_back(agentOf(owner));
  return firstAsync() + static_cast<AgentId>(owners_.size() - 1);
}

// Any number of bytes, aligned to 16 or, if there are fewer, to their number.
Machine::Place Machine::resolveRange(Thread& thread, const Op& op, Space space,
                                     std::uint64_t address, std::uint32_t size, bool writes) {
  const std::uint32_t piece = std::min<std::uint32_t>(size, 16);
  const Place first = resolve(thread, op, space, address, piece, writes);
  const Place last = resolve(thread, op, space, address + size - piece, piece, writes);
  if (first.segment == nullptr || last.segment != first.segment) {
    fault(FindingKind::OutOfBounds, op,
          "a copy of " + std::to_string(size) + " bytes that begins in one object and ends in " +
              "another, by " + describe(nameOf(thread)));
  }
  return first;
}

std::uint64_t Machine::inRank(std::uint64_t address, std::uint64_t rank) const {
  constexpr std::uint64_t kOffset = (std::uint64_t{1} << kRankShift) - 1;
  const std::uint64_t window = program_->image().windows().shared;
  return ((address >= window ? address - window : address) & kOffset) | rank << kRankShift;
}

void Machine::issueBulk(Thread& thread, const Op& op) {
  const BulkForm& form = thread.code->bulks[op.index];
  if (form.tensor) return issueTensor(thread, op, form);
  if (form.isRequest) return LaunchControl(*this, thread, op).request(form);
  const std::uint64_t to = form.to.in(thread.frame);
  const std::uint64_t barrier = form.barrier.in(thread.frame);
  if (form.isMultimem) {
    const std::uint64_t size =
        form.values.empty() ? thread.frame[form.size] & 0xffffffff : form.bytesOfValues();
    if (size == 0) return;
    for (const std::uint64_t at : Multimems(*this, thread, op).replicasOf(to, size)) {
      issueBulk(thread, op, form, at, barrier);
    }
    return;
  }
  if (form.mask == 0) return issueBulk(thread, op, form, to, barrier);
  // Multicast: to the same offset in every CTA of the mask.
  for (std::uint64_t rank = 0; rank < thread.cta->cluster->ctas.size(); ++rank) {
    if ((thread.frame[form.mask] >> rank & 1) == 0) continue;
    issueBulk(thread, op, form, inRank(to, rank), inRank(barrier, rank));
  }
}

// False: there is nothing to copy.
bool Machine::readOperands(Thread& thread, Bulk& bulk) {
  const BulkForm& form = *bulk.form;
  const Op& op = *bulk.op;
  const Frame r = thread.frame;
  if (!form.values.empty()) {
    const auto bytes = static_cast<std::uint32_t>(isa::bitWidth(form.type)) / 8;
    bulk.size = form.bytesOfValues();
    bulk.data.resize(bulk.size);
    for (std::size_t k = 0; k < form.values.size(); ++k) {
      std::memcpy(bulk.data.data() + k * bytes, &r[form.values[k]], bytes);
    }
    bulk.isRead = true;
    return true;
  }
  bulk.size = static_cast<std::uint32_t>(r[form.size]);
  if (bulk.size == 0) return false;
  const auto refuse = [&](FindingKind kind, const std::string& what) {
    fault(kind, op, "a bulk copy " + what + " by " + describe(nameOf(thread)));
  };
  if (bulk.size % Bulk::kUnit != 0) {
    refuse(FindingKind::Misaligned, "of " + std::to_string(bulk.size) + " bytes");
  }
  const std::uint64_t from = form.from.in(r);
  if (form.byteMask != 0) bulk.byteMask = static_cast<std::uint16_t>(r[form.byteMask]);
  if (form.ignoredLeft != 0) {
    bulk.ignoredLeft = static_cast<std::uint32_t>(r[form.ignoredLeft]);
    bulk.ignoredRight = static_cast<std::uint32_t>(r[form.ignoredRight]);
    if (std::max(bulk.ignoredLeft, bulk.ignoredRight) >= Bulk::kUnit) {
      refuse(FindingKind::OutOfBounds, "that ignores more than 15 bytes");
    }
  }
  if (!bulk.ignores()) {
    bulk.from = resolveRange(thread, op, form.fromSpace, from, bulk.size, false);
    return true;
  }
  if (from % Bulk::kUnit != 0)
    refuse(FindingKind::Misaligned, "from an address that is no multiple of 16");
  const std::uint32_t ignored = bulk.ignoredLeft + bulk.ignoredRight;
  if (ignored < bulk.size) {
    bulk.from = resolveBytes(thread, op, from + bulk.ignoredLeft, bulk.size - ignored, false);
  }
  return true;
}

void Machine::issueBulk(Thread& thread, const Op& op, const BulkForm& form, std::uint64_t to,
                        std::uint64_t barrier) {
  auto bulk = std::make_shared<Bulk>();
  bulk->issuer = &thread;
  bulk->op = &op;
  bulk->form = &form;
  if (!readOperands(thread, *bulk)) return;
  bulk->to = resolveRange(thread, op, form.toSpace, to, bulk->size, true);
  if (form.releases) {
    if (bulk->to.segment->isShared) {
      fault(
          FindingKind::OutOfBounds, op,
          "an asynchronous store that releases, to shared memory, by " + describe(nameOf(thread)));
    }
    bulk->clock = 1;
    if (options_.detectsRaces)
      bulk->strong = std::make_unique<StrongWrite>(*this, thread, *bulk, newAgent(thread));
    return launch(bulk);
  }
  const BulkAgents agents = trackCompletion(thread, bulk, barrier);
  const bool isStore = !form.values.empty();
  if (isStore && bulk->to.segment != &bulk->barrier->shared) {
    fault(FindingKind::OutOfBounds, op,
          "an asynchronous store to another CTA than that of its mbarrier, by " +
              describe(nameOf(thread)));
  }
  if (options_.detectsRaces) checkBulk(thread, *bulk, agents);
  launch(bulk);
}

void Machine::checkBulk(Thread& thread, Bulk& bulk, BulkAgents agents) {
  const Op& op = *bulk.op;
  // A relaxed copy; reductions are strong in any case.
  const bool isStrong = op.semantics == isa::Semantics::Relaxed && !bulk.form->operation;
  const auto part = [](const Place& place, std::uint32_t at) {
    return Place{place.data + at, place.segment, place.offset + at};
  };
  Access access;
  access.clock = bulk.clock;
  access.agent = agents.reader;
  access.element = isStrong ? Bulk::kUnit : 0;
  if (bulk.from.segment != nullptr) {
    // Relaxed copies are parts of release patterns, and taken for generic ones.
    if (!isStrong) access.proxy = asyncProxyTo(*bulk.from.segment);
    bulk.forCopied(bulk.size - bulk.ignoredLeft - bulk.ignoredRight,
                   [&](std::uint32_t at, std::uint32_t size) {
                     check(thread, op, part(bulk.from, at), size, false, isStrong, &access);
                   });
  }
  if (isStrong) {
    bulk.strong = std::make_unique<StrongWrite>(*this, thread, bulk, agents.writer);
    return;
  }
  access.agent = agents.writer;
  // A store has no source, and is generic.
  const bool isStore = bulk.from.segment == nullptr && bulk.response == nullptr;
  if (!isStore) access.proxy = asyncProxyTo(*bulk.to.segment);
  bulk.forCopied(bulk.size, [&](std::uint32_t at, std::uint32_t size) {
    check(thread, op, part(bulk.to, at), size, true, bulk.form->operation.has_value(), &access);
  });
}

// Ties the operation to its mbarrier, or to the bulk groups of its thread.
Machine::BulkAgents Machine::trackCompletion(Thread& thread, const std::shared_ptr<Bulk>& bulk,
                                             std::uint64_t barrier) {
  const auto noteUse = [&](AgentId agent, bool writes, Cta& cta) {
    cta.bulkUses[agent] = {bulk->op, agentOf(thread), bulk->clock, writes};
  };
  const bool isFromShared = bulk->from.segment != nullptr && bulk->from.segment->isShared;
  if (bulk->form->barrier.slot != 0) {
    const Place place =
        resolveMbarrier(thread, *bulk->op, bulk->form->barrierSpace, barrier, bulk->barrier);
    bulk->barrierOffset = place.offset;
    if (options_.detectsRaces) checkMbarrier(thread, *bulk->op, *bulk->barrier, place.offset);
    MbarrierHistory& history = bulk->barrier->mbarriers[place.offset];
    if (history.agent == 0) history.agent = newAgent(thread);
    bulk->clock = history.phases + 1;
    noteUse(history.agent, true, *bulk->barrier);
    if (isFromShared) noteUse(history.agent, bulk->barrier == thread.cta, *thread.cta);
    return {history.agent, history.agent};
  }
  if (thread.bulkReads == 0) {
    thread.bulkReads = newAgent(thread);
    thread.bulkWrites = newAgent(thread);
  }
  bulk->clock = ++thread.bulkClock;
  thread.bulks.push_back(bulk);
  if (isFromShared) noteUse(thread.bulkReads, false, *thread.cta);
  return {thread.bulkReads, thread.bulkWrites};
}

void Machine::launch(const std::shared_ptr<Bulk>& bulk) {
  inFlight_.push_back(bulk);
  if (landsEarly_) land(*bulk);
  dropLanded();
}

void Machine::readSource(Bulk& bulk) {
  if (bulk.isRead) return;
  bulk.isRead = true;
  if (bulk.tensor != nullptr) return readTensor(bulk);
  if (bulk.response != nullptr) {
    LaunchControl::decide(*this, *bulk.response);
    const auto* const words = reinterpret_cast<const std::uint8_t*>(bulk.response->words.data());
    bulk.data.assign(words, words + bulk.size);
    return;
  }
  if (bulk.strong != nullptr) bulk.strong->read(bulk);
  const std::uint32_t copied =
      bulk.size - std::min(bulk.size, bulk.ignoredLeft + bulk.ignoredRight);
  bulk.data.assign(bulk.size, 0xff);  // for those that are ignored
  if (copied != 0) std::memcpy(bulk.data.data() + bulk.ignoredLeft, bulk.from.data, copied);
}

void Machine::land(Bulk& bulk) {
  if (bulk.landed) return;
  readSource(bulk);
  bulk.landed = true;
  if (bulk.strong != nullptr) bulk.strong->write(*this, bulk);
  if (bulk.tensor != nullptr) {
    landTensor(bulk, bulk.tensor->pieces.size());
  } else if (!bulk.form->operation) {
    bulk.forCopied(bulk.size, [&](std::uint32_t at, std::uint32_t size) {
      std::memcpy(bulk.to.data + at, bulk.data.data() + at, size);
    });
    if (bulk.ignores() && options_.detectsRaces) forgetIgnored(bulk);
  } else {
    const isa::Type type = bulk.form->type;
    const auto bytes = static_cast<std::uint32_t>(isa::bitWidth(type)) / 8;
    for (std::uint32_t at = 0; at < bulk.size; at += bytes) {
      std::uint64_t old = 0;
      std::uint64_t value = 0;
      std::memcpy(&old, bulk.to.data + at, bytes);
      std::memcpy(&value, bulk.data.data() + at, bytes);
      const auto result = combine(*bulk.form->operation, type, old, value, 0, false);
      if (!result) {
        fault(FindingKind::Unsupported, *bulk.op,
              "'" + std::string(bulk.op->origin->desc->mnemonic) + "' is not supported");
      }
      std::memcpy(bulk.to.data + at, &*result, bytes);
    }
  }
  if (bulk.barrier != nullptr) {
    MbarrierHistory& history = bulk.barrier->mbarriers[bulk.barrierOffset];
    if (bulk.tensor != nullptr && bulk.tensor->mapAgent != 0) {
      const Snapshot read{nullptr, bulk.tensor->mapAgent, bulk.tensor->mapClock};
      history.pending.push_back(read);
    }
    if (bulk.strong != nullptr) bulk.strong->passSeen(history.pendingSeen);
    if (bulk.response != nullptr && bulk.response->hasFailed) history.failedRequest = bulk.op;
    completeTransactions(*bulk.barrier, bulk.barrierOffset, bulk.size);
  }
}

void Machine::landSomeBulk() {
  if (landsLate_) return landStore();
  if (scheduler_->random(kRarity) != 0) return;
  Bulk& bulk = *inFlight_[scheduler_->random(inFlight_.size())];
  if (scheduler_->random(2) == 0) {
    readSource(bulk);
    if (bulk.tensor != nullptr) {
      landTensor(bulk, scheduler_->random(bulk.tensor->pieces.size() + 1));
    }
  } else {
    land(bulk);
    dropLanded();
  }
}

// The cluster has ended, and its shared memory with it.
// When the last thread of the CTA has exited, and its shared memory ends.
void Machine::checkBulksOf(const Cta& cta) {
  for (const auto& [agent, use] : cta.bulkUses) {
    const bool isKnown = std::any_of(cta.threads.begin(), cta.threads.end(),
                                     [&, id = agent, clock = use.clock](const Thread& thread) {
                                       return thread.clock.knows(id, clock);
                                     });
    if (isKnown) continue;
    involve(
        finding(FindingKind::CopyInFlight, *use.op,
                std::string("this asynchronous operation of ") + describe(nameOfAgent(use.issuer)) +
                    " may still " + (use.writes ? "write to" : "read from") +
                    " shared memory when that ends with its CTA"),
        use.issuer);
  }
}

void Machine::landBulksOf(const Cluster& cluster) {
  for (const auto& bulk : inFlight_) {
    if (bulk->issuer->cta->cluster == &cluster) land(*bulk);
  }
  dropLanded();
}

void Machine::dropLanded() {
  std::erase_if(inFlight_, [](const auto& bulk) { return bulk->landed; });
}

void Machine::waitForBulks(Thread& thread, const Op& op) {
  const auto allowed = static_cast<std::uint32_t>(thread.frame[op.a]);
  const bool onlyReads = op.is(kSecond);
  std::uint32_t latest = 0;
  for (const auto& bulk : thread.bulks) {
    if (!bulk->committed || thread.bulkGroup - bulk->group <= allowed) break;
    if (onlyReads) {
      readSource(*bulk);
    } else {
      land(*bulk);
    }
    if (bulk->strong != nullptr) bulk->strong->passSeen(thread.clock.seen);
    latest = bulk->clock;
  }
  if (!onlyReads) {
    const auto isLater = [&](const auto& bulk) { return bulk->clock > latest; };
    thread.bulks.erase(thread.bulks.begin(),
                       std::find_if(thread.bulks.begin(), thread.bulks.end(), isLater));
  }
  dropLanded();
  if (options_.detectsRaces) waitForMapReads(thread, allowed);
  if (latest == 0 || !options_.detectsRaces) return;
  thread.clock.learn(Snapshot{nullptr, thread.bulkReads, latest});
  if (!onlyReads) thread.clock.learn(Snapshot{nullptr, thread.bulkWrites, latest});
}

}  // namespace ptxopt::interp
