// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits on mbarriers that all threads of the CTA execute, each until it is told that the phase is
// complete: the full waits of docs/soundness/ G2.
//
// Cost: that of Uniformity, and O(instructions) for the loops around waits.
#pragma once

#include "analysis/flow/cfg.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loops.h"
#include "analysis/launch/assumptions.h"
#include "analysis/threads/uniformity.h"

namespace ptxopt::analysis {

class FullWaits {
 public:
  // Of an entry.
  FullWaits(const Cfg& cfg, const Liveness& liveness, const Loops& loops,
            const Assumptions& assumptions);

  // Every wait on an mbarrier in the entry is full.
  bool areAll() const { return areAll_; }
  // All threads of the CTA that have not ended execute the instruction equally often.  Only for
  // waits and for proxy fences, and only where areAll().
  bool isExecutedByAll(const ir::Instruction& instruction) const {
    return !instruction.guard && uniformity_.isUniform(instruction.block);
  }

 private:
  bool isFull(const ir::Instruction& wait) const;

  const Cfg& cfg_;
  const Loops& loops_;
  Uniformity::InstructionSet waits_;
  Uniformity uniformity_;
  bool areAll_ = true;
};

}  // namespace ptxopt::analysis
