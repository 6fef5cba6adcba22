// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma.fence, griddepcontrol.wait and bar.warp.sync for which another one does what they do.
//
// Contract: docs/soundness/ H3, H8, H9.  Cost: a data flow over the blocks for each function, and
// that of NonExitedThreads for bar.warp.sync.
#pragma once

#include "passes/waits/wait_rules.h"

namespace ptxopt::passes {

DeadWaits repeatedProductFences(const analysis::Cfg& cfg);
DeadWaits repeatedGridWaits(const analysis::Cfg& cfg);
DeadWaits warpBarriersBesideOthers(const analysis::Cfg& cfg, ExecutedByAll& executed);

}  // namespace ptxopt::passes
