// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the registers in which the DWARF sections of a module tell a debugger to look.
//
// LLVM and nvcc identify a register by its name: the operand of DW_OP_regx and DW_OP_bregx, a
// ULEB128, holds the last eight characters of the name, the first in the most significant byte
// ("%r1" is 0x257231).  The sections are not decoded as DWARF: all bytes that could be such an
// operation count as one, so the result may contain too many registers, but misses none.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace ptxopt::parse {

// Adds the names (at most eight characters) in the text of a `.section` directive.  O(text).
void collectDebugRegisters(std::string_view section, std::unordered_set<std::string>& names);

}  // namespace ptxopt::parse
