// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dead-sync: removes every CTA barrier that provably orders nothing.
//
// A barrier is removed if no access above it and access below it, by two threads of the CTA, can
// conflict without a kept barrier between them on every path (docs/soundness/ C0 to C7, C9; E.6).
// The analysis crosses blocks, loops and calls.  Each barrier is tested once: those in the
// innermost loops first, and from top to bottom within one loop depth, against sets that reflect
// the removals so far.  On straight-line code the result is minimal.
//
// Cost: near-linear in the statements (analysis/barriers/barrier_regions.h).  Kernels are processed
// one by one, except those that share a function with a barrier: they are processed together,
// before the others.
#pragma once

#include "passes/engine/pass.h"

namespace ptxopt::passes {

extern const PassInfo kDeadSync;

}  // namespace ptxopt::passes
