// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where both arms of a branch begin with equal instructions, one in front of the branch replaces
// both.  Each thread executed one of the two, so no thread executes anything new
// (docs/soundness/ E.9.14).
//
// This works on the text, after outOfSsa(): instructions that are equal by then name
// equal registers.
//
// Cost: mayHaveEqualHeads() O(blocks), hoistEqualHeads() O(operands) and that of Cfg and Liveness.
#pragma once

#include "analysis/flow/cfg.h"
#include "passes/engine/pass.h"

namespace ptxopt::passes {

// If this is false, hoistEqualHeads() finds nothing.  If the function changes in between, that is
// only likely.
bool mayHaveEqualHeads(const analysis::Cfg& cfg);

// Makes its own analyses.  Returns true if it changed the function.
bool hoistEqualHeads(ir::Function& function, PassContext& context);

}  // namespace ptxopt::passes
