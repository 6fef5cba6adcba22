// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/async/full_waits.h"

#include <algorithm>

#include "analysis/async/wait_loops.h"
#include "isa/async_role.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;

Uniformity::InstructionSet waitsIn(const Cfg& cfg) {
  Uniformity::InstructionSet waits;
  for (const BlockId b : cfg.blocks()) {
    for (const Instruction& instruction : cfg.instructions(b)) {
      const bool isWait = isa::asyncRoleOf(*instruction.desc) == isa::AsyncRole::Wait;
      if (isWait && cfg.isReachable(b)) waits.insert(&instruction);
    }
  }
  return waits;
}

// Blocks whose order matters to all threads: those with a barrier, a wait or a fence.
BitSet meetingBlocks(const Cfg& cfg) {
  BitSet blocks(cfg.blockCount() + std::size_t{1});
  for (const BlockId b : cfg.blocks()) {
    for (const Instruction& instruction : cfg.instructions(b)) {
      const isa::AsyncRole role = isa::asyncRoleOf(*instruction.desc);
      const bool isOne = role == isa::AsyncRole::Wait || role == isa::AsyncRole::ProxyFence ||
                         instruction.desc->effect == isa::Effect::CtaBarrier ||
                         !instruction.desc->known();
      if (isOne) blocks.set(b);
    }
  }
  return blocks;
}

}  // namespace

FullWaits::FullWaits(const Cfg& cfg, const Liveness& liveness, const Loops& loops,
                     const Assumptions& assumptions)
    : cfg_(cfg),
      loops_(loops),
      waits_(waitsIn(cfg)),
      // That all of them agree is what isFull() then confirms: where one does not, no claim is
      // made.
      uniformity_(cfg, liveness, meetingBlocks(cfg), waits_, assumptions) {
  areAll_ = std::ranges::all_of(waits_, [&](const Instruction* wait) { return isFull(*wait); });
}

bool FullWaits::isFull(const Instruction& wait) const {
  if (!isExecutedByAll(wait) || !waitsUntilDone(cfg_, loops_, wait)) return false;
  bool areOperandsUniform = true;
  ir::forEachRegister(wait, [&](const ir::Operand& operand) {
    if (operand.reads) areOperandsUniform &= uniformity_.isUniform(operand.reg());
  });
  return areOperandsUniform;
}

}  // namespace ptxopt::analysis
