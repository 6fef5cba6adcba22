// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a reader of --explain-barriers would otherwise look up in the PTX.
#pragma once

#include <string>
#include <vector>

#include "ir/function.h"
#include "passes/engine/remark.h"

namespace ptxopt::driver {

// The text of a side of an example with elements of the access, "A[1]" for "A[4..8)", if the bytes
// are whole elements of something with a name.  Null: the access is not known.
std::string withElements(const passes::ConflictExample::Side& side, const ir::Instruction* access);

// "%r112 is the constant 128", for each register that the instruction reads and that is one.
// O(instructions of the function) for each register.
std::vector<std::string> constantOperands(const ir::Function& function,
                                          const ir::Instruction& instruction);

// The instruction at this place; null if there is none.  O(statements).
const ir::Instruction* instructionAt(const ir::Function& function, Offset offset);

}  // namespace ptxopt::driver
