// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ir/function.h"

namespace ptxopt::analysis {

// `.shared .align 16 .b8 name;` with no brackets is how LLVM prints an array without a size that it
// has moved into a function: a program reaches all shared memory behind it (docs/soundness/
// C3.3.8).
inline bool isOpenShared(const ir::Variable& variable) {
  return variable.space == isa::Space::Shared && variable.size == 1 && variable.alignment > 1 &&
         variable.dimensions.empty();
}

}  // namespace ptxopt::analysis
