// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/explain_words.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/isa.h"
#include "support/demangle.h"

namespace ptxopt::driver {

namespace {

// "tile[64..68)", as passes write it.
struct NamedBytes {
  std::string_view name;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

std::optional<NamedBytes> parse(std::string_view text) {
  constexpr std::string_view kDots = "..";
  const std::size_t open = text.rfind('[');
  const std::size_t dots = text.find(kDots, open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || dots == std::string_view::npos || !text.ends_with(')')) {
    return std::nullopt;
  }
  const auto number = [&](std::size_t from, std::size_t to, std::int64_t& value) {
    const auto result = std::from_chars(text.data() + from, text.data() + to, value);
    return result.ec == std::errc() && result.ptr == text.data() + to;
  };
  NamedBytes bytes{text.substr(0, open)};
  const bool isRead = number(open + 1, dots, bytes.begin) &&
                      number(dots + kDots.size(), text.size() - 1, bytes.end);
  return isRead ? std::optional(bytes) : std::nullopt;
}

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

// `size` is that of an element; 0 means that bytes stay bytes.
std::string sideText(const passes::ConflictExample::Side& side, int size) {
  const auto bytes = parse(side.bytes);
  const std::size_t at = side.text.find(side.bytes);
  if (!bytes || at == std::string::npos) return side.text;
  // An address without a variable or a pointer has no elements.
  const bool isNamed = !bytes->name.starts_with('.') && bytes->name != "memory";
  const bool isElement =
      isNamed && size != 0 && bytes->begin % size == 0 && bytes->end - bytes->begin == size;
  const std::string where = isElement ? fmt::format("[{}]", bytes->begin / size)
                                      : fmt::format("[{}..{})", bytes->begin, bytes->end);
  std::string text = side.text;
  return text.replace(at, side.bytes.size(), demangled(bytes->name) + where);
}

}  // namespace

std::array<std::string, 2> sidesInElements(const passes::ConflictExample& example,
                                           const ir::Instruction* above,
                                           const ir::Instruction* below) {
  const int size = elementSize(above) == elementSize(below) ? elementSize(above) : 0;
  return {sideText(example.above, size), sideText(example.below, size)};
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
