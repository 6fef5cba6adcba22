// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/statement.h"

namespace ptxopt::ir {

bool isBelowDirective(const Instruction& instruction) {
  const bool readsMemory = instruction.desc->is(isa::kMemoryRead);
  bool isRightAbove = true;
  for (const Statement* at = instruction.previous; at != nullptr; at = at->previous) {
    if (at->kind == StatementKind::Location) continue;
    if (const auto* other = at->as<Instruction>()) {
      if (!readsMemory || other->desc->is(isa::kMemoryRead)) return false;
    } else if (at->kind == StatementKind::Directive && isRightAbove) {
      return true;
    } else if (const auto* pragma = at->as<Pragma>()) {
      const bool isMask = pragma->text.find("used_bytes_mask") != std::string_view::npos;
      if (isRightAbove || isMask) return true;
    }
    if (!readsMemory) return false;
    isRightAbove = false;
  }
  return false;
}

}  // namespace ptxopt::ir
