// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// warp-sync: weakens a CTA barrier that orders threads of one warp only to bar.warp.sync.
//
// A barrier is weakened if every pair that it separates is of two weak accesses of one warp: in
// uniform control, in a block of known shape and of full warps of which no thread has ended
// (docs/soundness/ C8.3, A3.1; E.7).  Barriers are tested as dead-sync does, each once, against
// sets without those that were weakened before.  It deletes none: run dead-sync first.
//
// In no level: that bar.warp.sync orders memory within a warp is what its own text says, not the
// memory model (A3.1).
//
// Cost: that of dead-sync, addresses always included.
#pragma once

#include "passes/engine/pass.h"

namespace ptxopt::passes {

extern const PassInfo kWarpSync;

}  // namespace ptxopt::passes
