// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/barrier_events.h"

#include <algorithm>

#include "analysis/barriers/thread_ends.h"
#include "ir/module.h"

namespace ptxopt::analysis {

using ir::Instruction;

BarrierEvents::BarrierEvents(BarrierRegions& regions, AccessClasses& classes, bool sharedIsExternal,
                             std::span<const BarrierBody> bodies, const BarrierContext& context,
                             Precision precision, bool isForRaces, const AsyncModel* async,
                             CompletedCopies& completed)
    : regions_(regions),
      classes_(classes),
      sharedIsExternal_(sharedIsExternal),
      bodies_(bodies),
      context_(context),
      knowsObjects_(precision != Precision::Flags),
      isForRaces_(isForRaces),
      async_(async),
      completed_(completed),
      separators_(bodies.size()),
      storesOfAll_(bodies.size()),
      readRegisters_(bodies.size()),
      groups_(bodies.size()) {
  findStoresOfAll();
  findCopies();
  if (async_ != nullptr) findBulkCopies();
}

void BarrierEvents::add(std::uint32_t body, const Instruction& instruction) {
  if (!mayHaveMemoryEffect(instruction)) return;
  if (async_ != nullptr) {
    const isa::AsyncRole role = isa::asyncRoleOf(*instruction.desc);
    if (role != isa::AsyncRole::None) return addAsync(body, instruction, role);
  }
  const MemoryEffect effect = memoryEffectOf(instruction, bodies_[body].assumptions);
  EffectMarks marks = effect.marks;
  if (effect.poll != MemoryEffect::Poll::None) {
    const bool isOutside = effect.poll == MemoryEffect::Poll::Other || sharedIsExternal_;
    marks = 0;
    if (isOutside && isResultRead(body, instruction)) marks = kOpaqueSync;
  }
  const bool isOuter = effect.sparesShared && !sharedIsExternal_ && !isForRaces_;
  if (marks == kOpaqueSync && isOuter) marks = kOuterSync;
  const bool isOnlySync = marks == kOpaqueSync || marks == kOuterSync;
  if (!isOnlySync || !addSync(body, instruction, effect.markOrder, isOuter)) {
    addMarks(body, instruction, marks, effect.markOrder);
  }
  if (effect.completesCopies) {
    if (!isForRaces_ && !completesNothing(body, instruction)) {
      addCompletion(body, instruction, completed_.copies, Ordered::Both);
    }
  } else {
    for (const MemoryAccess& access : effect.all()) {
      const bool isCopy = async_ != nullptr && access.ordered == Ordered::AsLower;
      addAccess(body, instruction, isCopy ? access.kinds | kAsync : access.kinds,
                placeOf(body, access), access.ordered, accessOf(body, instruction, access.address));
    }
  }
}

void BarrierEvents::addCall(std::uint32_t body, const Instruction& call, const CallEffect& effect) {
  EffectMarks calledMarks = effect.marks;
  if (effect.pollsShared && sharedIsExternal_) calledMarks |= kOpaqueSync;
  addMarks(body, call, calledMarks, Ordered::Both);
  for (const ObjectAccess& access : effect.accesses) {
    addAccess(body, call, access.kinds, access.place, Ordered::Both);
  }
}

// docs/soundness/ C8.2
void BarrierEvents::findStoresOfAll() {
  for (std::uint32_t k = 0; k < bodies_.size(); ++k) {
    const Cfg& cfg = *bodies_[k].cfg;
    const Uniformity* uniformity = context_.participation.uniformity(k);
    const bool isAsked = bodies_[k].assumptions.has(Assumption::Drf) &&
                         bodies_[k].addresses != nullptr && uniformity != nullptr;
    if (!isAsked || !cfg.function().isEntry()) continue;
    for (const Participation::Member& member : context_.participation.barriers()) {
      if (member.body == k && member.standing == Standing::Candidate) {
        separators_[k].insert(member.instruction);
      }
    }
    bool mayPart = false;
    for (const BlockId b : cfg.blocks()) {
      mayPart |= uniformity->leadsToBarrier(b) && threadsMayPart(bodies_[k], uniformity, b, false);
      for (const Instruction& instruction : cfg.instructions(b)) {
        const isa::InstructionDesc& desc = *instruction.desc;
        mayPart |= !desc.known() || desc.control == isa::Control::Call;
      }
    }
    storesOfAll_[k].emplace(cfg, *uniformity, separators_[k], mayPart);
  }
}

Place BarrierEvents::placeOf(std::uint32_t body, const MemoryAccess& access) const {
  if (access.address == nullptr || !knowsObjects_) return {access.domain};
  return context_.objects[body].placeOf(*access.address, access.domain);
}

// By any instruction of the function.  O(instructions) the first time that a body is asked.
bool BarrierEvents::isResultRead(std::uint32_t body, const Instruction& instruction) {
  const ir::Function& function = bodies_[body].cfg->function();
  std::optional<BitSet>& read = readRegisters_[body];
  if (!read) {
    read.emplace(function.registerCount());
    const auto add = [&](ir::RegisterId r) { read->set(static_cast<std::size_t>(r)); };
    for (const ir::RegisterRange& range : function.registers()) {
      for (std::uint32_t k = 0; range.isParameter && k < range.count; ++k) {
        read->set(range.first + k);
      }
    }
    for (const ir::Statement& statement : function.body()) {
      const auto* reader = statement.as<Instruction>();
      if (reader == nullptr) continue;
      if (reader->guard) add(reader->guard.predicate());
      ir::forEachRegister(*reader, [&](const ir::Operand& operand) {
        if (operand.reads) add(operand.reg());
      });
    }
  }
  bool isRead = false;
  ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
    isRead |= operand.writes && read->test(static_cast<std::size_t>(operand.reg()));
  });
  return isRead;
}

