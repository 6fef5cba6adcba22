// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ssa/register_copy.h"

#include <string_view>

#include "ir/make.h"

namespace ptxopt::passes {

namespace {

// Empty if there is none.
std::string_view mnemonicOf(isa::Type type) {
  if (type == isa::Type::Pred) return "mov.pred";
  switch (isa::bitWidth(type)) {
    case 8:
      return "cvt.u8.u8";
    case 16:
      return "mov.b16";
    case 32:
      return "mov.b32";
    case 64:
      return "mov.b64";
    case 128:
      return "mov.b128";
    default:
      return {};
  }
}

}  // namespace

bool isCopyable(const ir::Module& module, const ir::RegisterRange& range) {
  if (mnemonicOf(range.type).empty()) return false;
  return isa::bitWidth(range.type) < 128 ||
         (module.version >= isa::Version{8, 3} && module.target.sm >= 70);
}

bool isWholeCopy(const ir::Function& function, const ir::Instruction& instruction) {
  if (!instruction.is(isa::Opcode::Mov) || !instruction.desc->known() || instruction.guard) {
    return false;
  }
  const auto operands = instruction.operands();
  const auto isWhole = [](const ir::Operand& operand) {
    return operand.kind == ir::OperandKind::Register && operand.component == 0 && !operand.negated;
  };
  if (operands.size() != 2 || !isWhole(operands[0]) || !isWhole(operands[1])) return false;
  const ir::RegisterRange& to = function.rangeOf(operands[0].reg());
  const ir::RegisterRange& from = function.rangeOf(operands[1].reg());
  return to.vectorWidth == 1 && from.vectorWidth == 1 &&
         isa::bitWidth(to.type) == isa::bitWidth(from.type) &&
         (to.type == isa::Type::Pred) == (from.type == isa::Type::Pred);
}

std::vector<ir::Instruction*> makeCopies(ir::Function& function, ir::RegisterId destination,
                                         ir::RegisterId source) {
  const ir::RegisterRange& range = function.rangeOf(destination);
  const std::string_view mnemonic = mnemonicOf(range.type);
  std::vector<ir::Instruction*> copies;
  for (std::uint8_t k = 0; k < range.vectorWidth; ++k) {
    ir::Operand to = ir::Operand::ofRegister(destination);
    ir::Operand from = ir::Operand::ofRegister(source);
    if (range.vectorWidth > 1) to.component = from.component = static_cast<std::uint8_t>(k + 1);
    copies.push_back(ir::makeInstruction(function, mnemonic, {to, from}));
  }
  return copies;
}

ir::Instruction* makeCopy(ir::Function& function, ir::RegisterId destination,
                          const ir::Operand& source) {
  const std::string_view mnemonic = mnemonicOf(function.rangeOf(destination).type);
  return ir::makeInstruction(function, mnemonic, {ir::Operand::ofRegister(destination), source});
}

}  // namespace ptxopt::passes
