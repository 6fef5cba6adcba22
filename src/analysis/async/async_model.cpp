// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/async/async_model.h"

#include <algorithm>
#include <array>
#include <vector>

#include "analysis/async/shared_addresses.h"
#include "analysis/launch/launch_shape.h"
#include "analysis/memory/memory_effects.h"
#include "ir/module.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;

bool hasClusters(const ir::Function& function) {
  const ir::Attribute* const shape = function.attribute(".reqnctapercluster");
  const bool isOne =
      shape == nullptr ||
      (!shape->values.empty() && std::ranges::all_of(shape->values, [](auto n) { return n == 1; }));
  const bool isKnown =
      std::ranges::all_of(function.attributes, [](const ir::Attribute& one) { return one.known; });
  return !isOne || !isKnown || function.module().hasUnknownDirective;
}

bool isOnMbarrier(isa::AsyncRole role) {
  switch (role) {
    case isa::AsyncRole::Wait:
    case isa::AsyncRole::Arrive:
    case isa::AsyncRole::ArriveExpect:
    case isa::AsyncRole::Expect:
    case isa::AsyncRole::CopyIn:
    case isa::AsyncRole::TensorCommit:
      return true;
    default:
      return false;
  }
}

bool isConstantAbove(const Operand* number, std::int64_t least) {
  return number != nullptr && number->kind == OperandKind::Integer && number->immediate >= least;
}

bool mayAcquire(const Instruction& instruction, const Assumptions& assumptions) {
  const isa::Effect kind = instruction.desc->effect;
  if (kind == isa::Effect::WarpBarrier || kind == isa::Effect::CtaBarrier) return true;
  if (!mayHaveMemoryEffect(instruction)) return false;
  const MemoryEffect effect = memoryEffectOf(instruction, assumptions);
  return (effect.marks & (kOpaqueSync | kCtaFence | kBarrierResource)) != 0 ||
         effect.poll != MemoryEffect::Poll::None;
}

// A lane for each thread of four warps (PTX ISA 9.7.18.2).
constexpr std::uint64_t kLanesOfTensorMemory = 128;

// The size of each copy to shared memory is a constant.
bool areCopiesSized(const Cfg& cfg) {
  for (const BlockId b : cfg.blocks()) {
    for (const Instruction& copy : cfg.instructions(b)) {
      const bool isCopy = isa::asyncRoleOf(*copy.desc) == isa::AsyncRole::CopyIn;
      if (isCopy && (copy.desc->has(".tensor") || !isConstantAbove(copy.operand(2), 1))) {
        return false;
      }
    }
  }
  return true;
}

// What may have happened since the last barrier of all threads, on some path.
enum Since : std::uint8_t { kInit = 1, kWait = 2, kAcquire = 4 };

}  // namespace

const Operand* mbarrierOperand(const Instruction& instruction, isa::AsyncRole role) {
  if (role == isa::AsyncRole::CopyIn) {
    // The last address that stands for itself: [d], [a], n, [bar].
    const std::span<const Operand> all = instruction.operands();
    const Operand* last = nullptr;
    for (std::size_t at = 0; at < all.size(); at += all[at].extent()) {
      if (all[at].kind == OperandKind::Address) last = &all[at];
    }
    return last;
  }
  if (!isOnMbarrier(role) && role != isa::AsyncRole::Init) return nullptr;
  for (const Operand& operand : instruction.operands()) {
    if (operand.kind == OperandKind::Address) return &operand;
  }
  return nullptr;
}

AsyncModel::AsyncModel(const Cfg& cfg, const Liveness& liveness, const Loops& loops,
                       const AddressObjects& objects, const Assumptions& assumptions,
                       const InstructionSet& separators) {
  if (!staysInside(cfg, objects)) return;
  waits_.emplace(cfg, liveness, loops, assumptions);
  if (!waits_->areAll()) {
    waits_.reset();
    return;
  }
  findProtocol(cfg, assumptions, separators);
  checkBytes(cfg);
}

// docs/soundness/ G3
bool AsyncModel::staysInside(const Cfg& cfg, const AddressObjects& objects) const {
  const ir::Function& function = cfg.function();
  if (!function.isEntry() || hasClusters(function)) return false;
  bool isAny = false;
  for (const BlockId b : cfg.blocks()) {
    for (const Instruction& instruction : cfg.instructions(b)) {
      const isa::AsyncRole role = isa::asyncRoleOf(*instruction.desc);
      const bool isUnknown = !instruction.desc->known() || role == isa::AsyncRole::Other ||
                             instruction.desc->control == isa::Control::Call;
      if (isUnknown || !isOfOwnCta(instruction, role, objects)) return false;
      isAny |= role != isa::AsyncRole::None;
    }
  }
  return isAny && !mayPublishSharedAddress(function);
}

// The window of the cluster contains that of the own CTA (C3.6): an address there is an own one if
// it is made of a variable.
bool AsyncModel::isOfOwnCta(const Instruction& instruction, isa::AsyncRole role,
                            const AddressObjects& objects) const {
  if (role == isa::AsyncRole::None || !instruction.desc->has(".shared::cluster") ||
      role == isa::AsyncRole::ProxyFence) {
    return true;
  }
  const auto isOwn = [&](const Operand* address) {
    return address != nullptr && objects.placeOf(*address, Domain::Shared).object != nullptr;
  };
  const Operand* const first = instruction.operand(0);
  const bool isCopy = role == isa::AsyncRole::CopyIn;
  return isOwn(mbarrierOperand(instruction, role)) && (!isCopy || isOwn(first));
}

