// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The class of an instruction by docs/soundness/ A2, its operands considered.
#pragma once

#include "ir/statement.h"

namespace ptxopt::ir {

// effectOf() where the Form says Neutral or NeutralFrozen.
isa::Effect effectOfNeutral(const Instruction& instruction);

// What the Form says, except that reading a timer is Pin, and that an unknown form of an arithmetic
// opcode with a symbol among its operands is Sync (A7.2).  O(operands).
inline isa::Effect effectOf(const Instruction& instruction) {
  const isa::Effect effect = instruction.desc->effect;
  const bool isNeutral = effect == isa::Effect::Neutral || effect == isa::Effect::NeutralFrozen;
  return isNeutral ? effectOfNeutral(instruction) : effect;
}

// Touches at most memory of its own thread and memory that nobody writes, and is neither T nor PIN:
// it orders nothing, and no barrier orders it.
bool isUnordered(isa::Effect effect);

// A special register whose value may be another one the next time, or that the table does not know
// (docs/soundness/ D3.2).  O(operands).
bool readsChangingRegister(const Instruction& instruction);

}  // namespace ptxopt::ir
