// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/explain_words.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "driver/remark_text.h"
#include "isa/isa.h"
#include "support/demangle.h"

namespace ptxopt::driver {

namespace {

// The number that a register always holds, if its only definition is a `mov` of a number, or of
// another such register.
std::optional<std::int64_t> constantIn(const ir::Function& function, ir::RegisterId wanted) {
  constexpr int kMostCopies = 8;
  for (int copies = 0; copies <= kMostCopies; ++copies) {
    const ir::Instruction* definition = nullptr;
    for (const ir::Statement& statement : function.body()) {
      const auto* instruction = statement.as<ir::Instruction>();
      if (instruction == nullptr) continue;
      for (const ir::Operand& operand : instruction->operands()) {
        if (!operand.writes || operand.reg() != wanted) continue;
        if (definition != nullptr || operand.component != 0) return std::nullopt;
        definition = instruction;
      }
    }
    if (definition == nullptr || definition->guard || !definition->is(isa::Opcode::Mov)) return {};
    const ir::Operand* value = definition->operand(1);
    if (value == nullptr) return std::nullopt;
    if (value->kind == ir::OperandKind::Integer) return value->immediate;
    if (value->kind != ir::OperandKind::Register || value->component != 0) return std::nullopt;
    wanted = value->reg();
  }
  return std::nullopt;
}

int elementSize(const ir::Instruction* access) {
  return access == nullptr ? 0 : isa::bitWidth(access->desc->type) / 8;
}

// "tile[16]" for the bytes [64..68) of it, if an element has 4 bytes.  `size` 0: there are none.
std::string elementText(const passes::ConflictExample::Side& side, int size) {
  if (!side.hasBase) return bytesText(side);
  const bool isElement = size != 0 && side.begin % size == 0 && side.end - side.begin == size;
  const std::string name = demangled(side.base);
  return isElement ? fmt::format("{}[{}]", name, side.begin / size)
                   : fmt::format("{}[{}..{})", name, side.begin, side.end);
}

}  // namespace

std::array<std::string, 2> sidesInElements(const passes::ConflictExample& example,
                                           const ir::Instruction* above,
                                           const ir::Instruction* below) {
  const int size = elementSize(above) == elementSize(below) ? elementSize(above) : 0;
  const std::string first = elementText(example.above, size);
  const std::string second = elementText(example.below, size);
  return {sideText(example.above, first), sideText(example.below, second == first ? "it" : second)};
}

std::vector<std::string> constantOperands(const ir::Function& function,
                                          const ir::Instruction& instruction) {
  std::vector<std::string> texts;
  for (const ir::Operand& operand : instruction.operands()) {
    if (operand.kind != ir::OperandKind::Register || !operand.reads) continue;
    if (const auto number = constantIn(function, operand.reg())) {
      texts.push_back(
          fmt::format("{} is the constant {}", function.registerName(operand.reg()), *number));
    }
  }
  return texts;
}

const ir::Instruction* instructionAt(const ir::Function& function, Offset offset) {
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<ir::Instruction>();
    if (instruction != nullptr && instruction->source.begin == offset) return instruction;
  }
  return nullptr;
}

}  // namespace ptxopt::driver
