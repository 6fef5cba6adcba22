// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits on an mbarrier for a phase that the thread has just seen complete: docs/soundness/ H10.
//
// Cost: where two waits ask the same, one data flow over the blocks, whose states are a few bytes,
// Liveness, and who executes which block.
#pragma once

#include "analysis/flow/loops.h"
#include "passes/waits/wait_rules.h"

namespace ptxopt::passes {

// Each wait with the branches of its loop.  Without these the blocks change, so that the Cfg holds
// no longer.
DeadWaits repeatedPhaseWaits(analysis::FunctionAnalyses& analyses, ExecutedByAll& executed);

}  // namespace ptxopt::passes
