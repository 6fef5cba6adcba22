// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code with predicates and branches of its own for an instruction with a guard.
#pragma once

#include "passes/retarget/expansion.h"

namespace ptxopt::passes {

// What follows, up to leave(), only runs where the guard holds.
void enter(Expansion& text);
void leave(Expansion& text);

}  // namespace ptxopt::passes
