// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/operand.h"

#include <bit>

namespace ptxopt::ir {

Operand Operand::ofRegister(RegisterId id) {
  Operand operand;
  operand.kind = OperandKind::Register;
  operand.id = static_cast<std::uint32_t>(id);
  return operand;
}

Operand Operand::ofInteger(std::int64_t value) {
  Operand operand;
  operand.kind = OperandKind::Integer;
  operand.immediate = value;
  return operand;
}

Operand Operand::ofSymbol(SymbolId id, std::int64_t offset) {
  Operand operand;
  operand.kind = OperandKind::Symbol;
  operand.id = static_cast<std::uint32_t>(id);
  operand.immediate = offset;
  return operand;
}

Operand Operand::ofAddress(RegisterId base, std::int64_t offset) {
  Operand operand;
  operand.kind = OperandKind::Address;
  operand.base = AddressBase::Register;
  operand.reads = true;
  operand.id = static_cast<std::uint32_t>(base);
  operand.immediate = offset;
  return operand;
}

Operand Operand::ofAddress(SymbolId base, std::int64_t offset) {
  Operand operand = ofAddress(RegisterId::None, offset);
  operand.base = AddressBase::Symbol;
  operand.reads = false;
  operand.id = static_cast<std::uint32_t>(base);
  return operand;
}

std::optional<std::uint64_t> bitsOf(const Operand& number, isa::Type type) {
  const auto bits = static_cast<std::uint64_t>(number.immediate);
  const int width = isa::bitWidth(type);
  const bool isFloat = type == isa::Type::F32 || type == isa::Type::F64;
  const bool takesFloat = isFloat || type == isa::Type::B32 || type == isa::Type::B64;
  switch (number.kind) {
    case OperandKind::Integer:
      if (type == isa::Type::Pred) return std::uint64_t{(bits != 0) != number.negated};
      if (isa::isFloat(type)) return std::nullopt;
      return width == 0 || width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
    case OperandKind::Float32:
      // Not converted: ptxas uses the bits of the literal for a double.
      if (!takesFloat) return std::nullopt;
      return bits;
    case OperandKind::Float64:
      if (!takesFloat) return std::nullopt;
      if (width == 64) return bits;
      return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    default:
      return std::nullopt;
  }
}

}  // namespace ptxopt::ir
