// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a function may give an address of its shared memory to code outside of the CTA
// (docs/soundness/ G3).
#pragma once

#include "ir/function.h"

namespace ptxopt::analysis {

// The function may store a number that is computed from an address in shared memory, or pass it to
// another function.  Predicates are no addresses, and local memory belongs to the thread.  All
// definitions of a register count together.  O(operands) for each sweep, of which there are a few.
bool mayPublishSharedAddress(const ir::Function& function);

}  // namespace ptxopt::analysis
