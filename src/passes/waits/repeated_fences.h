// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fences beside one that is at least as strong: membar and fence, and the two fences of tcgen05;
// and membar and fence at the ends of a kernel.
//
// Contract: docs/soundness/ H6, H7.  Cost: a data flow over the blocks.
#pragma once

#include "passes/waits/wait_rules.h"

namespace ptxopt::passes {

// Forward: fences behind such a one.  Backward: fences in front of one.
DeadWaits repeatedFences(const analysis::Cfg& cfg, Direction direction);

// membar and fence of a kernel with nothing before them that they could order, or behind them
// (docs/soundness/ H7.2).
DeadWaits fencesBehindNothing(const analysis::Cfg& cfg);
DeadWaits fencesBeforeNothing(const analysis::Cfg& cfg, ExecutedByAll& executed);

}  // namespace ptxopt::passes
