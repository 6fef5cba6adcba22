// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/pure_instructions.h"

#include "ir/effect.h"

namespace ptxopt::analysis {

using ir::Instruction;

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

}  // namespace ptxopt::analysis
