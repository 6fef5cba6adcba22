// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registers that an instruction reads and writes, including its guard.
//
// O(operands).
#pragma once

#include "ir/statement.h"

namespace ptxopt::analysis {

// Calls visit(register) for every register that the instruction reads: the guard, operands, bases
// of addresses, and operands that are read and written.
template <class Visitor>
void forEachUse(const ir::Instruction& instruction, Visitor&& visit) {
  if (instruction.guard) visit(instruction.guard.predicate());
  ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
    if (operand.reads) visit(operand.reg());
  });
}

// The same without the operands that an instruction which is not understood may read or write.
template <class Visitor>
void forEachCertainUse(const ir::Instruction& instruction, Visitor&& visit) {
  if (instruction.guard) visit(instruction.guard.predicate());
  ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
    const bool isUncertain = operand.writes && !instruction.desc->known();
    if (operand.reads && !isUncertain) visit(operand.reg());
  });
}

// Calls visit(register, isPartial) for every register that the instruction writes or may write.  A
// partial definition may leave old bits in place (ir::isPartial).
template <class Visitor>
void forEachDefinition(const ir::Instruction& instruction, Visitor&& visit) {
  ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
    if (operand.writes) visit(operand.reg(), ir::isPartial(instruction, operand));
  });
}

}  // namespace ptxopt::analysis
