// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address operands of an instruction by their numbers.
#pragma once

#include <cstdint>

#include "ir/statement.h"

namespace ptxopt::facts {

// The operands in brackets, in the order of the text; a list of coordinates, `[map, {x, y}]`, does
// not count.  Null if there are not enough.  O(operands).
const ir::Operand* addressOperand(const ir::Instruction& instruction, std::uint32_t number);

}  // namespace ptxopt::facts
