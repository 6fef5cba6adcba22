// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Removes branches that no launch takes under what is known of it, and the code that only they
// reach (C10.15).  Else a barrier in such code would count as one that some threads execute.
//
// Cost: that of ValueRanges, and O(statements).
#pragma once

#include <vector>

#include "analysis/launch/assumptions.h"
#include "ir/function.h"

namespace ptxopt::passes {

// True if something was removed.  Adds the CTA barriers that were; they keep their places.
bool removeDeadBranches(ir::Function& kernel, const analysis::Assumptions& assumptions,
                        std::vector<const ir::Instruction*>& barriers);

}  // namespace ptxopt::passes
