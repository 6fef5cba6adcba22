// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instructions none but the leader of its warp executes, as elect.sync chooses it:
// docs/soundness/ C8(i).2 and C8(i).3.
//
// The machine elects among the threads that are there.  So an election counts only where all
// threads of a warp come to it, none of them has ended, and none can have met an election before
// that does not count.  Then it is the same thread of the warp each time that the mask is the same.
// That is one thread per warp: which warp it is, others must say.
//
// From the predicate of an election on this follows what is known of all other threads: predicates,
// numbers that these select or guard, what such a number is compared with, and phis.
//
// Of an entry.  Cost: O(instructions) without an election; else that of NonExitedThreads, and
// O(operands) of the values that guards and branches are made of.
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
  // `formOfValue`: by value, kNone where nothing is known.  `ssa` and `ranges` must outlive the
  // object.
  ElectedLeaders(const Ssa& ssa, const ValueRanges& ranges, const LinearForms& forms,
                 std::span<const FormId> formOfValue);

  // The mask of elections whose leaders alone execute the instruction; 0 where others may.
  std::uint32_t maskOf(const ir::Instruction& instruction);

 private:
  // What a value is in all threads that no election with this mask chose; with a mask of 0, in all
  // threads.
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
  std::vector<const ir::Instruction*> elections_;  // those that count
  std::vector<std::uint32_t> maskOfBlock_;         // by block; empty without elections
  std::unordered_map<ValueId, MaybeRest> known_;
  unsigned nesting_ = 0;
};

}  // namespace ptxopt::analysis
