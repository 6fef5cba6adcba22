// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/async/wait_loops.h"

#include <algorithm>
#include <vector>

namespace ptxopt::analysis {

using ir::Instruction;

bool waitsUntilDone(const Cfg& cfg, const Loops& loops, const Instruction& wait) {
  const LoopId loop = loops.loopOf(wait.block);
  if (loop == LoopId::None || wait.guard) return false;
  for (const BlockId member : loops.members(loop)) {
    for (const Instruction& instruction : cfg.instructions(member)) {
      const bool isIdle =
          instruction.desc->control == isa::Control::Branch || instruction.desc->is(isa::kTimer);
      if (&instruction != &wait && !isIdle) return false;
    }
  }
  const Instruction* const branch = cfg.block(wait.block).terminator;
  const ir::Operand* const done = wait.operand(0);
  if (branch == nullptr || !branch->guard || done == nullptr ||
      branch->guard.predicate() != done->reg()) {
    return false;
  }
  const std::vector<EdgeId> exits = loops.exits(loop);
  return !exits.empty() && std::ranges::all_of(exits, [&](EdgeId e) {
    const EdgeKind kind = cfg.kind(e);
    const bool isWhereTrue = kind == EdgeKind::Taken
                                 ? !branch->guard.negated()
                                 : kind == EdgeKind::Fallthrough && branch->guard.negated();
    return cfg.source(e) == wait.block && isWhereTrue;
  });
}

}  // namespace ptxopt::analysis
