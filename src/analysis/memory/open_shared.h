// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables that stand for all shared memory.
#pragma once

#include "ir/function.h"

namespace ptxopt::analysis {

// LLVM prints an array without a size that it defines, of any type and alignment, as
// `.shared .align 16 .b8 name;`, and a program may reach all shared memory by it (docs/soundness/
// C3.3.8).  A variable of one byte is `.u8` in what LLVM and nvcc print.
inline bool isOpenShared(const ir::Variable& variable) {
  return variable.space == isa::Space::Shared && variable.type == isa::Type::B8 &&
         variable.size == 1 && variable.dimensions.empty();
}

}  // namespace ptxopt::analysis
