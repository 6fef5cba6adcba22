// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which edges are never taken, and which are never taken right after another edge, because enough
// is known about the numbers that a branch compares.
//
// The range of a phi is narrower on one edge into its block than in the block.  So a loop whose
// counter starts at 0 and is tested at the top is known to run at least once.
//
// Cost: O(conditions of the edge).
#pragma once

#include "analysis/values/value_range.h"

namespace ptxopt::analysis {

class FeasibleEdges {
 public:
  // Both must outlive the object.
  FeasibleEdges(const Ssa& ssa, const ValueRanges& ranges) : ssa_(ssa), ranges_(ranges) {}

  bool isEverTaken(EdgeId edge) const;
  // All of these hold together for some numbers that may occur in the block.
  bool mayHold(std::span<const Condition> conditions, BlockId block) const;
  // `second` leaves the target of `first`.
  bool mayFollow(EdgeId first, EdgeId second) const;

 private:
  // The range of the value at the end of the target of `edge`, if the target was entered through
  // it.  If that block is None, at the end of the source of the edge.
  ValueRange after(EdgeId edge, ValueId value, BlockId block) const;
  bool mayHold(const Condition& condition, EdgeId edge, BlockId block) const;
  bool isFalseOfItself(const Condition& condition) const;

  const Ssa& ssa_;
  const ValueRanges& ranges_;
};

}  // namespace ptxopt::analysis
