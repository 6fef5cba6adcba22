#include "ir/operand.h"

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

}  // namespace ptxopt::ir
