// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that a kernel loads from its parameters, and what is known of them (C10.15).
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/values/value_range.h"
#include "ir/function.h"

namespace ptxopt::analysis {

struct ParameterBytes {
  ir::SymbolId parameter = ir::SymbolId::None;
  std::uint32_t offset = 0;
  std::uint8_t bits = 0;
};

// What a load of an entry writes into `target`, its destination or an element of it.  None if that
// is no number of a parameter.
std::optional<ParameterBytes> parameterBytes(const ir::Function& function,
                                             const ir::Instruction& instruction,
                                             const ir::Operand& target);

// By ir::Variable::ranges.  O(ranges of the parameter).
ValueRange rangeOf(const ir::Function& function, const ParameterBytes& bytes);

}  // namespace ptxopt::analysis
