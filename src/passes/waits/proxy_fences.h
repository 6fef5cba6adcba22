// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fence.proxy.async and fence.mbarrier_init that order nothing.
//
// Contract: docs/soundness/ H4, H5.  Cost: a data flow over the blocks for each function, and that
// of NonExitedThreads where a full barrier stands in a function with several fences.
#pragma once

#include "passes/waits/wait_rules.h"

namespace ptxopt::passes {

// docs/soundness/ H4.6
DeadWaits proxyFencesForNobody(const analysis::Cfg& cfg);
// docs/soundness/ H4.1 to H4.3
DeadWaits proxyFencesBehindOthers(const analysis::Cfg& cfg, ExecutedByAll& executed);
// docs/soundness/ H4.4, H4.5
DeadWaits proxyFencesBeforeOthers(const analysis::Cfg& cfg, ExecutedByAll& executed);
// docs/soundness/ H5
DeadWaits initFencesBeforeBarriers(const analysis::Cfg& cfg);

}  // namespace ptxopt::passes
