// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops in which a thread waits on an mbarrier until the phase is complete.
#pragma once

#include "analysis/flow/cfg.h"
#include "analysis/flow/loops.h"

namespace ptxopt::analysis {

// The wait is unguarded and all that its loop does, but for branches and sleep, and control leaves
// the loop only where the wait was true (docs/soundness/ G2.1).  O(instructions of the loop).
bool waitsUntilDone(const Cfg& cfg, const Loops& loops, const ir::Instruction& wait);

}  // namespace ptxopt::analysis
