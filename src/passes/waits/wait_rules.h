// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the rules of dead-wait have in common.
#pragma once

#include <vector>

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

// docs/soundness/ H0.4
inline bool mayDoAnything(const ir::Instruction& instruction) {
  return !instruction.desc->known() || instruction.desc->control == isa::Control::Call;
}

// It computes, branches, or touches memory that no other thread writes; not with other threads.
inline bool isArithmetic(const ir::Instruction& instruction) {
  return ir::isUnordered(ir::effectOf(instruction)) && !instruction.desc->is(isa::kConvergent) &&
         !mayDoAnything(instruction);
}

// A weak access, also an invariant one (docs/soundness/ H0.6).
inline bool isPlainAccess(const ir::Instruction& instruction) {
  const isa::Effect effect = ir::effectOf(instruction);
  return effect == isa::Effect::Weak || effect == isa::Effect::InvariantRead;
}

// Visits the instructions of a block in the order of execution, or against it.
template <class Visitor>
void forEachInstruction(const analysis::Block& block, Direction direction, Visitor&& visit) {
  const bool isForward = direction == Direction::Forward;
  ir::Statement* const end = isForward ? block.last : block.first;
  for (ir::Statement* at = isForward ? block.first : block.last; at != nullptr;
       at = at == end ? nullptr : (isForward ? at->next : at->previous)) {
    if (auto* const instruction = at->as<ir::Instruction>()) visit(*instruction);
  }
}

}  // namespace ptxopt::passes
