// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of the cluster beside another one: docs/soundness/ H11.
//
// Cost: O(instructions), and PostDominators and Loops where there are two of them.
#pragma once

#include "passes/waits/wait_rules.h"

namespace ptxopt::passes {

// Each barrier.cluster.arrive with its barrier.cluster.wait.
DeadWaits clusterBarriersBesideOthers(analysis::FunctionAnalyses& analyses);

}  // namespace ptxopt::passes
