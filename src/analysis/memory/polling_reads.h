// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which strong reads a thread may wait for: docs/soundness/ D1.15.
//
// A read polls if it stands in a loop and its value decides a branch of that loop, or of one around
// it; what a value decides is followed through registers, under guards and through addresses of
// loads. A value that leaves the registers, as what is stored or passed to a call, may come back to
// decide anything.
//
// Source: forward slices over SSA form (Weiser, ICSE 1981; the data dependences alone).  Cost:
// O(instructions) where nothing polls, else O(operands) for each strong read in a loop, up to a
// limit on the work after which all that are left poll.
#pragma once

#include <unordered_set>

#include "analysis/flow/loops.h"
#include "analysis/values/ssa.h"

namespace ptxopt::analysis {

class PollingReads {
 public:
  PollingReads(const Ssa& ssa, const Loops& loops);

  bool contains(const ir::Instruction& instruction) const { return reads_.contains(&instruction); }

 private:
  std::unordered_set<const ir::Instruction*> reads_;
};

}  // namespace ptxopt::analysis
