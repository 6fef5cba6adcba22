// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// warp-sync: weakens a CTA barrier that only orders threads of one warp to bar.warp.sync.
//
// A barrier is weakened if every pair that it separates consists of two weak accesses of one warp,
// in uniform control flow, in a block of known shape whose warps are full and none of whose threads
// has ended (docs/soundness/ C8.3, A3.1; E.7).  Barriers are tested like in dead-sync: each once,
// against sets without the barriers that were weakened before.  The pass deletes no barrier: run
// dead-sync first.
//
// No -O level includes this pass: only the manual's description of bar.warp.sync says that it
// orders memory within a warp; the memory model does not (A3.1).
//
// Cost: that of dead-sync with addresses.
#pragma once

#include "passes/engine/pass.h"

namespace ptxopt::passes {

extern const PassInfo kWarpSync;

}  // namespace ptxopt::passes
