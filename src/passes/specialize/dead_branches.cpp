// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/dead_branches.h"

#include <unordered_set>
#include <vector>

#include "analysis/flow/cfg.h"
#include "analysis/flow/manager.h"
#include "analysis/values/feasible_edges.h"
#include "ir/barrier.h"
#include "ir/directives.h"

namespace ptxopt::passes {

namespace {

using analysis::BlockId;
using analysis::EdgeKind;

// A conditional `bra` that always goes the same way.
struct Decided {
  ir::Instruction* branch = nullptr;
  bool isTaken = false;
};

std::vector<Decided> decidedBranches(const analysis::Cfg& cfg,
                                     const analysis::FeasibleEdges& feasible) {
  std::vector<Decided> decided;
  for (const BlockId b : cfg.blocks()) {
    ir::Instruction* const branch = cfg.block(b).terminator;
    if (!cfg.isReachable(b) || branch == nullptr || !branch->guard) continue;
    if (branch->desc->control != isa::Control::Branch || ir::isBelowDirective(*branch)) continue;
    bool isTaken = false;
    bool isPassed = false;
    for (EdgeId e = cfg.firstOutEdge(b); e != cfg.endOutEdge(b); ++e) {
      if (!feasible.isEverTaken(e)) continue;
      const bool isOfBranch = cfg.kind(e) == EdgeKind::Taken;
      (isOfBranch ? isTaken : isPassed) = true;
    }
    // Neither: the block is not reached, which the code above it will show.
    if (isTaken != isPassed) decided.push_back({branch, isTaken});
  }
  return decided;
}

// The hints right above the instruction, which belong to its place (docs/soundness/ A5.5).
void addHintsAbove(const ir::Instruction& instruction,
                   std::unordered_set<const ir::Statement*>& hints) {
  for (const ir::Statement* above = instruction.previous; above != nullptr;
       above = above->previous) {
    const auto* const pragma = above->as<ir::Pragma>();
    if (pragma == nullptr && above->kind != ir::StatementKind::Location) return;
    if (pragma != nullptr && pragma->text == "\"nounroll\"") hints.insert(pragma);
  }
}

// The ends of the kernel stay, so that the text does not end in a label.
void eraseUnreachable(ir::Function& kernel, std::vector<const ir::Instruction*>& barriers) {
  const analysis::Cfg cfg(kernel);
  std::vector<ir::Statement*> dead;
  std::unordered_set<const ir::Statement*> hints;
  for (const BlockId b : cfg.blocks()) {
    if (cfg.isReachable(b)) continue;
    for (ir::Instruction& instruction : cfg.instructions(b)) {
      const isa::Control control = instruction.desc->control;
      const bool isEnd = control == isa::Control::Return || control == isa::Control::Exit;
      if (isEnd) continue;
      addHintsAbove(instruction, hints);
      if (ir::isBelowDirective(instruction, hints)) continue;
      dead.push_back(&instruction);
      if (ir::ctaBarrier(instruction)) barriers.push_back(&instruction);
    }
  }
  for (ir::Statement& statement : kernel.body()) {
    if (hints.contains(&statement)) dead.push_back(&statement);
  }
  for (ir::Statement* const statement : dead) kernel.erase(statement);
}

}  // namespace

bool removeDeadBranches(ir::Function& kernel, const analysis::Assumptions& assumptions,
                        std::vector<const ir::Instruction*>& barriers) {
  std::vector<Decided> decided;
  {
    analysis::FunctionAnalyses analyses(kernel);
    analyses.provide(assumptions);
    const analysis::FeasibleEdges feasible(analyses.get<analysis::Ssa>(),
                                           analyses.get<analysis::ValueRanges>());
    decided = decidedBranches(analyses.get<analysis::Cfg>(), feasible);
  }
  if (decided.empty()) return false;
  for (const auto& [branch, isTaken] : decided) {
    if (isTaken) {
      branch->guard = {};
      kernel.markChanged(branch);
    } else {
      kernel.erase(branch);
    }
  }
  eraseUnreachable(kernel, barriers);
  return true;
}

}  // namespace ptxopt::passes
