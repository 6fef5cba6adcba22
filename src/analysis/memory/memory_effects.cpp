// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/memory/memory_effects.h"

#include <algorithm>
#include <optional>

#include "ir/barrier.h"
#include "ir/effect.h"
#include "ir/module.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using isa::Effect;

// An instruction of A2.5.5 that copies or reduces in bulk, without synchronisation at its issue
// (C4.5): not a commit, wait or prefetch, and not .relaxed.
bool isBulkIssue(const isa::InstructionDesc& desc) {
  return desc.is(isa::kCopy) && desc.has(".bulk") && desc.is(isa::kMemoryWrite) &&
         !desc.has(".relaxed") && !desc.has(".prefetch");
}

Domain domainOf(isa::Space space) {
  switch (space) {
    case isa::Space::Shared:
    case isa::Space::SharedCluster:
      return Domain::Shared;
    case isa::Space::Global:
      return Domain::Global;
    default:
      return Domain::Any;
  }
}

const ir::Operand* firstAddress(const Instruction& instruction, std::size_t skip = 0) {
  for (const ir::Operand& operand : instruction.operands()) {
    if (operand.kind == ir::OperandKind::Address && skip-- == 0) return &operand;
  }
  return nullptr;
}

// An access that is not known to be only a read or only a write counts as both.
AccessKinds kindsOf(const isa::InstructionDesc& desc, bool isStrong) {
  const bool reads = desc.is(isa::kMemoryRead);
  const bool writes = desc.is(isa::kMemoryWrite);
  AccessKinds kinds = 0;
  if (reads || !writes) kinds |= kRead;
  if (writes || !reads) kinds |= kWrite;
  if (isStrong && (kinds & kRead) != 0) kinds |= kStrongRead;
  if (isStrong && (kinds & kWrite) != 0) kinds |= kStrongWrite;
  return kinds;
}

void addAccess(MemoryEffect& effect, const Instruction& instruction, bool isStrong) {
  const isa::InstructionDesc& desc = *instruction.desc;
  MemoryAccess access;
  access.kinds = kindsOf(desc, isStrong);
  access.domain = domainOf(desc.space);
  // A cluster address may point to any object of any CTA (C3.6).
  if (desc.space != isa::Space::SharedCluster) access.address = firstAddress(instruction);
  effect.accesses[effect.accessCount++] = access;
}

// What an instruction that changes a tensor map does to the memory that holds it.
void addTensorMap(MemoryEffect& effect, const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  MemoryAccess& map = effect.accesses[effect.accessCount++];
  if (desc.is(isa::kCollective)) {  // a copy from shared memory
    map = {kRead, Domain::Shared, firstAddress(instruction, 1), Ordered::Both};
  } else {
    map = {kRead | kWrite, domainOf(desc.space), firstAddress(instruction), Ordered::Both};
  }
}

// The result or the duration depends on the time of execution.  This excludes setmaxnreg,
// activemask, old votes, and unknown special registers (docs/soundness/ C10.10).
bool isTiming(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.is(isa::kTimer)) return true;
  return desc.known() && desc.effect == Effect::Neutral &&
         std::ranges::none_of(instruction.operands(), [](const ir::Operand& operand) {
           return operand.kind == ir::OperandKind::SpecialRegister &&
                  operand.immediate == ir::kUnknownSpecialRegister;
         });
}

// By the assumptions, the instruction orders nothing.
bool isAssumedAway(const Instruction& instruction, Effect effect, const Assumptions& assumptions) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (!assumptions.any() || !desc.known()) return false;
  switch (effect) {
    case Effect::InvariantRead:  // A2.11, F6: of textures only `tex`
      return assumptions.has(Assumption::NcInvariant) &&
             (desc.isLoad() || desc.is(isa::kTextureRead));
    case Effect::Sync:
      return assumptions.has(Assumption::RelaxTrap) && desc.control == isa::Control::Trap;
    case Effect::Pin:
      return assumptions.has(Assumption::RelaxTiming) && isTiming(instruction);
    default:
      return false;
  }
}

}  // namespace

