// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether something is called between two places of a function, one of which dominates the other.
//
// In a .func that calls anything there may be a call between any two blocks: what lives beyond one
// made ptxas spill, call or not.
//
// Cost: O(instructions) to make; kMostBlocks blocks a question, and "maybe" where there are more
// between the two.  Nothing where there is no call.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/values/ssa.h"

namespace ptxopt::passes {

class CallFreePaths {
 public:
  // `ssa` must outlive the object.
  explicit CallFreePaths(const analysis::Ssa& ssa);

  // Ahead of the instruction with this number, or at the end of the block.
  struct Point {
    analysis::BlockId block = kNone;
    std::uint32_t number = 0;
  };
  Point beginningOf(analysis::BlockId block) const;
  Point endOf(analysis::BlockId block) const;
  Point after(analysis::ValueId value) const;

  bool isEmpty() const { return calls_.empty(); }
  // On all paths from `from`, which dominates it, to `to` that do not come by `from` again.
  bool isFree(const Point& from, const ir::Instruction& to) const;
  bool isFreeToEnd(const Point& from, analysis::BlockId block) const;

 private:
  static constexpr std::size_t kMostBlocks = 32;
  bool isFree(const Point& from, const Point& to) const;
  bool hasCall(std::uint32_t first, std::uint32_t end) const;

  const analysis::Ssa& ssa_;
  std::vector<std::uint32_t> calls_;  // their numbers, ascending
};

}  // namespace ptxopt::passes
