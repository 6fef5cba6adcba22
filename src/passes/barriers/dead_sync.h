// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dead-sync: removes every CTA barrier that provably orders nothing.
//
// A barrier goes if no access above it and no access below it, by two threads of the CTA, can
// conflict without another barrier that is kept between them on every way from the one to the other
// (docs/soundness/ C0 to C7, C9; E.6).  It looks across blocks, loops and calls.  Each barrier is
// tested once, those in the innermost loops first and from the top to the bottom within a depth,
// against sets that reflect what has been removed so far; on straight-line code what is left is the
// least that can be.
//
// Cost: near-linear in the statements (analysis/barriers/barrier_regions.h); kernels are worked on
// one by one, unless they share a function with a barrier: then together, before the others.
#pragma once

#include "passes/engine/pass.h"

namespace ptxopt::passes {

extern const PassInfo kDeadSync;

}  // namespace ptxopt::passes
