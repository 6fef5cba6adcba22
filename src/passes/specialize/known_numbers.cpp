// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/known_numbers.h"

#include <fmt/format.h>

#include "ir/make.h"

namespace ptxopt::passes {

namespace {

using isa::Type;

// `bits` of a parameter of this type, as ld puts them into a register of `width` bits.
std::uint64_t extended(std::uint64_t bits, Type type, unsigned width) {
  const auto own = static_cast<unsigned>(isa::bitWidth(type));
  if (!isa::isSigned(type) || own >= width) return bits;
  const unsigned spare = 64 - own;
  const auto all = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << spare) >> spare);
  return all & ~std::uint64_t{0} >> (64 - width);
}

// The parameter of a plain load from its start; none for other instructions.
ir::SymbolId loadedParameter(const ir::Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (!desc.known() || !desc.isLoad()) return ir::SymbolId::None;
  if (desc.space != isa::Space::Param && desc.space != isa::Space::ParamEntry) {
    return ir::SymbolId::None;
  }
  const ir::Operand* const to = instruction.operand(0);
  const ir::Operand* const from = instruction.operand(1);
  const bool isPlain = instruction.operands().size() == 2 && to->isWholeRegister() &&
                       from->kind == ir::OperandKind::Address && from->immediate == 0;
  return isPlain ? from->symbol() : ir::SymbolId::None;
}

// mov of a number into the register, with its declared type.
ir::Instruction* makeMove(ir::Function& kernel, ir::RegisterId to, std::uint64_t bits) {
  const Type type = kernel.rangeOf(to).type;
  const auto width = static_cast<unsigned>(isa::bitWidth(type));
  ir::Operand number = ir::Operand::ofInteger(static_cast<std::int64_t>(bits));
  if (type == Type::F32 || type == Type::F64) {
    number.kind = width == 32 ? ir::OperandKind::Float32 : ir::OperandKind::Float64;
  }
  const std::string mnemonic = isa::isFloat(type) && width >= 32 ? fmt::format("mov.f{}", width)
                                                                 : fmt::format("mov.b{}", width);
  return ir::makeInstruction(kernel, mnemonic, {ir::Operand::ofRegister(to), number});
}

bool canHold(Type type) {
  const int width = isa::bitWidth(type);
  return width == 16 || width == 32 || width == 64;
}

}  // namespace

void KnownNumbers::addSpecial(std::string name, std::uint32_t value, bool needsTest) {
  ofSpecial_[name] = all_.size();
  all_.push_back({nullptr, std::move(name), Type::B32, value, needsTest, false});
}

bool KnownNumbers::addParameter(const ir::Variable& parameter, std::uint64_t bits) {
  const auto [at, isNew] = ofParameter_.emplace(parameter.symbol, all_.size());
  if (!isNew) return all_[at->second].bits == bits;
  all_.push_back({&parameter, {}, parameter.type, bits, true, false});
  return true;
}

bool KnownNumbers::replaceReads(ir::Function& kernel) {
  bool isChanged = false;
  if (all_.empty()) return isChanged;
  for (ir::Statement& statement : kernel.body()) {
    auto* const instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr) continue;
    isChanged |= instruction->is(isa::Opcode::Mov) ? replaceSpecial(kernel, *instruction)
                                                   : replaceLoad(kernel, *instruction);
  }
  return isChanged;
}

bool KnownNumbers::replaceSpecial(ir::Function& kernel, ir::Instruction& move) {
  ir::Operand* const from = move.operand(1);
  const bool isSpecial = from != nullptr && from->kind == ir::OperandKind::SpecialRegister &&
                         isa::bitWidth(move.desc->type) == 32;
  if (!isSpecial) return false;
  const auto found = ofSpecial_.find(std::string(kernel.module().text(NameId{from->id})));
  if (found == ofSpecial_.end()) return false;
  KnownNumber& known = all_[found->second];
  *from = ir::Operand::ofInteger(static_cast<std::int64_t>(known.bits));
  kernel.markChanged(&move);
  return known.isRead = true;
}

bool KnownNumbers::replaceLoad(ir::Function& kernel, ir::Instruction& load) {
  const ir::SymbolId symbol = loadedParameter(load);
  const auto found = symbol == ir::SymbolId::None ? ofParameter_.end() : ofParameter_.find(symbol);
  if (found == ofParameter_.end()) return false;
  KnownNumber& known = all_[found->second];
  const ir::RegisterId to = load.operand(0)->reg();
  const Type held = kernel.rangeOf(to).type;
  const bool isWhole = isa::bitWidth(load.desc->type) == isa::bitWidth(known.type);
  if (!isWhole || !canHold(held)) return false;
  const auto width = static_cast<unsigned>(isa::bitWidth(held));
  ir::Instruction* const move = makeMove(kernel, to, extended(known.bits, load.desc->type, width));
  move->guard = load.guard;
  ir::replaceStatement(kernel, &load, move);
  return known.isRead = true;
}

}  // namespace ptxopt::passes
