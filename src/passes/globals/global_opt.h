// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables and functions of the module: removes what nothing needs, splits what is accessed in
// parts.
//
// By default (docs/soundness/ D5.11, D5.13 to D5.15, E.10): functions that nothing can reach;
// constants that compilers made and nothing refers to; .shared and .local variables that nobody
// reads, with the stores to them; .shared and .local variables that are accessed at constant
// offsets only, split into a variable for each field, `name$f0` and so on; .shared arrays in which
// every thread has slots of its own, moved into registers; malloc and free of memory that is only
// written (no more than that is sound: heap_pairs.h).  With `whole-program`, which lists the names
// that the host uses, also .global and .const variables that are not listed (D5.12): those that
// nobody reads go, loads of those that nobody writes become immediates, aggregates are split, and
// equal constants become one.
//
// Works on the module as a whole, again and again until nothing changes, at most
// Limit::GlobalRounds times. Cost of a round: linear in the operands of the functions that changed,
// and in the variables times the kernels.
#pragma once

#include "passes/engine/pass.h"

namespace ptxopt::passes {

extern const PassInfo kGlobalOpt;

}  // namespace ptxopt::passes
