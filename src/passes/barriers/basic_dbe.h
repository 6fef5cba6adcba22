// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// basic-dbe: the cheap local barrier cleaner.
//
// What: deletes a full CTA barrier that follows another one in its block, with nothing between them
// that a barrier could order; a leading barrier, before the first such operation of a kernel; and a
// trailing barrier, after the last one (docs/soundness/ E.5).
// Why: nvcc and ptxas keep every redundant barrier, even five in a row.  These three shapes need no
// alias analysis, because one side of the barrier is empty.
// Contract: docs/soundness/ C1 (participation, with C1.4 taint and C1.5 loops), C2.1 and C2.3 (an
// empty side), C7 (PIN), A2 and A7 (which operations make a side non-empty).
// Cost: O(statements) for a kernel with barriers; for other kernels, one scan of the opcodes.
#pragma once

#include "passes/engine/pass.h"

namespace ptxopt::passes {

extern const PassInfo kBasicDbe;

}  // namespace ptxopt::passes
