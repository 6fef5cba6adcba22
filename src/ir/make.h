// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes statements that passes add to a function.  A new statement is not in the body until
// Function::insertAfter, insertBefore or replaceStatement() inserts it.
#pragma once

#include <initializer_list>
#include <string_view>

#include "ir/function.h"

namespace ptxopt::ir {

// The operands must not be groups.  The instruction table decides which of them are read or
// written.
Instruction* makeInstruction(Function& function, std::string_view mnemonic,
                             std::initializer_list<Operand> operands);

// Makes an instruction with the same InstructionDesc, guard and operands.
Instruction* copyInstruction(Function& function, const Instruction& instruction);

struct MadeRegister {
  RegisterId id = RegisterId::None;
  RegisterDeclaration* declaration = nullptr;
};
// Adds a register `name`, with underscores appended until no other name in the function or the
// module equals it.  O(register declarations + symbols).
MadeRegister makeRegister(Function& function, std::string_view name, isa::Type type);

// "%ntid.y": one of isa::specialRegisters().
Operand specialRegister(Module& module, std::string_view name);

// Replaces an old statement and its text by a new statement.
void replaceStatement(Function& function, Statement* old, Statement* by);

}  // namespace ptxopt::ir
