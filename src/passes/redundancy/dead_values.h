// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Removes instructions whose results are not needed.
#pragma once

#include "passes/engine/claim_sink.h"
#include "passes/engine/pass.h"
#include "passes/ssa/ssa_rewrite.h"

namespace ptxopt::passes {

// The instruction may be removed by itself if its results are not needed: it is a computation, a
// weak load, or a load of memory that nobody writes (docs/soundness/ D1.14, D3.2), and no mask of
// used bytes would have to go with it (E.9.12).
bool isRemovable(const SsaRewrite& rewrite, const ir::Instruction& instruction);

// Erases in `rewrite` the removable instructions whose values reach no instruction that remains,
// including those that only feed themselves around a loop.  Of loads below a mask of used bytes,
// the caller erases the mask.  Returns their number.  O(operands + phi operands).
std::uint64_t eraseDeadValues(SsaRewrite& rewrite, ChangeBudget& budget, ValueClaims& claims);

}  // namespace ptxopt::passes
