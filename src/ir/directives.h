// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loads a directive applies to, for passes that ask about many of them.
#pragma once

#include <unordered_set>

#include "ir/function.h"

namespace ptxopt::ir {

// Instructions that read memory and for which isBelowDirective() holds.  Folding or removing other
// loads changes nothing about these.  O(statements).
std::unordered_set<const Instruction*> loadsBelowDirectives(const Function& function);

}  // namespace ptxopt::ir
