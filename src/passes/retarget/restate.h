// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes another .version and .target into a module.
//
// Contract: docs/passes/retarget.md.  What the new ones do not have is lowered (lowering.h); what
// cannot be is an error at each place, and the module stays as it was.  Otherwise only the number
// in .version and the name in .target change.  Cost: O(statements).
#pragma once

#include "ir/module.h"
#include "passes/retarget/request.h"
#include "support/diagnostics.h"

namespace ptxopt::passes {

struct Restated {
  bool isDone = false;      // false: an error says why not
  std::size_t lowered = 0;  // statements that were lowered, and what was left out
};
// A module in which something was lowered can only be printed: the new text is no IR.
Restated restate(ir::Module& module, const RetargetRequest& request, Diagnostics& diagnostics);

}  // namespace ptxopt::passes
