// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/waits/full_barriers.h"

#include <algorithm>

#include "ir/barrier.h"
#include "ir/function.h"

namespace ptxopt::passes {

using analysis::BlockId;
using analysis::Cfg;
using ir::Instruction;

InstructionSet fullBarriers(const Cfg& cfg, ExecutedByAll& executed) {
  InstructionSet barriers;
  if (!cfg.function().isEntry()) return {};
  for (const BlockId b : cfg.blocks()) {
    for (const Instruction& instruction : cfg.instructions(b)) {
      if (analysis::mayCall(instruction)) return {};
      if (!ir::ctaBarrier(instruction)) continue;
      if (!isFullBarrier(instruction)) return {};
      if (cfg.isReachable(b)) barriers.insert(&instruction);
    }
  }
  if (barriers.empty()) return {};
  const bool areOfAll = std::ranges::all_of(
      barriers, [&](const Instruction* barrier) { return executed.contains(barrier->block); });
  return areOfAll ? barriers : InstructionSet{};
}

bool mayEndTell(const Cfg& cfg, ExecutedByAll& executed) {
  if (!cfg.function().isEntry()) return true;
  const bool hasBarrier = std::ranges::any_of(cfg.blocks(), [&](BlockId b) {
    return std::ranges::any_of(cfg.instructions(b), [](const Instruction& instruction) {
      return analysis::mayCall(instruction) || ir::ctaBarrier(instruction).has_value();
    });
  });
  return hasBarrier && fullBarriers(cfg, executed).empty();
}

}  // namespace ptxopt::passes
