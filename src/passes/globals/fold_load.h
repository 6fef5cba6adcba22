// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of memory that is known, as moves of its bytes: docs/soundness/ D5.12, E.10.5.
#pragma once

#include <vector>

#include "analysis/memory/object_uses.h"
#include "ir/function.h"

namespace ptxopt::passes {

// What gives the registers of `access`, a load at a constant offset of a variable that always holds
// its initial value, what the load gives them; bits of floats are kept.  In the order in which they
// must stand, under the guard of the load.  Empty where that takes more than a move for each
// register: an address in the initialiser, registers of 8 or 128 bits.
std::vector<ir::Instruction*> movesInsteadOf(ir::Function& function,
                                             const analysis::VariableAccess& access,
                                             const ir::Variable& variable);

}  // namespace ptxopt::passes
