// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which mbarrier an instruction names.
#pragma once

#include "ir/statement.h"
#include "isa/async_role.h"

namespace ptxopt::analysis {

// The operand of an instruction that names the mbarrier that it works on or signals; null if none
// does.  O(operands).
const ir::Operand* mbarrierOperand(const ir::Instruction& instruction, isa::AsyncRole role);

}  // namespace ptxopt::analysis
