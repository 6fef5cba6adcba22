// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "facts/address_operand.h"

namespace ptxopt::facts {

const ir::Operand* addressOperand(const ir::Instruction& instruction, std::uint32_t number) {
  const ir::Operand* listEnd = nullptr;
  for (const ir::Operand& operand : instruction.operands()) {
    if (operand.kind == ir::OperandKind::AddressList) listEnd = &operand + operand.extent();
    const bool isInList = listEnd != nullptr && &operand < listEnd;
    if (operand.kind != ir::OperandKind::Address || isInList) continue;
    if (number-- == 0) return &operand;
  }
  return nullptr;
}

}  // namespace ptxopt::facts