bool mayPoll(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const Effect effect = ir::effectOf(instruction);
  if ((effect != Effect::Strong && effect != Effect::Sync) || !desc.is(isa::kMemoryRead)) {
    return false;
  }
  const std::span<const ir::Operand> operands = instruction.operands();
  return std::ranges::any_of(operands, [](const ir::Operand& operand) { return operand.writes; });
}

bool mayBeAsyncCopy(const Instruction& instruction) {
  return instruction.desc->is(isa::kMayCopyAsync);
}

bool mayHaveClusters(const ir::Function& function) {
  const ir::Attribute* const shape = function.attribute(".reqnctapercluster");
  const bool isOne =
      shape == nullptr ||
      (!shape->values.empty() && std::ranges::all_of(shape->values, [](auto n) { return n == 1; }));
  return !isOne || function.module().hasUnknownDirective ||
         std::ranges::any_of(function.attributes, [](const ir::Attribute& a) { return !a.known; });
}

MemoryEffect memoryEffectOf(const Instruction& instruction, const Assumptions& assumptions) {
  const isa::InstructionDesc& desc = *instruction.desc;
  MemoryEffect effect;
  const Effect kind = ir::effectOf(instruction);
  if (isAssumedAway(instruction, kind, assumptions)) return effect;
  switch (kind) {
    case Effect::Neutral:
    case Effect::NeutralFrozen:
    case Effect::Private:
    case Effect::ImmutableRead:
    case Effect::WarpBarrier:  // orders lanes, and no barrier of the CTA orders it
    case Effect::CtaBarrier:
    case Effect::Call:
      break;
    case Effect::InvariantRead:
      if (desc.isLoad()) {
        addAccess(effect, instruction, false);
      } else {
        effect.marks = kOpaqueSync;  // textures: F6
      }
      break;
    case Effect::Weak:
      addAccess(effect, instruction, false);
      break;
    case Effect::Strong:
      addAccess(effect, instruction, true);
      if (mayPoll(instruction)) {
        // Without a fence the read synchronises with nothing, yet old code relies on the barrier
        // after it.
        const bool isShared = domainOf(desc.space) == Domain::Shared;
        effect.poll = isShared ? MemoryEffect::Poll::Shared : MemoryEffect::Poll::Other;
        if (!isShared) effect.marks = kOpaqueSync;
        effect.sparesShared = desc.space == isa::Space::Global;
      }
      break;
    case Effect::CtaFence:
      effect.marks = kCtaFence;
      break;
    case Effect::AsyncCopy:
      effect.accesses[0] = {kWrite, Domain::Shared, firstAddress(instruction, 0), Ordered::AsLower};
      effect.accesses[1] = {kRead, Domain::Global, firstAddress(instruction, 1), Ordered::AsLower};
      effect.accessCount = 2;
      break;
    case Effect::AsyncWait:
      effect.accesses[0] = {kWrite, Domain::Shared, nullptr, Ordered::Both};
      effect.accesses[1] = {kRead, Domain::Global, nullptr, Ordered::Both};
      effect.accessCount = 2;
      effect.completesCopies = true;
      break;
    case Effect::Sync:
      effect.marks = kOpaqueSync;
      if (isBulkIssue(desc)) effect.markOrder = Ordered::AsLower;
      effect.sparesShared =
          desc.is(isa::kOuterSync) || (desc.isAccess() && desc.space == isa::Space::Global);
      if (desc.is(isa::kOuterSync) && desc.is(isa::kMemoryWrite)) addTensorMap(effect, instruction);
      break;
    case Effect::Pin:
      effect.marks = kPin;
      break;
    case Effect::Unknown:
      effect.marks = kOpaqueSync | kBarrierResource;
      break;
  }
  return effect;
}

// ---- calls -------------------------------------------------------------------------------------

