// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers the DWARF sections of a module tell a debugger to look in.
//
// LLVM and nvcc number a register by its name: the operand of DW_OP_regx and DW_OP_bregx, a
// ULEB128, holds the last eight characters of it, the first in the most significant byte ("%r1" is
// 0x257231). The sections are not decoded as DWARF: whatever could be such an operation counts as
// one, so that a register more may be found, and none is missed.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace ptxopt::parse {

// Adds the names, of eight characters at most, that the text of a `.section` directive holds.
// O(text).
void collectDebugRegisters(std::string_view section, std::unordered_set<std::string>& names);

}  // namespace ptxopt::parse
