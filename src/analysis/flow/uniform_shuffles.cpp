// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/uniform_shuffles.h"

#include <cstdint>

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;

bool isOfLaneZero(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.opcode != isa::Opcode::Shfl || !desc.has(".sync") || !desc.has(".idx")) return false;
  const auto isNumber = [&](std::size_t k, std::uint32_t value) {
    const Operand* operand = instruction.operand(k);
    return operand != nullptr && operand->kind == ir::OperandKind::Integer &&
           static_cast<std::uint32_t>(operand->immediate) == value;
  };
  return isNumber(2, 0) && isNumber(3, 31) && isNumber(4, 0xffffffffu);
}

}  // namespace

std::vector<const Instruction*> uniformShuffles(const Cfg& cfg) {
  std::vector<const Instruction*> shuffles;
  if (!cfg.function().isEntry() || !cfg.inEdges(cfg.entry()).empty()) return shuffles;
  // A label may begin a block without a branch to it.
  for (BlockId block = cfg.entry();;) {
    for (const Instruction& instruction : cfg.instructions(block)) {
      const isa::InstructionDesc& desc = *instruction.desc;
      if (!desc.known() || desc.control != isa::Control::None) return shuffles;
      if (isOfLaneZero(instruction)) shuffles.push_back(&instruction);
    }
    const auto next = cfg.successors(block);
    const bool isOnly =
        next.size() == 1 && next[0] != cfg.exit() && cfg.inEdges(next[0]).size() == 1;
    if (!isOnly) return shuffles;
    block = next[0];
  }
}

}  // namespace ptxopt::analysis
