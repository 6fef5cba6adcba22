// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes another .version and .target into a module that needs no more than they have.
//
// Contract: docs/retarget.md.  Only the number in .version and the name in .target change.  What
// the new ones do not have is an error at each place, and the module stays as it was. Cost:
// O(statements).
#pragma once

#include "ir/module.h"
#include "passes/retarget/request.h"
#include "support/diagnostics.h"

namespace ptxopt::passes {

// False: an error says why not.
bool restate(ir::Module& module, const RetargetRequest& request, Diagnostics& diagnostics);

}  // namespace ptxopt::passes
