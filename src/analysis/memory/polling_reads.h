// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strong reads that a thread may repeat until it sees a value: docs/soundness/ D1.15.
//
// A read polls if it is in a loop and its value decides a branch of that loop or of an enclosing
// loop.  The value is followed through registers, guards and addresses of loads.  A value that
// leaves the registers, because it is stored or passed to a call, may decide any branch.
//
// Source: forward slices over SSA form (Weiser, ICSE 1981; the data dependences alone).  Cost:
// O(instructions) if nothing polls, else O(operands) for each strong read in a loop.  The work is
// limited; reads beyond the limit count as polling.
#pragma once

#include <memory>
#include <unordered_set>

#include "analysis/flow/loops.h"
#include "analysis/values/ssa.h"

namespace ptxopt::analysis {

// Answers the same question for a single read in a loop, weak ones included (D1.10).  The first
// question costs O(operands of the function).
class ReadSlices {
 public:
  ReadSlices(const Ssa& ssa, const Loops& loops);
  ~ReadSlices();

  // The value may decide a branch of a loop around the read.
  bool mayDecide(const ir::Instruction& read);

 private:
  class Slices;
  const Ssa* ssa_;
  const Loops* loops_;
  std::unique_ptr<Slices> slices_;
};

class PollingReads {
 public:
  PollingReads(const Ssa& ssa, const Loops& loops);

  bool contains(const ir::Instruction& instruction) const { return reads_.contains(&instruction); }

 private:
  std::unordered_set<const ir::Instruction*> reads_;
};

}  // namespace ptxopt::analysis
