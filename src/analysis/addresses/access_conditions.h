// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds where an access is executed: what branches, guards and elections say about the thread
// id, the leaves of its address, and functions of the thread id (docs/soundness/ C8).
//
// Cost: O(conditions of branches), and for each access at most Limit::ConditionLevels dominators
// with some.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/addresses/address.h"
#include "analysis/addresses/thread_functions.h"
#include "analysis/threads/elected_leaders.h"
#include "support/limits.h"

namespace ptxopt::analysis {

class AccessConditions {
 public:
  // All must outlive the object.  `formOfValue`: None where a value has no form.
  AccessConditions(const Ssa& ssa, const ValueRanges& ranges, LinearForms& forms,
                   const IdVector<ValueId, FormId>& formOfValue);

  // Sets `thread`, `restrictions`, `zeros`, `tests` and `electionMask`, from the instruction and
  // the address of the access.
  void collect(Access& access);

 private:
  // What a condition says, whatever is accessed.
  struct Fact {
    LeafId leaf = LeafId::None;  // which is one of `known`
    Interval known;
    std::array<Interval, 3> thread;                               // what follows for the thread id
    FormId zero = FormId::None;                                   // is 0
    Access::Test test;                                            // if its left side is a form
    ShortList<LeafId, 2 * most(Limit::ThreadUnknowns)> unknowns;  // of the test

    bool saysAnything() const;
  };

  void collectFactsOfBlocks();
  bool hasFacts(BlockId b) const { return firstFact_[indexOf(b)] != firstFact_[indexOf(b) + 1]; }
  Fact factOf(const Condition& condition);
  void learnLeaf(const Condition& condition, FormId id, Fact& fact) const;
  void learnRow(Fact& fact) const;
  void learnTest(const Condition& condition, FormId id, Fact& fact);
  FormId zeroOf(const Condition& condition, FormId id);
  FormId rightSide(const Condition& condition);
  bool isThreadId(LeafId id, std::size_t dimension) const;

  void apply(const Fact& fact, Access& access);
  void restrict(const Fact& fact, Access& access) const;
  void addTest(const Fact& fact, Access& access);

  const Ssa& ssa_;
  const ValueRanges& ranges_;
  const LaunchShape& shape_;
  LinearForms& forms_;
  const IdVector<ValueId, FormId>& formOfValue_;
  ThreadFunctions functions_;
  ElectedLeaders leaders_;
  std::vector<Fact> facts_;                    // of what begins to hold in a block, block by block
  std::vector<std::uint32_t> firstFact_;       // by block, and one more
  IdVector<BlockId, BlockId> aboveWithFacts_;  // the nearest dominator that has some
};

}  // namespace ptxopt::analysis
