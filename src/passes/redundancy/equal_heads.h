// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Equal instructions at the beginning of both arms of a branch: one of them, in front of the
// branch, is enough.  Each thread executes one of the two now, so nothing is executed that was not
// (docs/soundness/ E.9.14).
//
// This works on the text, after outOfSsa(): what is equal by then is spelled with equal registers.
//
// Cost: mayHaveEqualHeads() O(blocks), hoistEqualHeads() O(operands) and that of Cfg and Liveness.
#pragma once

#include "analysis/flow/cfg.h"
#include "passes/engine/pass.h"

namespace ptxopt::passes {

// False: hoistEqualHeads() finds nothing.  For the function as it was before it was changed, this
// is only likely.
bool mayHaveEqualHeads(const analysis::Cfg& cfg);

// Makes its own analyses.  Returns true if it changed the function.
bool hoistEqualHeads(ir::Function& function, PassContext& context);

}  // namespace ptxopt::passes
