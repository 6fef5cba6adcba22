// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Is the IR well-formed?
#pragma once

#include <string>
#include <vector>

#include "ir/function.h"

namespace ptxopt::ir {

struct Problem {
  const Statement* statement = nullptr;  // null: about the function as a whole
  std::string message;
};

// Checks every statement by itself: operand shapes against the form, types and register classes,
// references to labels and symbols, state spaces, nesting of scopes.  What the table does not know
// is not judged.  O(operands).  Whether registers are defined before they are used is a question
// of paths: analysis/flow/maybe_undefined.h.
std::vector<Problem> verify(const Function& function);

}  // namespace ptxopt::ir
