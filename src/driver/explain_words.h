// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a reader of --explain-barriers would otherwise look up in the PTX.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ir/function.h"
#include "passes/engine/remark.h"

namespace ptxopt::driver {

// The texts of both sides of an example.  They name an element instead of bytes, "A[1]" for
// "A[4..8)", if both accesses have elements of the same size and the bytes are one element.  Either
// access may be null.  Names are those of C++.
std::array<std::string, 2> sidesInElements(const passes::ConflictExample& example,
                                           const ir::Instruction* above,
                                           const ir::Instruction* below);

// "%r112 is the constant 128", for each register that the instruction reads and that always holds
// one number.
// O(instructions of the function) for each register.
std::vector<std::string> constantOperands(const ir::Function& function,
                                          const ir::Instruction& instruction);

// The instruction at this place; null if there is none.  O(statements).
const ir::Instruction* instructionAt(const ir::Function& function, Offset offset);

}  // namespace ptxopt::driver
