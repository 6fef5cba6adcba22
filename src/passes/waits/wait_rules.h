// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the rules of dead-wait have in common.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "analysis/flow/callee.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/manager.h"
#include "analysis/threads/non_exited_threads.h"
#include "ir/barrier.h"
#include "ir/effect.h"
#include "ir/statement.h"
#include "isa/wait_role.h"
#include "passes/engine/remark_content.h"
#include "support/digraph.h"

namespace ptxopt::passes {

// A statement that orders nothing, and why.
struct DeadWait {
  using Others = std::array<ir::Instruction*, 2>;
  ir::Instruction* instruction = nullptr;
  RemovedWait::Why why{};
  Others with{};  // what goes with it: the branches of a loop, the wait of an arrival
};
// All of a list may go together, or any of them (docs/soundness/ H0.1).
using DeadWaits = std::vector<DeadWait>;

// It computes, branches, or touches memory that no other thread writes; not with other threads.
inline bool isArithmetic(const ir::Instruction& instruction) {
  return ir::isUnordered(ir::effectOf(instruction)) && !instruction.desc->is(isa::kConvergent) &&
         !analysis::mayCall(instruction);  // docs/soundness/ H0.4
}

// A weak access, also an invariant one (docs/soundness/ H0.6).
inline bool isPlainAccess(const ir::Instruction& instruction) {
  const isa::Effect effect = ir::effectOf(instruction);
  return effect == isa::Effect::Weak || effect == isa::Effect::InvariantRead;
}

// Of all threads of the CTA that have not ended, where all of them execute it.
inline bool isFullBarrier(const ir::Instruction& instruction) {
  const auto barrier = ir::ctaBarrier(instruction);
  return barrier && barrier->isFull() && !instruction.guard;
}

// Which blocks all threads of the CTA execute equally often, none of which has ended before
// (docs/soundness/ C8.3.2, C8.3.3).  Found when a rule first asks, and true for all of them, since
// no rule removes what it depends on.
class ExecutedByAll {
 public:
  ExecutedByAll(const analysis::Cfg& cfg, analysis::FunctionAnalyses& analyses)
      : cfg_(&cfg), analyses_(&analyses) {}

  bool contains(analysis::BlockId block) {
    if (!threads_) {
      threads_.emplace(*cfg_, analyses_->get<analysis::Liveness>(),
                       analysis::Uniformity::InstructionSet{});
    }
    return threads_->allExecute(block);
  }

 private:
  const analysis::Cfg* cfg_;
  analysis::FunctionAnalyses* analyses_;
  std::optional<analysis::NonExitedThreads> threads_;
};

}  // namespace ptxopt::passes
