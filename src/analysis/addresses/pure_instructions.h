// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions through which linear forms are followed: what they give is a function of what
// they read.
//
// Cost: O(1).
#pragma once

#include "ir/statement.h"

namespace ptxopt::analysis {

// Its result is a function of its operands alone, all of which are integers.
bool isPureInteger(const ir::Instruction& instruction);

}  // namespace ptxopt::analysis