namespace {

void addPlace(CallEffect& effect, AccessKinds kinds, const Place& place) {
  if (place.isHarmless) return;
  for (ObjectAccess& access : effect.accesses) {
    if (access.place == place) {
      access.kinds |= kinds;
      return;
    }
  }
  // Of so many objects, the individual one no longer matters.
  effect.accesses.push_back({kinds, place});
  if (!exceeds(effect.accesses.size(), Limit::CallPlaces)) return;
  AccessKinds all = 0;
  for (const ObjectAccess& access : effect.accesses) all |= access.kinds;
  effect.accesses = {{all, {Domain::Any}}};
}

void merge(CallEffect& into, const CallEffect& from) {
  into.marks |= from.marks;
  into.mayEndThread |= from.mayEndThread;
  into.sharedIsExternal |= from.sharedIsExternal;
  into.hasAsyncCopy |= from.hasAsyncCopy;
  into.pollsShared |= from.pollsShared;
  into.readsExternalWeakly |= from.readsExternalWeakly;
  for (const ObjectAccess& access : from.accesses) addPlace(into, access.kinds, access.place);
}

// Code outside of this module, or that a linker may replace (docs/soundness/ A5.3).
CallEffect unknownEffect() {
  CallEffect effect;
  effect.marks = kOpaqueSync | kCtaFence | kPin | kBarrierResource;
  effect.mayEndThread = true;
  effect.sharedIsExternal = true;
  effect.hasAsyncCopy = true;
  effect.readsExternalWeakly = true;
  addPlace(effect, kRead | kWrite | kStrongRead, {Domain::Any});
  return effect;
}

// A function of the device runtime: it executes no barrier and no code of the module (A5.3).
CallEffect declarationEffect(const ir::Function& function, const Assumptions& assumptions) {
  CallEffect effect;
  const bool isTrap = function.nameText() == "__assertfail";
  if (isTrap && assumptions.has(Assumption::RelaxTrap)) return effect;
  effect.marks = kOpaqueSync;
  effect.sharedIsExternal = true;
  return effect;
}

CallEffect bodyEffect(const ir::Function& function, const Assumptions& assumptions) {
  CallEffect effect;
  effect.sharedIsExternal = mayHaveClusters(function);
  // An entry is not called by others: only the summary of its effects matters.
  std::optional<AddressObjects> objects;
  if (!function.isEntry()) objects.emplace(function, assumptions.flatShared);
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<Instruction>();
    if (instruction == nullptr) continue;
    const isa::InstructionDesc& desc = *instruction->desc;
    effect.sharedIsExternal |= desc.is(isa::kClusterFeature);
    // An instruction that is not understood may end the thread (A7.2).
    effect.mayEndThread |= desc.control == isa::Control::Exit || !desc.known();
    if (desc.effect == isa::Effect::CtaBarrier || ir::mayBeAnyBarrier(*instruction)) {
      effect.marks |= kBarrierResource | kOpaqueSync;
    }
    if (!mayHaveMemoryEffect(*instruction)) continue;
    const MemoryEffect own = memoryEffectOf(*instruction, assumptions);
    effect.marks |= own.marks;
    effect.pollsShared |= own.poll == MemoryEffect::Poll::Shared;
    effect.hasAsyncCopy |= mayBeAsyncCopy(*instruction);
    if (!objects) continue;
    for (const MemoryAccess& access : own.all()) {
      Place place = {access.domain};
      if (access.address != nullptr) place = objects->placeOf(*access.address, access.domain);
      addPlace(effect, access.kinds, place);
      const bool isWeakRead = (access.kinds & (kRead | kStrongRead)) == kRead;
      effect.readsExternalWeakly |= isWeakRead && place.domain != Domain::Shared;
    }
  }
  return effect;
}

}  // namespace

CallEffects::CallEffects(const CallGraph& graph, const Assumptions& assumptions)
    : graph_(&graph), effects_(graph.components().count) {
  for (const Vertex v : graph.bottomUp()) {
    const std::uint32_t c = graph.components().component[v];
    if (v == graph.outside()) {
      merge(effects_[c], unknownEffect());
    } else {
      const ir::Function& function = *graph.function(v);
      merge(effects_[c], function.hasBody() ? bodyEffect(function, assumptions)
                                            : declarationEffect(function, assumptions));
    }
    for (const Vertex callee : graph.graph().successors(v)) {
      const std::uint32_t other = graph.components().component[callee];
      if (other != c) merge(effects_[c], effects_[other]);
    }
  }
}

CallEffect CallEffects::ofCall(const ir::Function& caller, const Instruction& call) const {
  CallEffect effect;
  for (const Vertex v : graph_->targets(caller, call)) merge(effect, of(v));
  return effect;
}

}  // namespace ptxopt::analysis
