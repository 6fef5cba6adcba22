// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The address operands of an instruction by their numbers.
#pragma once

#include <cstdint>

#include "ir/statement.h"

namespace ptxopt::facts {

// Those in brackets, in the order of the text; a list of coordinates, `[map, {x, y}]`, is none.
// Null where there are not so many.  O(operands).
const ir::Operand* addressOperand(const ir::Instruction& instruction, std::uint32_t number);

}  // namespace ptxopt::facts
