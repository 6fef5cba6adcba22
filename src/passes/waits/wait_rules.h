// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the rules of dead-wait have in common.
#pragma once

#include <vector>

#include "analysis/flow/callee.h"
#include "analysis/flow/cfg.h"
#include "ir/effect.h"
#include "ir/statement.h"
#include "isa/wait_role.h"
#include "passes/engine/remark_content.h"
#include "support/digraph.h"

namespace ptxopt::passes {

// A statement that orders nothing, and why.
struct DeadWait {
  ir::Instruction* instruction = nullptr;
  RemovedWait::Why why{};
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

}  // namespace ptxopt::passes
