// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/memory_walk.h"

#include <algorithm>

#include "ir/effect.h"

namespace ptxopt::passes {

using analysis::Domain;
using analysis::MemoryEvent;
using ir::Instruction;

// The load is in a loop that does not contain the known access, and the loop may wait for another
// value (docs/soundness/ D1.10, E.9.13).  If both are in the loop, the known access dominates the
// load, so each iteration executes it first.
bool MemoryWalk::leavesPoll(const Instruction& known, const Instruction& load) {
  analysis::LoopId loop = in_.loops.loopOf(load.block);
  const auto isLeft = [&](analysis::LoopId one) {
    return one != analysis::LoopId::None && !in_.loops.contains(one, known.block);
  };
  if (!isLeft(loop)) return false;
  while (isLeft(in_.loops.parent(loop))) loop = in_.loops.parent(loop);
  return !isQuiet(loop) || slices_.mayDecide(load);
}

// The loop does nothing but compute, branch, and load and store weakly.
bool MemoryWalk::isQuiet(analysis::LoopId loop) {
  const auto [found, isNew] = quiet_.try_emplace(loop, true);
  if (!isNew) return found->second;
  const auto isPlain = [](const Instruction& instruction) {
    const isa::InstructionDesc& desc = *instruction.desc;
    if (!desc.known() || desc.control == isa::Control::Call) return false;
    switch (ir::effectOf(instruction)) {
      case isa::Effect::Neutral:
      case isa::Effect::Private:
      case isa::Effect::ImmutableRead:
      case isa::Effect::InvariantRead:
      case isa::Effect::Weak:
        return true;
      default:
        return false;
    }
  };
  for (const analysis::BlockId b : in_.loops.members(loop)) {
    for (const Instruction& instruction : in_.ssa.cfg().instructions(b)) {
      if (!isPlain(instruction)) return found->second = false;
    }
  }
  return true;
}

// Also true for a generic address.
bool MemoryWalk::isOwnMemory(const Instruction& load, const PlainAccess& access) const {
  if (access.space == isa::Space::Local) return true;
  const auto loaded = in_.addresses.of(load);
  return loaded.size() == 1 && loaded[0].spaces.isOnly(isa::Space::Local);
}

bool MemoryWalk::isChangedBy(analysis::StateId state, const Instruction& load,
                             const PlainAccess& access, bool isOwn) const {
  const bool mayBeOwn = isOwn || access.space == isa::Space::None;
  const Instruction& change = in_.states.instruction(state);
  switch (in_.states.event(state)) {
    case MemoryEvent::None:
      return false;
    case MemoryEvent::AtAddress:
      return overlap(change, load);
    case MemoryEvent::Own:
      return mayBeOwn;
    case MemoryEvent::Reachable:
      return !isOwn;
    case MemoryEvent::Poll:
      return !isOwn || overlap(change, load);
    case MemoryEvent::Call:
      return isChangedByCall(change, load, access, isOwn);
    case MemoryEvent::All:
      break;
  }
  return true;
}

bool MemoryWalk::overlap(const Instruction& change, const Instruction& load) const {
  const auto changed = in_.addresses.of(change);
  const auto loaded = in_.addresses.of(load);
  if (changed.empty() || loaded.size() != 1) return true;
  analysis::AliasAssumptions assumptions;
  assumptions.flatShared = in_.flatShared;
  // Without an event, the thread need not see concurrent writes of others (docs/soundness/ D1.9).
  return std::ranges::any_of(changed, [&](const analysis::Access& access) {
    return analysis::mayOverlap(access, loaded[0], analysis::Threads::Same, assumptions);
  });
}

bool MemoryWalk::isChangedByCall(const Instruction& call, const Instruction& load,
                                 const PlainAccess& access, bool isOwn) const {
  if (in_.callees == nullptr) return true;
  const analysis::CalleeMemory memory = in_.callees->ofCall(*function_, call);
  if (isOwn) return memory.forgetsOwn;
  if (memory.forgetsReachable || (access.space == isa::Space::None && memory.forgetsOwn))
    return true;
  const auto loaded = in_.addresses.of(load);
  if (loaded.size() != 1) return !memory.written.empty();
  const analysis::Access& read = loaded[0];
  // The place is in another space, or in other variables.
  const auto isApart = [&](const analysis::Place& place) {
    const isa::Space space =
        place.domain == Domain::Shared ? isa::Space::Shared : isa::Space::Global;
    if (place.domain != Domain::Any && !read.spaces.contains(space)) return true;
    if (place.object == nullptr || in_.flatShared) return false;
    return std::ranges::all_of(read.bases, [&](const analysis::MemoryBase& base) {
      return base.kind == analysis::MemoryBase::Kind::Variable && base.variable != place.object;
    });
  };
  return !std::ranges::all_of(memory.written, isApart);
}

}  // namespace ptxopt::passes
