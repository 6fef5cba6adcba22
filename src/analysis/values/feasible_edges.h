// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which edges are never taken, and which never right after another: where a branch compares
// numbers of which enough is known.
//
// What a phi is compared with is known better on one way into its block than in the block: a loop
// whose counter starts at 0 and is tested at the top runs at least once.
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
  // `second` leaves the block to which `first` leads.
  bool mayFollow(EdgeId first, EdgeId second) const;

 private:
  // What the value is at the end of the target of the edge, if that is entered by it; at the end of
  // its source, if it is kNone.
  ValueRange after(EdgeId edge, ValueId value, BlockId block) const;
  bool mayHold(const Condition& condition, EdgeId edge, BlockId block) const;
  bool isFalseOfItself(const Condition& condition) const;

  const Ssa& ssa_;
  const ValueRanges& ranges_;
};

}  // namespace ptxopt::analysis
