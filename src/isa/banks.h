// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The banks `.const[0]` to `.const[10]` of PTX 1.x and 2.x (docs/soundness/ A5.10).
#pragma once

#include <algorithm>
#include <string_view>

#include "isa/isa.h"

namespace ptxopt::isa {

// The instruction accesses a bank: a number in a register is an address in that bank only.
inline bool namesBank(const InstructionDesc& desc) {
  return desc.space == Space::Const &&
         std::any_of(desc.qualifiers.begin(), desc.qualifiers.end(),
                     [](std::string_view word) { return word.starts_with(".const["); });
}

}  // namespace ptxopt::isa
