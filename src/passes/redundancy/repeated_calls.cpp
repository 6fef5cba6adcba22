// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/repeated_calls.h"

#include <algorithm>
#include <utility>

namespace ptxopt::passes {

using analysis::Ssa;
using analysis::ValueId;
using ir::Instruction;

void RepeatedCalls::visitScope(const ir::Statement& begin) {
  if (rewrite_.function().module().isDebug()) return;  // the .loc in it stay (E.12.2)
  auto sequence = callSequence(begin);
  if (!sequence || !isPure(*sequence->call)) return;
  // If the loads went, their mask of used bytes would apply to the next one (A5.5); nor do they
  // give all bytes to other calls.
  if (std::ranges::any_of(sequence->loads, [](const CallSequence::Access& load) {
        return ir::isBelowDirective(*load.instruction);
      })) {
    return;
  }
  if (!makeCallKey(rewrite_, keys_, *sequence, key_)) return;
  const CallSequence* earlier = known_.find(key_);
  if (earlier == nullptr || !replace(*sequence, *earlier)) {
    known_.insert(key_, std::move(*sequence));
  }
}

bool RepeatedCalls::replace(const CallSequence& sequence, const CallSequence& earlier) {
  const Ssa& ssa = rewrite_.ssa();
  std::vector<ValueId> from, to;
  for (const CallSequence::Access& load : sequence.loads) {
    const Instruction* other = sameLoad(earlier, load);
    if (other == nullptr) return false;
    ssa.forEachDefinition(*load.instruction, [&](ValueId value) { from.push_back(value); });
    ssa.forEachDefinition(*other, [&](ValueId value) { to.push_back(rewrite_.resolve(value)); });
  }
  if (from.size() != to.size()) return false;
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (!replacer_.canReplace(from[k], to[k])) return false;
  }
  if (!replacer_.spend()) return false;
  for (std::size_t k = 0; k < from.size(); ++k) {
    rewrite_.replace(from[k], to[k]);
    replacer_.becomeEqual(from[k], to[k]);
  }
  for (const CallSequence::Access& store : sequence.stores) rewrite_.erase(*store.instruction);
  for (const CallSequence::Access& load : sequence.loads) rewrite_.erase(*load.instruction);
  rewrite_.erase(*sequence.call);
  emptyScopes_.push_back(sequence.begin);
  replacer_.note(*sequence.call, "calls", MergedInstruction::Why::SameResult,
                 to.empty() ? ValueId::None : to[0]);
  return true;
}

}  // namespace ptxopt::passes
