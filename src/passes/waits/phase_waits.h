// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits on an mbarrier for a phase that the thread has just seen complete: docs/soundness/ H10.
//
// Cost: one data flow over the blocks, whose states are one number, and Liveness where it finds
// one.
#pragma once

#include "analysis/flow/loops.h"
#include "passes/waits/wait_rules.h"

namespace ptxopt::passes {

// Each wait with the branches of its loop.  Without these the blocks change, so that the Cfg holds
// no longer.
DeadWaits repeatedPhaseWaits(analysis::FunctionAnalyses& analyses);

}  // namespace ptxopt::passes
