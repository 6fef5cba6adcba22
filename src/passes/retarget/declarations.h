// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declarations of what older versions and targets do not have: registers and variables of .b128 and
// .f16x2, and aliases.
//
// Contract: docs/passes/retarget.md.  Each function returns the text that takes the place of the
// declaration, or nothing.  `prefix` is that of Expansion.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/module.h"

namespace ptxopt::passes {

// A register of 128 bits becomes two of 64, with names of their own.
struct RegisterPair {
  std::string low;
  std::string high;
};
// None if the register has another size.
std::optional<RegisterPair> pairFor(const ir::Function& function, ir::RegisterId id,
                                    std::string_view prefix);

std::optional<std::string> lowerRegisters(const ir::Function& function,
                                          const ir::RegisterDeclaration& declaration,
                                          std::string_view prefix);

// Arrays of bytes with the same alignment and value.  Not for parameters of calls, whose callee
// wants the type.
std::optional<std::string> lowerVariables(ir::Module& module, const ir::Function* function,
                                          const ir::VariableDeclaration& declaration);

// A function that calls the other one.  Not if the module uses the address of the alias, which
// equals that of the other function; then, or if the declaration cannot be that of a body, `why`
// says so.  O(operands of the module).
std::optional<std::string> lowerAlias(ir::Module& module, const ir::Alias& alias,
                                      std::string_view prefix, std::string_view& why);

}  // namespace ptxopt::passes
