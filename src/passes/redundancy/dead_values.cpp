// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/dead_values.h"

#include <vector>

#include "passes/redundancy/expression_key.h"
#include "passes/redundancy/plain_access.h"

namespace ptxopt::passes {

using analysis::BlockId;
using analysis::Ssa;
using analysis::ValueId;

namespace {

enum class Mask { Stays, GoesToo };

bool isRemovable(const SsaRewrite& rewrite, const ir::Instruction& instruction, Mask mask) {
  const Ssa& ssa = rewrite.ssa();
  if (ExpressionKeys::isComputation(instruction)) {
    if (ir::isBelowDirective(instruction)) return false;
  } else {
    const PlainAccess access = plainAccess(rewrite.function(), instruction);
    if (access.kind != PlainAccess::Kind::Load) return false;
    if (access.mask != nullptr && mask == Mask::Stays) return false;
  }
  bool isFree = true;
  ssa.forEachDefinition(instruction, [&](ValueId value) {
    isFree &= !ssa.isCarry(value) && !rewrite.isPinned(ssa.reg(value));
  });
  return isFree;
}

}  // namespace

bool isRemovable(const SsaRewrite& rewrite, const ir::Instruction& instruction) {
  return isRemovable(rewrite, instruction, Mask::Stays);
}

std::uint64_t eraseDeadValues(SsaRewrite& rewrite, ChangeBudget& budget, ValueClaims& claims) {
  const Ssa& ssa = rewrite.ssa();
  const analysis::Cfg& cfg = ssa.cfg();
  BitSet needed(ssa.valueCount());
  std::vector<ValueId> work;
  const auto need = [&](ValueId value) {
    if (needed.set(value)) work.push_back(value);
  };
  BitSet stays(ssa.instructions().count());
  const auto keep = [&](const ir::Instruction& instruction) {
    if (stays.set(ssa.instructions().of(instruction))) rewrite.forEachUse(instruction, need);
  };
  std::vector<const ir::Instruction*> removable;
  for (const BlockId b : ssa.dominators().preorder()) {
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      if (rewrite.isErased(instruction)) continue;
      if (isRemovable(rewrite, instruction, Mask::GoesToo)) {
        removable.push_back(&instruction);
      } else {
        keep(instruction);
      }
    }
    rewrite.forEachPinnedPhi(b, need);
  }
  while (!work.empty()) {
    const ValueId value = work.back();
    work.pop_back();
    rewrite.forEachSource(value, need);
    if (ssa.isDefinition(value)) keep(ssa.instruction(value));
  }
  std::vector<const ir::Instruction*> erased;
  // Uses of a dead value are erased before its definition, so that the budget may end at any point.
  for (std::size_t k = removable.size(); k-- > 0;) {
    if (stays.test(ssa.instructions().of(*removable[k]))) continue;
    if (!budget.spend()) break;
    rewrite.erase(*removable[k]);
    erased.push_back(removable[k]);
  }
  const std::uint64_t count = erased.size();
  claims.dead(std::move(erased));
  return count;
}

}  // namespace ptxopt::passes
