// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/waits/cluster_barriers.h"

#include <utility>

#include "analysis/flow/dominators.h"
#include "analysis/flow/loops.h"
#include "ir/function.h"

namespace ptxopt::passes {

namespace {

using analysis::BlockId;
using analysis::Cfg;
using analysis::LoopId;
using ir::Instruction;
using isa::WaitRole;

bool isClusterBarrier(const Instruction& instruction) {
  const WaitRole role = isa::waitRoleOf(*instruction.desc);
  return role == WaitRole::ClusterArrive || role == WaitRole::ClusterWait;
}

// Every thread of every CTA executes each of them, and just once, so that they come in one order.
bool areOfAllOnce(const Cfg& cfg, analysis::FunctionAnalyses& analyses) {
  const auto& postDominators = analyses.get<analysis::PostDominators>();
  const auto& loops = analyses.get<analysis::Loops>();
  for (const BlockId b : cfg.blocks()) {
    for (const Instruction& instruction : cfg.instructions(b)) {
      if (analysis::mayCall(instruction)) return false;
      if (!isClusterBarrier(instruction) || !cfg.isReachable(b)) continue;
      const bool isOnce =
          postDominators.dominates(b, cfg.entry()) && loops.loopOf(b) == LoopId::None;
      if (instruction.guard || !isOnce) return false;
    }
  }
  return true;
}

struct Pair {
  Instruction* arrive = nullptr;
  Instruction* wait = nullptr;
  bool orders() const { return !arrive->desc->has(".relaxed"); }
};

// Pairs of a block with nothing but arithmetic inside and since the pair before.
void addPairsOfBlock(const Cfg& cfg, BlockId b, DeadWaits& dead) {
  Pair last;
  Pair current;
  for (Instruction& instruction : cfg.instructions(b)) {
    const WaitRole role = isa::waitRoleOf(*instruction.desc);
    if (role == WaitRole::ClusterArrive) {
      current = {&instruction};
    } else if (role == WaitRole::ClusterWait && current.arrive != nullptr) {
      current.wait = &instruction;
      if (last.wait != nullptr) {
        // The one that stays orders what both did.
        if (current.orders() && !last.orders()) std::swap(last, current);
        dead.push_back({current.arrive, RemovedWait::Why::BarrierBeside, {current.wait}});
      } else {
        last = current;
      }
      current = {};
    } else if (!isArithmetic(instruction)) {
      last = current = {};
    }
  }
}

}  // namespace

DeadWaits clusterBarriersBesideOthers(analysis::FunctionAnalyses& analyses) {
  DeadWaits dead;
  const Cfg& cfg = analyses.get<Cfg>();
  if (!cfg.function().isEntry()) return dead;
  for (const BlockId b : cfg.blocks()) {
    if (cfg.isReachable(b)) addPairsOfBlock(cfg, b, dead);
  }
  return dead.empty() || areOfAllOnce(cfg, analyses) ? dead : DeadWaits{};
}

}  // namespace ptxopt::passes
