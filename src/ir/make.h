// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements that passes add to a function.  Making one does not put it into the body: that is
// Function::insertAfter and insertBefore, or replaceStatement().
#pragma once

#include <initializer_list>
#include <string_view>

#include "ir/function.h"

namespace ptxopt::ir {

// Operands that are no groups; what they read and write follows from the instruction table.
Instruction* makeInstruction(Function& function, std::string_view mnemonic,
                             std::initializer_list<Operand> operands);

// Another one with the same form, guard and operands.
Instruction* copyInstruction(Function& function, const Instruction& instruction);

struct MadeRegister {
  RegisterId id = RegisterId::None;
  RegisterDeclaration* declaration = nullptr;
};
// `name`, with as many underscores after it as it takes to be nobody else's in the function or the
// module.  O(registers' declarations + symbols).
MadeRegister makeRegister(Function& function, std::string_view name, isa::Type type);

// "%ntid.y": one of isa::specialRegisters().
Operand specialRegister(Module& module, std::string_view name);

// Puts a new statement in the place of an old one, whose text it replaces.
void replaceStatement(Function& function, Statement* old, Statement* by);

}  // namespace ptxopt::ir
