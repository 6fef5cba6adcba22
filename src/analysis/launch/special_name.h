// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A component of a special register, and which one it is to the analyses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/function.h"

namespace ptxopt::analysis {

struct SpecialName {
  enum class Which : std::uint8_t { Tid, Ntid, Ctaid, Nctaid, LaneId, Other };
  Which which = Which::Other;
  std::uint8_t component = 0;  // 0 .. 3 for .x .y .z .w; 0 for a scalar
  std::uint32_t index = 0;     // in isa::specialRegisters()

  static SpecialName of(std::uint32_t index, std::uint8_t component);
};

// What an operand names.  None for a special register that is not in the table, for a member of a
// numbered family, and for a whole vector.
std::optional<SpecialName> specialName(const ir::Function& function, const ir::Operand& operand);
// The same for all operands of a body that are special registers.  O(operands).
std::vector<std::optional<SpecialName>> specialNamesIn(const ir::Function& function);

}  // namespace ptxopt::analysis