// What the waits of class A complete: everything that is copied asynchronously (C5.1).
void BarrierEvents::findCopies() {
  bool isComplete = true;
  for (std::uint32_t k = 0; k < bodies_.size(); ++k) {
    const Cfg& cfg = *bodies_[k].cfg;
    for (const BlockId b : cfg.blocks()) {
      for (const Instruction& instruction : cfg.instructions(b)) {
        if (instruction.desc->effect == isa::Effect::AsyncCopy) {
          const MemoryEffect effect = memoryEffectOf(instruction, bodies_[k].assumptions);
          for (const MemoryAccess& access : effect.all()) {
            const AccessKinds kinds = async_ == nullptr ? access.kinds : access.kinds | kAsync;
            completed_.copies.add(kinds, placeOf(k, access),
                                  accessOf(k, instruction, access.address));
          }
        } else if (mayBeAsyncCopy(instruction)) {
          isComplete = false;
        } else if (mayCall(instruction) &&
                   context_.calleeOf(cfg.function(), instruction) == kNone) {
          isComplete &= !context_.facts->effects(bodies_[k].assumptions)
                             .ofCall(cfg.function(), instruction)
                             .hasAsyncCopy;
        }
      }
    }
  }
  if (isComplete) return;
  completed_.copies.add(kWrite, {Domain::Shared}, nullptr);
  completed_.copies.add(kRead, {Domain::Global}, nullptr);
}

// docs/soundness/ G1.4
bool BarrierEvents::completesNothing(std::uint32_t body, const Instruction& wait) {
  if (!groups_[body]) groups_[body].emplace(*bodies_[body].cfg);
  return groups_[body]->completesNothing(wait);
}

void BarrierEvents::addCompletion(std::uint32_t body, const Instruction& wait, CopiedBytes& copies,
                                  Ordered ordered) {
  const Addresses* const addresses = bodies_[body].addresses;
  const Access* const executor = addresses == nullptr ? nullptr : addresses->executorOf(wait);
  for (const CopiedBytes::Part& part : copies.parts()) {
    const bool isOfOne = executor != nullptr && part.bytes != nullptr;
    addAccess(body, wait, part.kinds, part.place, ordered,
              isOfOne ? &copies.seenBy(*executor, part) : part.bytes);
  }
}

const Access* BarrierEvents::accessOf(std::uint32_t body, const Instruction& instruction,
                                      const ir::Operand* address) const {
  const Addresses* addresses = bodies_[body].addresses;
  if (addresses == nullptr || address == nullptr) return nullptr;
  for (const Access& known : addresses->of(instruction)) {
    if (known.operand == address) return &known;
  }
  return nullptr;
}

void BarrierEvents::addAccess(std::uint32_t body, const Instruction& instruction, AccessKinds kinds,
                              const Place& place, Ordered ordered, const Access* access) {
  const StoreOfAll storeOfAll = access != nullptr && storesOfAll_[body]
                                    ? storesOfAll_[body]->of(instruction)
                                    : StoreOfAll::No;
  const auto key = classes_.keyOf(kinds, place, access, storeOfAll);
  if (!key) return;
  BarrierRegions::Event event;
  event.instruction = &instruction;
  event.function = &bodies_[body].cfg->function();
  event.key = key;
  event.ordered = ordered;
  event.reads = (kinds & kRead) != 0;
  event.writes = (kinds & kWrite) != 0;
  regions_.addEvent(event);
}

void BarrierEvents::addMarks(std::uint32_t body, const Instruction& instruction, EffectMarks marks,
                             Ordered ordered) {
  if (marks == 0) return;
  BarrierRegions::Event event;
  event.instruction = &instruction;
  event.function = &bodies_[body].cfg->function();
  event.marks = marks;
  event.ordered = ordered;
  // T may read and write anything.
  event.reads = event.writes = (marks & kAnySync) != 0;
  regions_.addEvent(event);
}

// T that is known to be that of one thread.
bool BarrierEvents::addSync(std::uint32_t body, const Instruction& instruction, Ordered ordered,
                            bool isOuter) {
  const Addresses* addresses = bodies_[body].addresses;
  const Access* executor = addresses == nullptr ? nullptr : addresses->executorOf(instruction);
  const auto key = executor == nullptr ? std::nullopt : classes_.keyOfSync(*executor, isOuter);
  if (!key) return false;
  BarrierRegions::Event event;
  event.instruction = &instruction;
  event.function = &bodies_[body].cfg->function();
  event.key = key;
  event.ordered = ordered;
  event.reads = event.writes = true;
  regions_.addEvent(event);
  return true;
}

const Access* accessOfEvent(const BarrierRegions::Event& event, const AccessClasses& classes,
                            std::span<const BarrierBody> bodies) {
  if (event.instruction == nullptr || !event.key) return nullptr;
  const Access* const one = classes.accessOf(classes.of(*event.key));
  if (one == nullptr) return nullptr;
  for (const BarrierBody& body : bodies) {
    if (&body.cfg->function() != event.function || body.addresses == nullptr) continue;
    // Of several operands the one that the class stands for.
    for (const Access& access : body.addresses->of(*event.instruction)) {
      const bool isSame = access.address == one->address && access.bytes == one->bytes &&
                          access.bases == one->bases && access.size == one->size;
      if (isSame) return &access;
    }
  }
  return one;
}

}  // namespace ptxopt::analysis
