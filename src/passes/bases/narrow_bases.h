// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of 32 bits through the lower half of one of 64 bits that a register holds, which is one
// `cvt`.
//
// Cost: Limit::EndLooks values for each address of 32 bits that could go.
#pragma once

#include "passes/bases/base_assignment.h"

namespace ptxopt::passes {

void castBases(BaseAssignment& bases);

}  // namespace ptxopt::passes
