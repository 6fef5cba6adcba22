// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/launch/special_name.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "isa/isa.h"

namespace ptxopt::analysis {

namespace {

using Which = SpecialName::Which;

Which whichIs(std::string_view name) {
  constexpr std::pair<std::string_view, Which> kNames[] = {{"%tid", Which::Tid},
                                                           {"%ntid", Which::Ntid},
                                                           {"%ctaid", Which::Ctaid},
                                                           {"%nctaid", Which::Nctaid},
                                                           {"%laneid", Which::LaneId}};
  const auto* const found =
      std::ranges::find(kNames, name, [](const auto& row) { return row.first; });
  return found == std::end(kNames) ? Which::Other : found->second;
}

}  // namespace

SpecialName SpecialName::of(std::uint32_t index, std::uint8_t component) {
  static const std::vector<Which> all = [] {
    std::vector<Which> rows;
    for (const isa::SpecialRegister& row : isa::specialRegisters())
      rows.push_back(whichIs(row.name));
    return rows;
  }();
  return {all[index], component, index};
}

std::optional<SpecialName> specialName(const ir::Function& function, const ir::Operand& operand) {
  if (operand.kind != ir::OperandKind::SpecialRegister ||
      operand.immediate == ir::kUnknownSpecialRegister) {
    return std::nullopt;
  }
  const auto index = static_cast<std::uint32_t>(operand.immediate);
  const isa::SpecialRegister& row = isa::specialRegisters()[index];
  if (row.name.find('<') != std::string_view::npos) return std::nullopt;
  if (!row.isVector) return SpecialName::of(index, 0);
  constexpr std::string_view kElements = "xyzwrgba";
  const std::string_view text = function.module().text(NameId{operand.id});
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || dot + 2 != text.size()) return std::nullopt;
  const std::size_t element = kElements.find(text.back());
  if (element == std::string_view::npos) return std::nullopt;
  return SpecialName::of(index, static_cast<std::uint8_t>(element % 4));
}

std::vector<std::optional<SpecialName>> specialNamesIn(const ir::Function& function) {
  std::vector<std::optional<SpecialName>> names;
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr) continue;
    for (const ir::Operand& operand : instruction->operands()) {
      if (operand.kind != ir::OperandKind::SpecialRegister) continue;
      names.push_back(specialName(function, operand));
    }
  }
  return names;
}

}  // namespace ptxopt::analysis
