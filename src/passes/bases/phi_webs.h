// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses that only go around a loop, or come from several paths: webs of phis, and the steps
// between them, that nothing needs but accesses.
//
// A web goes as a whole, where a register holds a value of the group for each of its accesses: of
// two pointers that a loop steps by the same amount one is left.
//
// Source: congruent induction variables, as loop strength reduction removes them; the web is what
// dead code elimination would remove without the accesses.
// Cost: Limit::WebValues values for each phi that could go.
#pragma once

#include "passes/bases/base_assignment.h"

namespace ptxopt::passes {

void removePhiWebs(BaseAssignment& bases);

}  // namespace ptxopt::passes
