// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the instructions that only the leader of a warp executes, the thread that elect.sync chose:
// docs/soundness/ C8(i).2 and C8(i).3.
//
// The hardware elects among the threads that are present.  So an election counts only if all
// threads of a warp reach it, none of them has ended, and none can have executed an uncounted
// election before.  Then elections with the same mask choose the same thread of the warp each time.
// There is one such thread for each warp; other analyses must show which warp it is.
//
// Starting at the predicate of an election, the analysis derives what it knows about all threads
// that were not elected: predicates, numbers that these select or guard, comparisons with such
// numbers, and phis.
//
// Only for entries.  Cost: O(instructions) without an election; else that of NonExitedThreads, and
// O(operands) of the values that decide guards and branches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/values/linear_form.h"
#include "analysis/values/ssa.h"
#include "analysis/values/value_range.h"

namespace ptxopt::analysis {

class ElectedLeaders {
 public:
  // `formOfValue` is indexed by value; None if nothing is known.  `ssa` and `ranges` must outlive
  // the object.
  ElectedLeaders(const Ssa& ssa, const ValueRanges& ranges, const LinearForms& forms,
                 const IdVector<ValueId, FormId>& formOfValue);

  // The mask of the elections whose leaders alone execute the instruction; 0 if other threads may.
  std::uint32_t maskOf(const ir::Instruction& instruction);

 private:
  // The value in all threads that no election with this mask chose; in all threads if the mask is
  // 0.
  struct Rest {
    std::uint32_t mask = 0;
    std::uint64_t value = 0;
  };
  using MaybeRest = std::optional<Rest>;

  void findElections();
  void keepThoseThatCount(const BitSet& allExecute);
  void findMasksOfBlocks();
  std::uint32_t maskOfElection(const ir::Instruction& election) const;

  std::uint32_t maskWhere(ValueId predicate, bool holds);
  MaybeRest restOf(ValueId value);
  MaybeRest ofDefinition(ValueId value);
  MaybeRest ofPhi(ValueId value);
  MaybeRest ofResult(ValueId value);
  MaybeRest ofArithmetic(const ir::Instruction& instruction);
  MaybeRest ofSetp(const ir::Instruction& setp);
  MaybeRest ofSource(const ir::Instruction& instruction, const ir::Operand* source);

  const Ssa* ssa_;
  const ValueRanges* ranges_;
  std::vector<const ir::Instruction*> elections_;  // elections that count
  IdVector<BlockId, std::uint32_t> maskOfBlock_;   // empty without elections
  std::unordered_map<ValueId, MaybeRest> known_;
  unsigned nesting_ = 0;
};

}  // namespace ptxopt::analysis
