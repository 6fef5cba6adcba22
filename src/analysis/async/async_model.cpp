// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/async/async_model.h"

#include <algorithm>
#include <array>
#include <vector>

#include "analysis/addresses/alias.h"
#include "analysis/async/expected_bytes.h"
#include "analysis/async/stays_in_cta.h"
#include "analysis/launch/launch_shape.h"
#include "analysis/memory/memory_effects.h"
#include "ir/module.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;

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

// Each expectation, and each copy that is waited for, is executed by one thread at a time
// (docs/soundness/ C8(i)).
bool areOfOneThread(const Cfg& cfg, const Addresses* addresses) {
  if (addresses == nullptr) return false;
  for (const BlockId b : cfg.blocks()) {
    for (const Instruction& instruction : cfg.instructions(b)) {
      const isa::AsyncRole role = isa::asyncRoleOf(*instruction.desc);
      if (role != isa::AsyncRole::ArriveExpect && role != isa::AsyncRole::CopyIn) continue;
      const auto accesses = addresses->of(instruction);
      const bool isOne = !accesses.empty() && singleThread(accesses[0], accesses[0],
                                                           Threads::Different) != AliasRule::None;
      if (!isOne && cfg.isReachable(b)) return false;
    }
  }
  return true;
}

// What may have happened since the last barrier of all threads, on some path.
enum Since : std::uint8_t { kInit = 1, kWait = 2, kAcquire = 4 };

}  // namespace

AsyncModel::AsyncModel(const Cfg& cfg, const Liveness& liveness, const Loops& loops,
                       const AddressObjects& objects, const Addresses* addresses,
                       const Assumptions& assumptions, const InstructionSet& separators) {
  if (!staysInCta(cfg, objects)) return;
  waits_.emplace(cfg, liveness, loops, assumptions);
  if (!waits_->areAll()) {
    waits_.reset();
    return;
  }
  findProtocol(cfg, assumptions, separators);
  const ExpectedBytes bytes = expectedBytes(cfg);
  // A sum says nothing if several threads copy.
  const bool isKnown = bytes == ExpectedBytes::Somewhere || areOfOneThread(cfg, addresses);
  protocol_.observesPhases &= bytes != ExpectedBytes::Other && isKnown;
  protocol_.separatesCopies &= bytes == ExpectedBytes::Exact;
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
      if (isa::isOnMbarrier(role) && (since & kInit) != 0) protocol_.observesPhases = false;
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

}  // namespace ptxopt::analysis
