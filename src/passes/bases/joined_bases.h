// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New bases where paths meet: where each predecessor of a block has the address in some register,
// each of them copies it into one register, and the block does not compute it again.
//
// Source: partial redundancy elimination, where the expression is available on all paths in
// different registers.
// Cost: 2 * Limit::EndLooks values for each predecessor of a block with an address that could go.
#pragma once

#include "passes/bases/base_assignment.h"

namespace ptxopt::passes {

void joinBases(BaseAssignment& bases);

}  // namespace ptxopt::passes
