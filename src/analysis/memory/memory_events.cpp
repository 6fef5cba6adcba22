// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/memory/memory_events.h"

#include <algorithm>
#include <optional>

#include "ir/effect.h"
#include "ir/function.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using isa::Effect;

const ir::Operand* addressOf(const Instruction& instruction) {
  for (const ir::Operand& operand : instruction.operands()) {
    if (operand.kind == ir::OperandKind::Address) return &operand;
  }
  return nullptr;
}

// Each thread accesses memory at an address of its own.
bool isOfOneAddress(const isa::InstructionDesc& desc) {
  return desc.isAccess() && !desc.is(isa::kCollective);
}

}  // namespace

MemoryEvent memoryEventOf(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const bool onlyReads = desc.is(isa::kMemoryRead) && !desc.is(isa::kMemoryWrite);
  switch (ir::effectOf(instruction)) {
    case Effect::Neutral:
    case Effect::NeutralFrozen:
    case Effect::ImmutableRead:
    case Effect::InvariantRead:
      return MemoryEvent::None;
    case Effect::Private:
      // Parameters of calls are not tracked here.
      if (desc.space != isa::Space::Local) return MemoryEvent::None;
      if (onlyReads && desc.semantics == isa::Semantics::None) return MemoryEvent::None;
      return isOfOneAddress(desc) ? MemoryEvent::AtAddress : MemoryEvent::Own;
    case Effect::Weak:
      if (onlyReads) return MemoryEvent::None;
      return isOfOneAddress(desc) ? MemoryEvent::AtAddress : MemoryEvent::All;
    case Effect::Strong:
      return isOfOneAddress(desc) ? MemoryEvent::AtAddress : MemoryEvent::All;
    case Effect::Pin:
      // Reading a clock invalidates nothing (D1.7); after a sleep, a thread must read again (D1.6).
      return desc.effect == Effect::Neutral ? MemoryEvent::None : MemoryEvent::Reachable;
    case Effect::CtaBarrier:
      return desc.known() && desc.has(".arrive") ? MemoryEvent::None  // D1.4
                                                 : MemoryEvent::Reachable;
    case Effect::CtaFence:
    case Effect::AsyncWait:
    case Effect::WarpBarrier:
      return MemoryEvent::Reachable;
    case Effect::Sync:
      if (!desc.known()) return MemoryEvent::All;
      // D1.4: a release orders the accesses above it, but no load below.
      if (isOfOneAddress(desc) && desc.semantics == isa::Semantics::Release) {
        return MemoryEvent::AtAddress;
      }
      // Without an address operand it does not write memory of this thread.
      return addressOf(instruction) == nullptr && desc.control == isa::Control::None
                 ? MemoryEvent::Reachable
                 : MemoryEvent::All;
    case Effect::Call:
      return MemoryEvent::Call;
    case Effect::AsyncCopy:
    case Effect::Unknown:
      break;
  }
  return MemoryEvent::All;
}

// ---- calls -------------------------------------------------------------------------------------

namespace {

void addPlace(CalleeMemory& memory, const Place& place) {
  if (memory.forgetsReachable) return;
  if (std::ranges::find(memory.written, place) == memory.written.end()) {
    memory.written.push_back(place);
  }
  // Of so many objects, the individual one no longer matters.
  if (exceeds(memory.written.size(), Limit::CalleePlaces)) memory.forgetsReachable = true;
}

void merge(CalleeMemory& into, const CalleeMemory& from) {
  into.forgetsReachable |= from.forgetsReachable;
  into.forgetsOwn |= from.forgetsOwn;
  for (const Place& place : from.written) addPlace(into, place);
}

CalleeMemory bodyMemory(const ir::Function& function) {
  CalleeMemory memory;
  std::optional<AddressObjects> objects;
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<Instruction>();
    if (instruction == nullptr) continue;
    const isa::InstructionDesc& desc = *instruction->desc;
    switch (memoryEventOf(*instruction)) {
      case MemoryEvent::None:
      case MemoryEvent::Poll:
      case MemoryEvent::Call:  // an edge of the call graph
        break;
      case MemoryEvent::AtAddress: {
        const ir::Operand* address = addressOf(*instruction);
        const bool isShared = desc.space == isa::Space::Shared;
        const bool isGlobal = desc.space == isa::Space::Global;
        if (desc.effect == Effect::Weak && !desc.is(isa::kMemoryWrite)) break;
        // The loop of a poll may be around the call instead of around the read (D1.15), so loops
        // are ignored.
        memory.forgetsReachable |= mayPoll(*instruction);
        // The callee may have received a pointer to the caller's .local memory.
        memory.forgetsOwn |= !isShared && !isGlobal;
        if (desc.space == isa::Space::Local) break;
        if (address == nullptr || (!isShared && !isGlobal)) {
          memory.forgetsReachable = true;
          break;
        }
        if (!objects) objects.emplace(function);
        const Domain domain = isShared ? Domain::Shared : Domain::Global;
        Place place = objects->placeOf(*address, domain);
        place.isHarmless = false;
        addPlace(memory, place);
        break;
      }
      case MemoryEvent::Own:
        memory.forgetsOwn = true;
        break;
      case MemoryEvent::Reachable:
        memory.forgetsReachable = true;
        break;
      case MemoryEvent::All:
        memory.forgetsOwn = memory.forgetsReachable = true;
        break;
    }
  }
  return memory;
}

constexpr CalleeMemory everything() {
  return {true, true, {}};
}

}  // namespace

CalleeMemories::CalleeMemories(const CallGraph& graph)
    : graph_(&graph), memories_(graph.components().count) {
  const auto componentOf = [&](Vertex v) { return graph.components().component[v]; };
  std::vector<std::vector<Vertex>> members(memories_.size());
  for (Vertex v = 0; v < graph.graph().vertexCount(); ++v) members[componentOf(v)].push_back(v);
  // Callees have smaller component numbers.
  for (std::size_t c = 0; c < memories_.size(); ++c) {
    for (const Vertex v : members[c]) {
      const ir::Function* function = graph.function(v);
      if (function != nullptr && function->isEntry()) continue;  // nothing in the module calls it
      const bool isKnown = function != nullptr && function->hasBody() && !function->isOpaque;
      merge(memories_[c], isKnown ? bodyMemory(*function) : everything());
      for (const Vertex callee : graph.graph().successors(v)) {
        if (componentOf(callee) != c) merge(memories_[c], memories_[componentOf(callee)]);
      }
    }
  }
}

CalleeMemory CalleeMemories::ofCall(const ir::Function& caller, const Instruction& call) const {
  CalleeMemory memory;
  for (const Vertex v : graph_->targets(caller, call)) {
    merge(memory, memories_[graph_->components().component[v]]);
  }
  return memory;
}

}  // namespace ptxopt::analysis
