// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/machine_tensor_core.h"

#include <algorithm>

#include "support/hexadecimal.h"

namespace ptxopt::interp {

namespace {

constexpr std::uint64_t kRarity = 8;  // one in so many chances to happen on its own

}  // namespace

Machine::TensorCores& Machine::tensorCores() {
  if (tensorCores_ == nullptr) tensorCores_ = std::make_unique<TensorCores>(*this);
  return *tensorCores_;
}

Machine::TensorCores::Memory& Machine::TensorCores::memoryOf(const Cta& cta) {
  std::unique_ptr<Memory>& memory = memories_[&cta];
  if (memory == nullptr) {
    const bool detects = machine_->options_.detectsRaces;
    memory = std::make_unique<Memory>(detects ? &machine_->places_ : nullptr);
  }
  return *memory;
}

void Machine::TensorCores::involveWarp(Finding& finding, std::span<Thread> threads) const {
  for (const Thread& thread : threads) machine_->involve(finding, machine_->agentOf(thread));
}

std::uint64_t Machine::TensorCores::addressIn(std::span<Thread> threads, const Op& op,
                                              const AddressOperand& address) {
  const std::uint64_t result = address.in(threads[0].frame);
  for (Thread& thread : threads) {
    machine_->depend(thread, op, originOf(thread, address.slot), "the address here");
    if (address.in(thread.frame) == result) continue;
    machine_->fault(FindingKind::BarrierDivergence, op,
                    "the threads of a warp give different addresses: " +
                        describe(machine_->nameOf(threads[0])) + " and " +
                        describe(machine_->nameOf(thread)));
  }
  return result;
}

std::uint32_t Machine::TensorCores::columnsIn(std::span<Thread> threads, const Op& op,
                                              const TensorCoreForm& form) {
  const auto columns = static_cast<std::uint32_t>(threads[0].frame[form.columns]);
  if (!TensorMemory::isSize(columns, form.isExclusive)) {
    machine_->fault(FindingKind::OutOfBounds, op,
                    std::to_string(columns) + " columns, which is no " +
                        (form.isExclusive ? "multiple of 32" : "power of 2") +
                        " from 32 to 512, by " + describe(machine_->nameOf(threads[0])));
  }
  return columns;
}

void Machine::TensorCores::run(Cta& cta, std::uint32_t warp, const Op& op) {
  const std::span<Thread> threads = machine_->lanesOf(cta, warp);
  const TensorCoreForm& form = threads[0].code->tensorCores[op.index];
  switch (form.kind) {
    case Kind::Allocate:
      return allocate(threads, op, form);
    case Kind::Free:
      return free(threads, op, form);
    case Kind::Relinquish:
      memoryOf(cta).relinquisher = &op;
      return;
    case Kind::Load:
    case Kind::Store:
      return issue(threads, op, form);
    case Kind::WaitLoad:
      return waitFor(threads, stateOf(cta, warp).loads);
    case Kind::WaitStore:
      return waitFor(threads, stateOf(cta, warp).stores);
    case Kind::Commit:
    case Kind::Copy:
    case Kind::Multiply:
    case Kind::Shift:
      return;  // of one thread: execute()
  }
}

void Machine::TensorCores::execute(Thread& thread, const Op& op) {
  const TensorCoreForm& form = thread.code->tensorCores[op.index];
  machine_->depend(thread, op, originOf(thread, {form.address.slot, form.mask, form.descriptor}),
                   "the operation here");
  if (form.kind == Kind::Copy) return issueCopy(thread, op, form);
  if (form.kind == Kind::Multiply) return issueProduct(thread, op, form);
  if (form.kind == Kind::Shift) return issueShift(thread, op, form);
  commit(thread, op, form);
}

// ---- allocation ---------------------------------------------------------------------------------

bool Machine::TensorCores::canRun(const Cta& cta, std::uint32_t warp, const Op& op) const {
  const Thread& first = cta.threads[std::size_t{warp} * 32];
  const TensorCoreForm& form = first.code->tensorCores[op.index];
  const auto memory = memories_.find(&cta);
  if (form.kind != Kind::Allocate || memory == memories_.end()) return true;
  const auto columns = static_cast<std::uint32_t>(first.frame[form.columns]);
  return !TensorMemory::isSize(columns, form.isExclusive) ||
         memory->second->words.findRoom(columns, form.isExclusive).has_value();
}

void Machine::TensorCores::allocate(std::span<Thread> threads, const Op& op,
                                    const TensorCoreForm& form) {
  Thread& first = threads[0];
  Memory& memory = memoryOf(*first.cta);
  const std::uint32_t columns = columnsIn(threads, op, form);
  const std::uint64_t address = addressIn(threads, op, form.address);
  if (memory.relinquisher != nullptr) {
    Finding& finding = machine_->finding(
        FindingKind::TensorMemory, op,
        "tcgen05.alloc by " + describe(machine_->nameOf(first)) + " of a CTA that may not do so",
        memory.relinquisher, "it gave up the permit here");
    involveWarp(finding, threads);
  }
  // canRun() has found it.
  const std::uint32_t column = *memory.words.findRoom(columns, form.isExclusive);
  memory.words.allocate(column, columns, form.isExclusive);
  memory.allocator = &op;
  constexpr std::uint32_t kBytes = 4;
  const Place place = machine_->resolve(first, op, op.space, address, kBytes, true);
  putAt(place.data, TensorWord{0, column}.address(), kBytes);
  if (!machine_->options_.detectsRaces) return;
  machine_->check(first, op, place, kBytes, true, false);
  // All threads of the warp write the address, and each may read it.
  const Snapshot written = first.clock.release();
  for (Thread& thread : threads) {
    if (&thread != &first) thread.clock.learn(written);
    for (const Snapshot& snapshot : memory.freed) thread.clock.learn(snapshot);
  }
}

void Machine::TensorCores::free(std::span<Thread> threads, const Op& op,
                                const TensorCoreForm& form) {
  Thread& first = threads[0];
  Memory& memory = memoryOf(*first.cta);
  const std::uint32_t columns = columnsIn(threads, op, form);
  const auto address = static_cast<std::uint32_t>(addressIn(threads, op, form.address));
  const TensorWord word = TensorWord::at(address);
  if (word.lane != 0 || !memory.words.free(word.column, columns, form.isExclusive)) {
    Finding& finding = machine_->finding(
        FindingKind::TensorMemory, op,
        "tcgen05.dealloc of " + std::to_string(columns) + " columns at " + hexadecimal(address) +
            ", which is no allocation" + (form.isExclusive ? " that is exclusive" : "") + ", by " +
            describe(machine_->nameOf(first)));
    return involveWarp(finding, threads);
  }
  freed_.push_back(first.cta);
  Segment& segment = memory.words.segment();
  if (segment.shadow == nullptr) return;
  // Nobody may access them any more.
  Access access;
  access.agent = first.clock.agent();
  access.clock = first.clock.own();
  access.site = op.number;
  access.scope = scopeOf(op);
  access.writes = true;
  const std::uint32_t bytes = columns * TensorMemory::kWordBytes;
  for (std::uint32_t lane = 0; lane < TensorMemory::kLanes; ++lane) {
    const std::uint64_t offset = TensorMemory::offsetOf({lane, word.column});
    Race race;
    if (!segment.shadow->access(offset, bytes, clockOf(first), access, race)) continue;
    const Place place{segment.bytes.data() + offset, &segment, offset};
    machine_->reportRace(first, op, place, TensorMemory::kWordBytes, access, race);
  }
  memory.freed.push_back(first.clock.release());
}

void Machine::TensorCores::settle() {
  while (!freed_.empty()) {
    Cta& cta = *freed_.back();
    freed_.pop_back();
    for (std::uint32_t warp = 0; warp < cta.warps.size(); ++warp) {
      machine_->settleCollective(cta, warp);
    }
  }
}

// ---- ld and st ----------------------------------------------------------------------------------

template <class Visit>
void Machine::TensorCores::forWords(const Transfer& transfer, Visit visit) const {
  const TensorFragment& fragment = transfer.form->fragment;
  for (Thread& thread : machine_->lanesOf(*transfer.cta, transfer.warp)) {
    const std::size_t frame = transfer.frames[thread.lane()];
    for (std::uint32_t r = 0; r < fragment.registers(); ++r) {
      TensorWord word = fragment.wordOf(thread.lane(), r);
      word.lane += transfer.first.lane;
      word.column += transfer.first.column;
      visit(thread, frame + transfer.form->registers[r], word, 0);
      if (!fragment.isPacked) continue;
      ++word.column;
      visit(thread, frame + transfer.form->registers[r], word, 16);
    }
  }
}

void Machine::TensorCores::checkWord(Thread& thread, const Transfer& transfer,
                                     const TensorWord& word) const {
  const auto memory = memories_.find(transfer.cta);
  const bool isAllocated =
      memory != memories_.end() && memory->second->words.isAllocated(word.column);
  constexpr std::uint32_t kWarps = TensorMemory::kLanes / 32;
  const bool isOwn = word.lane / 32 == transfer.warp % kWarps;
  if (isAllocated && isOwn) return;
  const std::uint32_t begin = transfer.warp % kWarps * 32;
  machine_->fault(FindingKind::OutOfBounds, *transfer.op,
                  std::string(transfer.isLoad() ? "read" : "write") + " of lane " +
                      std::to_string(word.lane) + ", column " + std::to_string(word.column) +
                      " of tensor memory, " +
                      (isOwn ? "which is not allocated"
                             : "but the warp reaches only lanes " + std::to_string(begin) + " to " +
                                   std::to_string(begin + 31)) +
                      ", by " + describe(machine_->nameOf(thread)));
}

void Machine::TensorCores::recordWord(Thread& thread, const Transfer& transfer, AgentId agent,
                                      const TensorWord& word) {
  Segment& segment = memoryOf(*transfer.cta).words.segment();
  if (segment.shadow == nullptr) return;
  Access access;
  access.agent = agent;
  access.clock = transfer.clock;
  access.site = transfer.op->number;
  access.scope = scopeOf(*transfer.op);
  access.writes = !transfer.isLoad();
  const std::uint64_t offset = TensorMemory::offsetOf(word);
  Race race;
  if (segment.shadow->access(offset, TensorMemory::kWordBytes, clockOf(thread), access, race)) {
    const Place place{segment.bytes.data() + offset, &segment, offset};
    machine_->reportRace(thread, *transfer.op, place, TensorMemory::kWordBytes, access, race);
  }
}

void Machine::TensorCores::issue(std::span<Thread> threads, const Op& op,
                                 const TensorCoreForm& form) {
  const Thread& first = threads[0];
  WarpState& state = stateOf(*first.cta, first.warp());
  Pending& pending = form.kind == Kind::Load ? state.loads : state.stores;
  auto transfer = std::make_shared<Transfer>();
  transfer->op = &op;
  transfer->form = &form;
  transfer->cta = first.cta;
  transfer->warp = first.warp();
  const auto address = static_cast<std::uint32_t>(addressIn(threads, op, form.address));
  transfer->first = TensorWord::at(address);
  // An address in the first 32 lanes means those of the warp, as kernels of Pallas rely on.
  if (transfer->first.lane < 32) {
    transfer->first.lane += first.warp() % (TensorMemory::kLanes / 32) * 32;
  }
  for (const Thread& thread : threads) transfer->frames[thread.lane()] = thread.frameBase;
  transfer->clock = ++pending.clock;
  if (pending.agent == 0) pending.agent = machine_->newAgent(first);
  forWords(*transfer, [&](Thread& thread, std::size_t, const TensorWord& word, int) {
    checkWord(thread, *transfer, word);
    recordWord(thread, *transfer, pending.agent, word);
  });
  for (Thread& thread : threads) {
    for (const std::uint32_t slot : form.registers) {
      if (transfer->isLoad()) {
        putResult(thread, slot, thread.frame[slot]);
      } else if (const Undefined* why = originOf(thread, slot)) {
        transfer->undefined[{thread.frameBase + slot, thread.lane()}] = {
            twinValue(thread, slot) ^ thread.frame[slot], why};
      }
    }
  }
  pending.transfers.push_back(transfer);
  transfers_.push_back(transfer);
  if (machine_->landsEarly_) landAll(pending);
}

void Machine::TensorCores::land(Transfer& transfer) {
  if (transfer.landed) return;
  transfer.landed = true;
  TensorMemory& memory = memoryOf(*transfer.cta).words;
  Segment& segment = memory.segment();
  const bool isPacked = transfer.form->fragment.isPacked;
  const Slot mask = isPacked ? 0xffff : 0xffffffff;
  forWords(transfer, [&](Thread& thread, std::size_t place, const TensorWord& word, int shift) {
    Slot& slot = stackOf(thread)[place];
    const std::uint64_t offset = TensorMemory::offsetOf(word);
    const Place at{segment.bytes.data() + offset, &segment, offset};
    const std::pair key{place, thread.lane()};
    if (transfer.isLoad()) {
      slot = (slot & ~(mask << shift) & 0xffffffff) | (memory.read(word) & mask) << shift;
      const bool hasTwin = thread.twin != nullptr && place < thread.twin->origins.size();
      if (hasTwin) twinStackOf(thread)[place] = slot;
      const std::uint32_t size = isPacked ? 2 : TensorMemory::kWordBytes;
      if (!machine_->isUndefined(at, size)) return;
      UndefinedBits& undefined = transfer.undefined[key];
      undefined.why = &machine_->originOf(thread, *transfer.op, at, size);
      for (std::uint32_t k = 0; k < size; ++k) {
        if (!segment.written.test(offset + k)) undefined.bits |= Slot{0xff} << (8 * k) << shift;
      }
      return;
    }
    memory.write(word, static_cast<std::uint32_t>(slot >> shift & mask));
    const auto undefined = transfer.undefined.find(key);
    if (undefined == transfer.undefined.end() || segment.written.empty()) return;
    for (std::uint32_t k = 0; k < TensorMemory::kWordBytes; ++k) {
      if (((undefined->second.bits >> shift & mask) >> (8 * k) & 0xff) == 0) continue;
      segment.written.reset(offset + k);
      machine_->undefinedBytes_[{&segment, offset + k}] = undefined->second.why;
    }
  });
  if (transfer.form->reduction) reduce(transfer);
}

// What is undefined in the words is so in their minimum or maximum, if it depends on it.
void Machine::TensorCores::reduce(Transfer& load) {
  const std::vector<std::uint32_t>& registers = load.form->registers;
  std::vector<std::uint32_t> words(registers.size() - 1);
  for (Thread& thread : machine_->lanesOf(*load.cta, load.warp)) {
    const std::size_t frame = load.frames[thread.lane()];
    for (std::size_t k = 0; k < words.size(); ++k) {
      words[k] = static_cast<std::uint32_t>(stackOf(thread)[frame + registers[k]]);
    }
    const std::size_t place = frame + registers.back();
    const std::uint32_t result = load.form->reduction->of(words);
    stackOf(thread)[place] = result;
    if (thread.twin != nullptr && place < thread.twin->origins.size()) {
      twinStackOf(thread)[place] = result;
    }
    const Undefined* why = nullptr;
    for (std::size_t k = 0; k < words.size(); ++k) {
      const auto found = load.undefined.find({frame + registers[k], thread.lane()});
      if (found == load.undefined.end()) continue;
      words[k] ^= static_cast<std::uint32_t>(found->second.bits);
      why = found->second.why;
    }
    const Slot bits = load.form->reduction->of(words) ^ result;
    if (why != nullptr && bits != 0) load.undefined[{place, thread.lane()}] = {bits, why};
  }
}

void Machine::TensorCores::landAll(Pending& pending) {
  for (const auto& transfer : pending.transfers) land(*transfer);
  std::erase_if(transfers_, [](const auto& transfer) { return transfer->landed; });
}

void Machine::TensorCores::waitFor(std::span<Thread> threads, Pending& pending) {
  if (pending.transfers.empty()) return;
  landAll(pending);
  const auto done = std::exchange(pending.transfers, {});
  if (!machine_->options_.detectsRaces) return;
  for (Thread& thread : threads) {
    thread.clock.learn(Snapshot{nullptr, pending.agent, pending.clock}, machine_->learnMemo_);
  }
  for (const auto& transfer : done) {
    if (!transfer->isLoad() || transfer->undefined.empty()) continue;
    for (Thread& thread : threads) deliver(thread, *transfer);
  }
}

void Machine::TensorCores::deliver(Thread& thread, const Transfer& load) {
  for (const auto& [key, undefined] : load.undefined) {
    const auto [place, lane] = key;
    if (lane != thread.lane() || place >= thread.stackSize) continue;
    twinOf(thread);
    extendTwin(thread);
    twinStackOf(thread)[place] = stackOf(thread)[place] ^ undefined.bits;
    thread.twin->origins[place] = undefined.why;
  }
}

// ---- registers ----------------------------------------------------------------------------------

// A register may be read as soon as a load is issued that writes it: the read waits for the value
// (9.7.18.6.4.5).
void Machine::TensorCores::touch(Thread& thread, const Op& op) {
  const auto found = warps_.find({thread.cta, thread.warp()});
  if (found == warps_.end()) return;
  for (std::int64_t k = 0; k < op.immediate; ++k) {
    const auto touched = TouchedRegister::at(*thread.code, op, k);
    const std::size_t place = thread.frameBase + touched.slot;
    const auto visit = [&](const Pending& pending) {
      for (const auto& transfer : pending.transfers) {
        const std::size_t frame = transfer->frames[thread.lane()];
        const auto& slots = transfer->form->registers;
        const bool names = std::any_of(slots.begin(), slots.end(),
                                       [&](auto slot) { return frame + slot == place; });
        if (!names) continue;
        if (touched.writes) {
          reportInFlight(thread, op, touched, *transfer);
        } else if (transfer->isLoad()) {
          land(*transfer);
          deliver(thread, *transfer);
        }
      }
    };
    visit(found->second.loads);
    visit(found->second.stores);
  }
  std::erase_if(transfers_, [](const auto& transfer) { return transfer->landed; });
}

bool Machine::TensorCores::touchTogether(const Turn& turn) const {
  const Thread& first = *turn.threads[0];
  const auto found = warps_.find({first.cta, first.warp()});
  return found == warps_.end() ||
         (found->second.loads.transfers.empty() && found->second.stores.transfers.empty());
}

void Machine::TensorCores::reportInFlight(const Thread& thread, const Op& op,
                                          const TouchedRegister& touched,
                                          const Transfer& transfer) const {
  const bool isLoad = transfer.isLoad();
  Finding& finding = machine_->finding(
      FindingKind::RegisterInFlight, op,
      "register '" + thread.code->function->registerName(ir::RegisterId{touched.reg}) + "' is " +
          "written by " + describe(machine_->nameOf(thread)) + " while a " +
          (isLoad ? "tcgen05.ld may write it" : "tcgen05.st may read it"),
      transfer.op,
      std::string("which was issued here, and no tcgen05.wait::") + (isLoad ? "ld" : "st") +
          " has waited for it");
  machine_->involve(finding, machine_->agentOf(thread));
}

void Machine::TensorCores::leaveFunction(const Thread& thread) {
  const auto found = warps_.find({thread.cta, thread.warp()});
  if (found == warps_.end()) return;
  for (Pending* pending : {&found->second.loads, &found->second.stores}) {
    for (const auto& transfer : pending->transfers) {
      // Its registers end here.
      if (transfer->frames[thread.lane()] < thread.frameBase) continue;
      Finding& finding = machine_->finding(
          FindingKind::RegisterInFlight, thread.op(),
          describe(machine_->nameOf(thread)) +
              " returns before a tcgen05 with registers of the function is complete",
          transfer->op, "it was issued here");
      machine_->involve(finding, machine_->agentOf(thread));
      landAll(*pending);
      transfer->undefined.clear();
    }
  }
}

// ---- operations of a thread ---------------------------------------------------------------------

void Machine::TensorCores::begin(Thread& thread, ThreadClock& agent,
                                 std::initializer_list<ThreadClock*> others) {
  if (!machine_->options_.detectsRaces) return;
  if (agent.agent() == 0) agent.start(machine_->newAgent(thread));
  agent.learn(thread.clock.release());
  agent.learn(clockOf(thread).base());
  for (ThreadClock* const other : others) {
    if (other->agent() != 0) agent.learn(other->release());
  }
}

void Machine::TensorCores::enqueue(const Thread& thread, Operation operation) {
  Issuer& issuer = issuers_[&thread];
  ++issuer.issued;
  for (const auto& [other, handover] : issuer.inherited) {
    operation.after.emplace_back(other, handover->issued);
  }
  queues_[&thread].operations.push_back(std::move(operation));
  if (machine_->landsEarly_) performAll(&thread);
}

void Machine::TensorCores::performFirst(const Thread* thread) {
  const auto queue = queues_.find(thread);
  const Operation first = std::move(queue->second.operations.front());
  queue->second.operations.pop_front();
  if (queue->second.operations.empty()) queues_.erase(queue);
  ++issuers_[thread].performed;
  for (const auto& [other, count] : first.after) performUntil(other, count);
  first.perform();
}

void Machine::TensorCores::performUntil(const Thread* thread, std::uint64_t count) {
  const auto issuer = issuers_.find(thread);
  if (issuer == issuers_.end()) return;  // its CTA has ended
  while (issuer->second.performed < count && queues_.count(thread) != 0) performFirst(thread);
}

void Machine::TensorCores::performAll(const Thread* thread) {
  while (queues_.count(thread) != 0) performFirst(thread);
}

// What the operations of the thread have done when all are complete, and what they came after: an
// mma that reads what a copy has written lies between that copy and the next one to these bytes.
std::vector<Snapshot> Machine::TensorCores::doneBy(const Thread& thread) {
  Issuer& issuer = issuers_[&thread];
  std::vector<Snapshot> done;
  const auto add = [&](ThreadClock& agent) {
    if (agent.agent() != 0) done.push_back(agent.release());
  };
  add(issuer.sources);
  add(issuer.copies);
  add(issuer.shifts);
  for (auto& [accumulator, agent] : issuer.accumulators) add(agent);
  return done;
}

// An arrival at the mbarrier when all earlier operations of the thread have happened.
void Machine::TensorCores::commit(Thread& thread, const Op& op, const TensorCoreForm& form) {
  const std::uint64_t address = form.address.in(thread.frame);
  const auto arriveAt = [&](isa::Space space, std::uint64_t at) {
    Cta* owner = nullptr;
    const Place place = machine_->resolveMbarrier(thread, op, space, at, owner);
    constexpr std::uint32_t kBytes = 8;
    if (machine_->options_.detectsRaces) machine_->check(thread, op, place, kBytes, true, true);
    Operation arrival;
    arrival.barrier = owner;
    arrival.barrierOffset = place.offset;
    arrival.perform = [machine = machine_, owner, offset = place.offset, done = doneBy(thread)] {
      machine->arriveTracked(*owner, offset, done);
    };
    enqueue(thread, std::move(arrival));
  };
  if (form.mask == 0) return arriveAt(op.space, address);
  for (std::uint64_t rank = 0; rank < thread.cta->cluster->ctas.size(); ++rank) {
    if ((thread.frame[form.mask] >> rank & 1) != 0) {
      arriveAt(isa::Space::SharedCluster, machine_->inRank(address, rank));
    }
  }
}

void Machine::TensorCores::landFor(const Cta& owner, std::uint64_t offset) {
  std::vector<const Thread*> candidates;
  for (const auto& [thread, queue] : queues_) {
    const bool arrives =
        std::any_of(queue.operations.begin(), queue.operations.end(), [&](const auto& operation) {
          return operation.barrier == &owner && operation.barrierOffset == offset;
        });
    if (arrives) candidates.push_back(thread);
  }
  if (candidates.empty()) return;
  performFirst(candidates[machine_->scheduler_->random(candidates.size())]);
}

void Machine::TensorCores::landOne() {
  if (machine_->landsLate_ || machine_->scheduler_->random(kRarity) != 0) return;
  const std::size_t which = machine_->scheduler_->random(transfers_.size() + queues_.size());
  if (which < transfers_.size()) {
    const std::shared_ptr<Transfer> transfer = transfers_[which];
    land(*transfer);
    std::erase(transfers_, transfer);
    return;
  }
  performFirst(
      std::next(queues_.begin(), static_cast<std::ptrdiff_t>(which - transfers_.size()))->first);
}

// ---- the end ------------------------------------------------------------------------------------

void Machine::TensorCores::exit(const Thread& thread) {
  if (const auto found = warps_.find({thread.cta, thread.warp()}); found != warps_.end()) {
    landAll(found->second.loads);
    landAll(found->second.stores);
  }
  const bool isLast = thread.cta->cluster->live == 1;
  if (isLast) endCluster(*thread.cta->cluster);
}

void Machine::TensorCores::endCluster(const Cluster& cluster) {
  clusterArrivals_.erase(&cluster);
  // First all operations, which may access the memory of two CTAs.
  for (const auto& cta : cluster.ctas) {
    for (const Thread& thread : cta->threads) {
      performAll(&thread);
      issuers_.erase(&thread);
      knownAtFence_.erase(&thread);
      fencedViews_.erase(&thread);
    }
  }
  for (const auto& cta : cluster.ctas) {
    for (std::uint32_t warp = 0; warp < cta->warps.size(); ++warp) warps_.erase({cta.get(), warp});
    const auto found = memories_.find(cta.get());
    if (found == memories_.end()) continue;
    Memory& memory = *found->second;
    if (memory.words.hasAllocations()) {
      Finding& finding = machine_->finding(
          FindingKind::TensorMemory, *memory.allocator,
          "tensor memory that is allocated here is not freed at the end of the CTA of " +
              describe(machine_->nameOf(cta->threads[0])));
      machine_->involve(finding, machine_->agentOf(cta->threads[0]));
    }
    machine_->forgetUndefined(memory.words.segment());
    memories_.erase(found);
  }
}

}  // namespace ptxopt::interp
