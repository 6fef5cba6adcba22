// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/effect.h"

#include <algorithm>

namespace ptxopt::ir {

namespace {

bool isPinnedRead(const Operand& operand) {
  if (operand.kind != OperandKind::SpecialRegister) return false;
  if (operand.immediate == kUnknownSpecialRegister) return true;  // docs/soundness/ A7.5
  return isa::specialRegisters()[static_cast<std::size_t>(operand.immediate)].isPin;
}

bool isChanging(const Operand& operand) {
  if (operand.kind != OperandKind::SpecialRegister) return false;
  return isPinnedRead(operand) ||
         isa::specialRegisters()[static_cast<std::size_t>(operand.immediate)].variation ==
             isa::Variation::Volatile;
}

}  // namespace

bool readsChangingRegister(const Instruction& instruction) {
  const std::span<const Operand> operands = instruction.operands();
  return std::any_of(operands.begin(), operands.end(), isChanging);
}

isa::Effect effectOfNeutral(const Instruction& instruction) {
  const isa::Effect effect = instruction.desc->effect;
  const std::span<const Operand> operands = instruction.operands();
  if (effect == isa::Effect::NeutralFrozen && !instruction.desc->known() &&
      std::any_of(operands.begin(), operands.end(),
                  [](const Operand& o) { return o.symbol() != SymbolId::None; })) {
    return isa::Effect::Sync;
  }
  const bool isPin = std::any_of(operands.begin(), operands.end(), isPinnedRead);
  return isPin ? isa::Effect::Pin : effect;
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
