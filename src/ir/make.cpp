// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/make.h"

#include <algorithm>
#include <string>

#include "ir/module.h"

namespace ptxopt::ir {

Instruction* makeInstruction(Function& function, std::string_view mnemonic,
                             std::initializer_list<Operand> operands) {
  isa::Shape shape;
  for (const Operand& operand : operands) {
    const bool isAddress = operand.kind == OperandKind::Address;
    shape.push(isAddress ? isa::OperandShape::Address : isa::OperandShape::Scalar);
  }
  auto* made = function.arena().create<Instruction>(operands.size() * sizeof(Operand));
  made->kind = StatementKind::Instruction;
  made->desc = &function.module().instructionTable().get(mnemonic, shape);
  made->operandCount = static_cast<std::uint16_t>(operands.size());
  std::ranges::copy(operands, made->operands().begin());
  std::size_t k = 0;
  for (Operand& operand : made->operands()) {
    const isa::OperandRole role = made->desc->role(k++);
    if (operand.kind != OperandKind::Register) continue;
    operand.reads = role.reads;
    operand.writes = role.writes;
  }
  return made;
}

Instruction* copyInstruction(Function& function, const Instruction& instruction) {
  auto* made =
      function.arena().create<Instruction>(instruction.operands().size() * sizeof(Operand));
  made->kind = StatementKind::Instruction;
  made->desc = instruction.desc;
  made->guard = instruction.guard;
  made->operandCount = instruction.operandCount;
  std::ranges::copy(instruction.operands(), made->operands().begin());
  return made;
}

void replaceStatement(Function& function, Statement* old, Statement* by) {
  function.body().insertAfter(old, by);
  function.body().remove(old);
  by->source = old->source;
  function.markChanged(by);
}

namespace {

bool isTaken(const Function& function, std::string_view name) {
  const Module& module = function.module();
  const auto isNamed = [&](NameId id) { return module.text(id) == name; };
  const std::string_view stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
  for (const RegisterRange& range : function.registers()) {
    if (isNamed(range.name) || (range.parametrised && module.text(range.name) == stem)) return true;
  }
  for (const Symbol& symbol : function.localSymbols()) {
    if (isNamed(symbol.name)) return true;
  }
  for (std::uint32_t k = 0; k < module.symbolCount(); ++k) {
    if (isNamed(module.symbolAt(SymbolId{k}).name)) return true;
  }
  return false;
}

}  // namespace

MadeRegister makeRegister(Function& function, std::string_view name, isa::Type type) {
  std::string free(name);
  while (isTaken(function, free)) free += '_';
  auto* declaration = function.arena().create<RegisterDeclaration>(0);
  declaration->kind = StatementKind::RegisterDeclaration;
  declaration->firstRange = static_cast<std::uint32_t>(function.registers().size());
  declaration->rangeCount = 1;
  RegisterRange range;
  range.name = function.module().name(free);
  range.type = type;
  return {function.addRegisters(range), declaration};
}

Operand specialRegister(Module& module, std::string_view name) {
  Operand operand;
  operand.kind = OperandKind::SpecialRegister;
  operand.id = static_cast<std::uint32_t>(module.name(name));
  operand.immediate = isa::findSpecialRegister(name) - isa::specialRegisters().data();
  return operand;
}

}  // namespace ptxopt::ir
