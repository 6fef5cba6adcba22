// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/pure_instructions.h"

#include <cstdint>

#include "ir/effect.h"

namespace ptxopt::analysis {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using isa::Opcode;

namespace {

bool isInteger(isa::Type type) {
  const int bits = isa::bitWidth(type);
  return !isa::isFloat(type) && (bits == 8 || bits == 16 || bits == 32 || bits == 64);
}

}  // namespace

bool isPureInteger(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  return desc.known() && desc.is(isa::kPure) && !desc.is(isa::kConvergent) && !desc.readsCarry &&
         isInteger(desc.type) && isInteger(desc.sourceType) &&
         ir::effectOf(instruction) == isa::Effect::Neutral;
}

bool isBroadcast(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.opcode != Opcode::Shfl || !desc.known() || !desc.has(".sync") || !desc.has(".idx")) {
    return false;
  }
  const auto isNumber = [&](std::size_t k, std::uint32_t value) {
    const Operand* operand = instruction.operand(k);
    return operand != nullptr && operand->kind == OperandKind::Integer &&
           static_cast<std::uint32_t>(operand->immediate) == value;
  };
  return isNumber(2, 0) && isNumber(3, 31) && isNumber(4, 0xffffffffu);
}

}  // namespace ptxopt::analysis
