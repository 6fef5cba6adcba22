// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/effect.h"

#include <algorithm>

namespace ptxopt::ir {

namespace {

bool isPinnedRead(const Operand& read) {
  if (read.immediate == kUnknownSpecialRegister) return true;  // docs/soundness/ A7.5
  return isa::specialRegisters()[static_cast<std::size_t>(read.immediate)].isPin;
}

}  // namespace

bool isChangingRead(const Operand& read) {
  return isPinnedRead(read) ||
         isa::specialRegisters()[static_cast<std::size_t>(read.immediate)].variation ==
             isa::Variation::Volatile;
}

isa::Effect effectOfNeutral(const Instruction& instruction) {
  const isa::Effect effect = instruction.desc->effect;
  const std::span<const Operand> operands = instruction.operands();
  if (effect == isa::Effect::NeutralFrozen && !instruction.desc->known() &&
      std::any_of(operands.begin(), operands.end(),
                  [](const Operand& o) { return o.symbol() != SymbolId::None; })) {
    return isa::Effect::Sync;
  }
  for (const Operand& operand : operands) {
    if (operand.kind == OperandKind::SpecialRegister && isPinnedRead(operand)) {
      return isa::Effect::Pin;
    }
  }
  return effect;
}

bool isUnordered(isa::Effect effect) {
  switch (effect) {
    case isa::Effect::Neutral:
    case isa::Effect::NeutralFrozen:
    case isa::Effect::Private:
    case isa::Effect::ImmutableRead:
      return true;
    default:
      return false;
  }
}

}  // namespace ptxopt::ir
