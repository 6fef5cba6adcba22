// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/memory/address_step.h"

#include <algorithm>
#include <span>

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using isa::Opcode;
using Kind = AddressStep::Kind;

bool isAddressWide(isa::Type type) {
  const int bits = isa::bitWidth(type);
  return !isa::isFloat(type) && (bits == 32 || bits == 64);
}

bool isScalar(const Operand& operand) {
  return !operand.isGroup() && operand.component == 0 && !operand.negated;
}

// The sources of an opcode, and how they are combined.
struct Rule {
  Kind kind = Kind::None;
  std::size_t sources = 0;  // those that may be addresses
  std::size_t others = 0;   // after them: the predicate of selp
};

inline Rule ruleOf(const isa::InstructionDesc& desc) {
  switch (desc.opcode) {
    case Opcode::Cvta:
      return {desc.has(".to") ? Kind::FromGeneric : Kind::ToGeneric, 1};
    case Opcode::Mov:
      return {isAddressWide(desc.type) ? Kind::Copy : Kind::None, 1};
    case Opcode::Cvt: {
      const bool fits = isAddressWide(desc.type) && isAddressWide(desc.sourceType);
      return {fits && desc.qualifiers.size() == 2 ? Kind::Resize : Kind::None, 1};
    }
    case Opcode::Add:
      return {isAddressWide(desc.type) ? Kind::Sum : Kind::None, 2};
    case Opcode::Sub:
      return {isAddressWide(desc.type) ? Kind::Difference : Kind::None, 2};
    case Opcode::Mad:
      return {isAddressWide(desc.type) && !desc.has(".hi") ? Kind::ScaledSum : Kind::None, 3};
    case Opcode::Selp:
      return {isAddressWide(desc.type) ? Kind::Select : Kind::None, 2, 1};
    default:
      return {};
  }
}

}  // namespace

bool mayComputeAddress(const isa::InstructionDesc& desc) {
  return ruleOf(desc).kind != Kind::None;
}

AddressStep addressStep(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const Rule rule = ruleOf(desc);
  if (rule.kind == Kind::None) return {};
  const std::span<const Operand> operands = instruction.operands();
  const bool fits = operands.size() == 1 + rule.sources + rule.others &&
                    operands[0].kind == OperandKind::Register && desc.known() &&
                    !desc.writesCarry && !desc.has(".sat") &&
                    std::ranges::all_of(operands.first(1 + rule.sources), isScalar);
  if (!fits) return {};
  AddressStep step{.kind = rule.kind, .bits = isa::bitWidth(desc.type), .space = desc.space};
  step.isZeroExtension = rule.kind == Kind::Resize && step.bits != isa::bitWidth(desc.sourceType) &&
                         !isa::isSigned(desc.type) && !isa::isSigned(desc.sourceType);
  step.a = &operands[1];
  if (rule.sources > 1) step.b = &operands[2];
  if (rule.sources > 2) step.c = &operands[3];
  return step;
}

}  // namespace ptxopt::analysis
