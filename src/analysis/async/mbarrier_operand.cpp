// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/async/mbarrier_operand.h"

#include <span>

namespace ptxopt::analysis {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;

const Operand* mbarrierOperand(const Instruction& instruction, isa::AsyncRole role) {
  if (role == isa::AsyncRole::CopyIn) {
    // The last address that stands for itself: [d], [a], n, [bar].
    const std::span<const Operand> all = instruction.operands();
    const Operand* last = nullptr;
    for (std::size_t at = 0; at < all.size(); at += all[at].extent()) {
      if (all[at].kind == OperandKind::Address) last = &all[at];
    }
    return last;
  }
  if (!isa::isOnMbarrier(role) && role != isa::AsyncRole::Init) return nullptr;
  for (const Operand& operand : instruction.operands()) {
    if (operand.kind == OperandKind::Address) return &operand;
  }
  return nullptr;
}

}  // namespace ptxopt::analysis
