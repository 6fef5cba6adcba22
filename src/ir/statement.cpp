// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/statement.h"

#include "ir/directives.h"

namespace ptxopt::ir {

bool isBelowDirective(const Instruction& instruction) {
  return isBelowDirective(instruction, {});
}

}  // namespace ptxopt::ir
