// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The class of an instruction by docs/soundness/ A2, taking its operands into account.
#pragma once

#include "ir/statement.h"

namespace ptxopt::ir {

// effectOf() if the InstructionDesc says Neutral or NeutralFrozen.
isa::Effect effectOfNeutral(const Instruction& instruction);

// The effect that the InstructionDesc gives, with two exceptions: reading a timer is Pin, and an
// unknown form of an arithmetic opcode with a symbol among its operands is Sync (A7.2).
// O(operands).
inline isa::Effect effectOf(const Instruction& instruction) {
  const isa::Effect effect = instruction.desc->effect;
  const bool isNeutral = effect == isa::Effect::Neutral || effect == isa::Effect::NeutralFrozen;
  return isNeutral ? effectOfNeutral(instruction) : effect;
}

// Such an instruction touches at most memory of its own thread and memory that nobody writes, and
// is neither T nor PIN: it orders nothing, and no barrier orders it.
bool isUnordered(isa::Effect effect);

// The operand is a special register whose value may change between two reads, or that the table
// does not know (docs/soundness/ D3.2).
bool isChangingRead(const Operand& specialRegister);

// One of its operands is.  O(operands).
inline bool readsChangingRegister(const Instruction& instruction) {
  for (const Operand& operand : instruction.operands()) {
    if (operand.kind == OperandKind::SpecialRegister && isChangingRead(operand)) return true;
  }
  return false;
}

}  // namespace ptxopt::ir
