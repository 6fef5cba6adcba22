// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/statement.h"

namespace ptxopt::ir {

const Operand* Instruction::operand(std::size_t k) const {
  const std::span<const Operand> all = operands();
  for (std::size_t at = 0; at < all.size(); at += all[at].extent()) {
    if (k-- == 0) return &all[at];
  }
  return nullptr;
}

Operand* Instruction::operand(std::size_t k) {
  return const_cast<Operand*>(static_cast<const Instruction*>(this)->operand(k));
}

}  // namespace ptxopt::ir
