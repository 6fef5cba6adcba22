// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions whose results nobody needs.
#pragma once

#include "passes/engine/claim_sink.h"
#include "passes/engine/pass.h"
#include "passes/ssa/ssa_rewrite.h"

namespace ptxopt::passes {

// It can go if nothing needs what it defines: it computes, or it is a weak load or one of memory
// that nobody writes (docs/soundness/ D1.14, D3.2).
bool isRemovable(const SsaRewrite& rewrite, const ir::Instruction& instruction);

// Notes in `rewrite` that such instructions go whose values reach nothing that stays; returns how
// many.  What only feeds itself around a loop goes as well.  O(operands + phi operands).
std::uint64_t eraseDeadValues(SsaRewrite& rewrite, ChangeBudget& budget, ValueClaims& claims);

}  // namespace ptxopt::passes
