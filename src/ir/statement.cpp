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

bool isBelowDirective(const Instruction& instruction) {
  const bool readsMemory = instruction.desc->is(isa::kMemoryRead);
  bool isRightAbove = true;
  for (const Statement* at = instruction.previous; at != nullptr; at = at->previous) {
    if (at->kind == StatementKind::Location) continue;
    if (at->kind == StatementKind::Directive && isRightAbove) return true;
    if (const auto* pragma = at->as<Pragma>()) {
      const bool isMask = pragma->text.find("used_bytes_mask") != std::string_view::npos;
      if (isRightAbove || isMask) return true;
    }
    const auto* other = at->as<Instruction>();
    if (!readsMemory || (other != nullptr && other->desc->is(isa::kMemoryRead))) return false;
    isRightAbove = false;
  }
  return false;
}

}  // namespace ptxopt::ir