// docs/soundness/ G4.3, G4.4: a forward data flow over what happened since the last barrier.
void AsyncModel::findProtocol(const Cfg& cfg, const Assumptions& assumptions,
                              const InstructionSet& separators) {
  const std::array<std::uint32_t, 3> most = LaunchShape::of(cfg.function(), assumptions).most;
  const bool hasOwnLanes = std::uint64_t{most[0]} * most[1] * most[2] <= kLanesOfTensorMemory;
  protocol_ = {true, true, true, hasOwnLanes};
  IdVector<BlockId, std::uint8_t> atEntry(cfg.blockCount() + std::size_t{1}, 0);
  const auto pass = [&](BlockId b, std::uint8_t since) {
    for (const Instruction& instruction : cfg.instructions(b)) {
      const isa::AsyncRole role = isa::asyncRoleOf(*instruction.desc);
      const bool isOpening = role == isa::AsyncRole::ArriveExpect || role == isa::AsyncRole::CopyIn;
      if (role == isa::AsyncRole::Init && instruction.desc->has(".init")) {
        const Operand* const count = instruction.operand(1);
        protocol_.hasOneArrival &= isConstantAbove(count, 1) && count->immediate == 1;
      }
      if (role == isa::AsyncRole::ArriveExpect) {
        const Operand* const bytes = instruction.operand(2);
        protocol_.observesPhases &= isConstantAbove(bytes, 1);
      }
      if (isOnMbarrier(role) && (since & kInit) != 0) protocol_.observesPhases = false;
      if (isOpening && (since & kAcquire) != 0) protocol_.observesPhases = false;
      if (role == isa::AsyncRole::CopyIn && (since & kWait) != 0) protocol_.separatesCopies = false;
      if (separators.contains(&instruction)) {
        since = 0;
        continue;
      }
      if (role == isa::AsyncRole::Init) since |= kInit;
      if (role == isa::AsyncRole::Wait) since |= kWait;
      if (role == isa::AsyncRole::None && mayAcquire(instruction, assumptions)) since |= kAcquire;
    }
    return since;
  };
  std::vector<BlockId> work;
  for (const BlockId b : cfg.blocks()) work.push_back(b);
  std::ranges::reverse(work);
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    const std::uint8_t atEnd = pass(b, atEntry[b]);
    for (const BlockId next : cfg.successors(b)) {
      if (next == cfg.exit() || (atEntry[next] | atEnd) == atEntry[next]) continue;
      atEntry[next] |= atEnd;
      work.push_back(next);
    }
  }
}

// docs/soundness/ G4.5: a forward data flow over what was expected and copied since the last wait.
void AsyncModel::checkBytes(const Cfg& cfg) {
  protocol_.separatesCopies &= areCopiesSized(cfg);
  const bool areSized = protocol_.separatesCopies;
  // Of the bytes that are expected, those that no copy brings yet; and which of "nothing", "a
  // copy", "an expectation" and both there may have been, a bit for each.
  struct Since {
    std::int64_t bytes = 0;
    std::uint8_t seen = 0;
  };
  constexpr std::uint8_t kNothing = 1, kCopied = 2, kExpected = 4, kBoth = 8;
  const auto with = [](std::uint8_t seen, std::uint8_t one) {
    const bool isNew = (seen & (kNothing | one)) != 0;
    const bool isBoth = (seen & ~(kNothing | one)) != 0;
    return static_cast<std::uint8_t>((isNew ? one : 0) | (isBoth ? kBoth : 0));
  };
  IdVector<BlockId, std::optional<Since>> atEntry(cfg.blockCount() + std::size_t{1});
  atEntry[cfg.entry()] = Since{0, kNothing};
  std::vector<BlockId> work{cfg.entry()};
  while (!work.empty() && protocol_.observesPhases) {
    const BlockId b = work.back();
    work.pop_back();
    Since since = *atEntry[b];
    for (const Instruction& instruction : cfg.instructions(b)) {
      const isa::AsyncRole role = isa::asyncRoleOf(*instruction.desc);
      if (role == isa::AsyncRole::Wait) {
        const bool isBalanced = (since.seen & (kCopied | kExpected)) == 0;
        protocol_.observesPhases &= isBalanced && (!areSized || since.bytes == 0);
        since.seen = kNothing;
      } else if (role == isa::AsyncRole::ArriveExpect) {
        const Operand* const bytes = instruction.operand(2);
        since.bytes += isConstantAbove(bytes, 1) ? bytes->immediate : 0;
        since.seen = with(since.seen, kExpected);
      } else if (role == isa::AsyncRole::CopyIn) {
        if (areSized) since.bytes -= instruction.operand(2)->immediate;
        since.seen = with(since.seen, kCopied);
      }
    }
    for (const BlockId next : cfg.successors(b)) {
      if (next == cfg.exit()) continue;
      std::optional<Since>& known = atEntry[next];
      if (known && known->bytes != since.bytes && areSized) protocol_.observesPhases = false;
      const std::uint8_t before = known ? known->seen : 0;
      if (known && (before | since.seen) == before) continue;
      known = Since{since.bytes, static_cast<std::uint8_t>(before | since.seen)};
      work.push_back(next);
    }
  }
}

}  // namespace ptxopt::analysis
