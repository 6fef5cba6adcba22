// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that the IR is well-formed.
#pragma once

#include <string>
#include <vector>

#include "ir/function.h"

namespace ptxopt::ir {

struct Problem {
  const Statement* statement = nullptr;  // null: the problem concerns the function as a whole
  std::string message;
};

// Checks every statement separately: operand shapes against the InstructionDesc, types and register
// classes, references to labels and symbols, state spaces, nesting of scopes.  Instructions that
// the table does not know are not checked.  O(operands).  Whether registers are defined before they
// are used depends on paths: see analysis/flow/maybe_undefined.h.
std::vector<Problem> verify(const Function& function);

}  // namespace ptxopt::ir
