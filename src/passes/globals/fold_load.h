// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces loads of known memory by moves of constants: docs/soundness/ D5.12, E.10.5.
#pragma once

#include <vector>

#include "analysis/memory/object_uses.h"
#include "ir/function.h"

namespace ptxopt::passes {

// The moves that replace `access`, a load at a constant offset of a variable that always holds its
// initial value.  No directive may apply to the load (ir/directives.h).  They give the registers
// the same bits, also for floats.  They must be inserted in this order, under the guard of the
// load.  Empty if one move for each register is not enough: for an address in the initialiser, and
// for registers of 8 or 128 bits.
std::vector<ir::Instruction*> movesInsteadOf(ir::Function& function,
                                             const analysis::VariableAccess& access,
                                             const ir::Variable& variable);

}  // namespace ptxopt::passes
