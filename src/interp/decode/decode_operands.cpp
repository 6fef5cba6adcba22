// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assigns a slot of the frame to each operand.
#include <algorithm>

#include "analysis/flow/callee.h"
#include "interp/arithmetic/conversion.h"
#include "interp/decode/bind.h"
#include "interp/decode/decoder.h"
#include "interp/decode/specials.h"
#include "ir/module.h"

namespace ptxopt::interp {

using isa::Space;
using isa::Type;

std::uint32_t Decoder::constant(std::uint64_t value) {
  const auto [at, isNew] = constants_.try_emplace(value, 0);
  if (isNew) {
    at->second = static_cast<std::uint32_t>(code_->frame.size());
    code_->frame.push_back(value);
  }
  return at->second;
}

std::uint32_t Decoder::temporary() {
  code_->frame.push_back(0);
  return static_cast<std::uint32_t>(code_->frame.size() - 1);
}

std::uint32_t Decoder::dynamicSlot(FrameValue::Kind kind, std::uint64_t value) {
  const auto [at, isNew] = dynamics_.try_emplace({kind, value}, 0);
  if (isNew) {
    at->second = temporary();
    code_->values.push_back({kind, at->second, value});
  }
  return at->second;
}

std::uint32_t Decoder::addList(const std::vector<std::uint32_t>& slots) {
  const auto first = static_cast<std::uint32_t>(code_->lists.size());
  code_->lists.insert(code_->lists.end(), slots.begin(), slots.end());
  return first;
}

std::uint32_t Decoder::registerSlot(ir::RegisterId id, std::uint8_t component) const {
  const ir::RegisterRange& range = function_->rangeOf(id);
  const auto index = static_cast<std::size_t>(&range - function_->registers().data());
  const std::uint32_t offset = static_cast<std::uint32_t>(id) - range.first;
  if (component > 8) throw Problem{"a selector of bytes of a register"};
  const std::uint32_t element = component == 0 ? 0 : (component - 1u) % 4;
  return slotOfRange_[index] + offset * slotsOf(range) + element;
}

int Decoder::registerWidth(ir::RegisterId id) const {
  const Type type = function_->rangeOf(id).type;
  return type == Type::Pred ? 1 : isa::bitWidth(type);
}

int Decoder::widthOf(const ir::Operand& operand) const {
  if (operand.kind == ir::OperandKind::Vector) {
    for (const ir::Operand& member : ir::members(operand)) {
      if (member.kind == ir::OperandKind::Register) return registerWidth(member.reg());
    }
    return 64;
  }
  return operand.kind == ir::OperandKind::Register ? registerWidth(operand.reg()) : 64;
}

std::uint32_t Decoder::symbolSlot(ir::SymbolId id, std::int64_t offset) {
  const ir::Symbol& symbol = function_->symbolAt(id);
  const auto more = static_cast<std::uint64_t>(offset);
  const std::string name(function_->module().text(symbol.name));
  if (symbol.kind == ir::SymbolKind::Function || symbol.kind == ir::SymbolKind::Alias) {
    const ir::Function* function = analysis::functionOf(*function_, id);
    if (function == nullptr) throw Problem{"'" + name + "' is no function"};
    if (function->hasBody()) program_->indexOf(*function);
    return constant(program_->image().addressOf(*function) + more);
  }
  if (symbol.kind != ir::SymbolKind::Variable && symbol.kind != ir::SymbolKind::Parameter) {
    throw Problem{"'" + name + "' is no variable"};
  }
  const ir::Variable& variable = *symbol.variable;
  if (const auto local = localOffsets_.find(&variable); local != localOffsets_.end()) {
    return dynamicSlot(FrameValue::Kind::LocalAddress, local->second + more);
  }
  if (variable.space == Space::Shared) {
    return dynamicSlot(FrameValue::Kind::SharedAddress, program_->sharedOffset(variable) + more);
  }
  if (const ImageObject* object = program_->image().find(variable)) {
    return constant(object->address + more);
  }
  for (const EntryParameter& parameter : program_->parameters()) {
    if (parameter.variable == &variable) return constant(kParameterBase + parameter.offset + more);
  }
  throw Problem{"'" + name + "' has no address here"};
}

std::uint32_t Decoder::source(const ir::Operand& operand, Type type) {
  switch (operand.kind) {
    case ir::OperandKind::Register: {
      const std::uint32_t slot = registerSlot(operand.reg(), operand.component);
      if (!operand.negated) return slot;
      if (function_->rangeOf(operand.reg()).type != Type::Pred) {
        throw Problem{"a negated register"};
      }
      Op op = prototype_;
      op.compute = negatePredicate();
      op.a = slot;
      op.d = temporary();
      emit(op);
      return op.d;
    }
    case ir::OperandKind::SpecialRegister: {
      const std::string_view name = function_->module().text(NameId{operand.id});
      if (const auto special = findSpecial(name)) {
        return dynamicSlot(FrameValue::Kind::Special, static_cast<std::uint64_t>(*special));
      }
      const int width = timerWidth(name);
      if (width == 0) throw Problem{"special register " + std::string(name)};
      Op op = prototype_;
      op.action = Action::Timer;
      op.width = static_cast<std::uint8_t>(width);
      op.detail = name.ends_with("_hi") ? 32 : 0;
      op.d = temporary();
      emit(op);
      return op.d;
    }
    case ir::OperandKind::Integer:
    case ir::OperandKind::Float32:
    case ir::OperandKind::Float64: {
      const std::optional<std::uint64_t> bits = ir::bitsOf(operand, type);
      if (!bits) throw Problem{"a number instead of " + std::string(isa::spelling(type))};
      return constant(*bits);
    }
    case ir::OperandKind::Symbol:
      return symbolSlot(operand.symbol(), operand.immediate);
    case ir::OperandKind::Sink:
      return constant(0);
    default:
      throw Problem{"an operand of this kind"};
  }
}

std::uint32_t Decoder::destination(const ir::Operand& operand) {
  if (operand.kind == ir::OperandKind::Sink) return scratch_;
  if (operand.kind != ir::OperandKind::Register) throw Problem{"a destination of this kind"};
  return registerSlot(operand.reg(), operand.component);
}

std::uint32_t Decoder::address(const ir::Operand& operand, Op& op, std::int64_t& offset) {
  if (operand.kind != ir::OperandKind::Address) throw Problem{"an address of this form"};
  offset = 0;
  switch (operand.base) {
    case ir::AddressBase::None:
      return constant(static_cast<std::uint64_t>(operand.immediate));
    case ir::AddressBase::Symbol:
      return symbolSlot(operand.symbol(), operand.immediate);
    case ir::AddressBase::Register:
      break;
  }
  offset = operand.immediate;
  if (registerWidth(operand.reg()) == 32) op.flags |= kAddress32;  // docs/soundness/ D4.1
  return registerSlot(operand.reg(), operand.component);
}

// "%tid" without a component.
bool Decoder::isSpecialVector(const ir::Operand& operand) const {
  const std::string name(function_->module().text(NameId{operand.id}));
  return findSpecial(name + ".x").has_value();
}

std::vector<std::uint32_t> Decoder::elements(const ir::Operand& operand, Type type, bool writes) {
  std::vector<std::uint32_t> slots;
  const auto add = [&](const ir::Operand& member) {
    const std::uint32_t first = writes ? destination(member) : source(member, type);
    slots.push_back(first);
    if (member.kind == ir::OperandKind::Register && member.component == 0) {
      const std::uint32_t count = slotsOf(function_->rangeOf(member.reg()));
      for (std::uint32_t k = 1; k < count; ++k) slots.push_back(first + k);
    } else if (member.kind == ir::OperandKind::Sink && type == Type::B128) {
      slots.push_back(first);
    } else if (member.kind == ir::OperandKind::Integer && type == Type::B128) {
      slots.push_back(constant(0));  // docs/soundness/ A5.8
    }
  };
  if (operand.kind == ir::OperandKind::Vector) {
    for (const ir::Operand& member : ir::members(operand)) add(member);
  } else if (operand.kind == ir::OperandKind::SpecialRegister && isSpecialVector(operand)) {
    const std::string name(function_->module().text(NameId{operand.id}));
    for (const char* const component : {".x", ".y", ".z", ".w"}) {
      const auto special = static_cast<std::uint64_t>(*findSpecial(name + component));
      slots.push_back(dynamicSlot(FrameValue::Kind::Special, special));
    }
  } else {
    add(operand);
  }
  return slots;
}

const ir::Operand& Decoder::operand(const ir::Instruction& instruction, std::size_t k) const {
  const ir::Operand* found = instruction.operand(k);
  if (found == nullptr) throw Problem{"too few operands"};
  return *found;
}

}  // namespace ptxopt::interp
