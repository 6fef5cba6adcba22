// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a call may happen between two points of a function, one of which dominates the other.
//
// In a .func with calls, any two blocks count as separated by a call: longer live ranges across
// blocks of such functions made ptxas spill, with or without a call in between.
//
// Cost: O(instructions) once; at most Limit::CallFreeBlocks blocks a query, beyond which the answer
// is that there may be a call.  Free if the function has no call.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/values/ssa.h"

namespace ptxopt::passes {

class CallFreePaths {
 public:
  // `ssa` must outlive the object.
  explicit CallFreePaths(const analysis::Ssa& ssa);

  // Before the instruction with this number, or at the end of the block.
  struct Point {
    analysis::BlockId block = analysis::BlockId::None;
    std::uint32_t number = 0;
  };
  Point beginningOf(analysis::BlockId block) const;
  Point endOf(analysis::BlockId block) const;
  Point after(analysis::ValueId value) const;

  bool isEmpty() const { return calls_.empty(); }
  // No call on any path from `from`, which must dominate `to`, to `to` that does not pass `from`
  // again.
  bool isFree(const Point& from, const ir::Instruction& to) const;
  bool isFreeToEnd(const Point& from, analysis::BlockId block) const;

 private:
  bool isFree(const Point& from, const Point& to) const;
  bool hasCall(std::uint32_t first, std::uint32_t end) const;

  const analysis::Ssa& ssa_;
  std::vector<std::uint32_t> calls_;  // the numbers of the calls, ascending
};

}  // namespace ptxopt::passes
