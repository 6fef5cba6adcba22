// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies from register to register, in the instructions that PTX has for each class of registers
// (docs/soundness/ D6.5).
#pragma once

#include <vector>

#include "ir/function.h"
#include "ir/module.h"

namespace ptxopt::passes {

// PTX has an instruction that copies such a register: not for opaque references and types that the
// table does not know, nor for 128 bits before PTX 8.3 and sm_70.
bool isCopyable(const ir::Module& module, const ir::RegisterRange& range);

// An unguarded `mov` from one register to another that copies all its bits.
bool isWholeCopy(const ir::Function& function, const ir::Instruction& instruction);

// New instructions that copy `source` to `destination`: one, or one for each element of a vector
// register.  They are not inserted yet.
std::vector<ir::Instruction*> makeCopies(ir::Function& function, ir::RegisterId destination,
                                         ir::RegisterId source);

// A copy of a register or a number to a scalar register.
ir::Instruction* makeCopy(ir::Function& function, ir::RegisterId destination,
                          const ir::Operand& source);

}  // namespace ptxopt::passes
