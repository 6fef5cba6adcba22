// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/launch/launch_shape.h"

#include <algorithm>
#include <string_view>

#include "ir/module.h"

namespace ptxopt::analysis {

namespace {

LaunchShape shapeByDirectives(const ir::Function& function) {
  LaunchShape shape;
  if (!function.isEntry()) return shape;
  const auto isUnknown = [](const ir::Attribute& attribute) { return !attribute.known; };
  if (std::ranges::any_of(function.attributes, isUnknown)) return shape;
  if (const auto required = function.requiredBlock()) return LaunchShape::of(*required);
  if (const ir::Attribute* most = function.attribute(".maxntid")) {
    // Only the product is bounded, so each extent may be as large as the product.
    std::uint64_t product = 1;
    for (const std::int64_t extent : most->values) {
      if (extent < 1 || extent > 1024) return shape;
      product *= static_cast<std::uint64_t>(extent);
    }
    for (std::uint32_t& extent : shape.most) {
      extent = static_cast<std::uint32_t>(std::min<std::uint64_t>(extent, product));
    }
  }
  return shape;
}

}  // namespace

LaunchShape LaunchShape::of(const ir::Function& function, const Assumptions& assumptions) {
  LaunchShape shape = shapeByDirectives(function);
  if (shape.block) return shape;
  if (assumptions.block()) return of(*assumptions.block());
  if (assumptions.has(Assumption::OneRow)) shape.most[1] = shape.most[2] = 1;
  return shape;
}

std::optional<SpecialName> specialName(const ir::Function& function, const ir::Operand& operand) {
  if (operand.kind != ir::OperandKind::SpecialRegister ||
      operand.immediate == ir::kUnknownSpecialRegister) {
    return std::nullopt;
  }
  SpecialName name;
  name.index = static_cast<std::uint32_t>(operand.immediate);
  const isa::SpecialRegister& row = isa::specialRegisters()[name.index];
  if (row.name.find('<') != std::string_view::npos) return std::nullopt;
  if (row.isVector) {
    constexpr std::string_view kElements = "xyzwrgba";
    const std::string_view text = function.module().text(NameId{operand.id});
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos || dot + 2 != text.size()) return std::nullopt;
    const std::size_t element = kElements.find(text.back());
    if (element == std::string_view::npos) return std::nullopt;
    name.component = static_cast<std::uint8_t>(element % 4);
  }
  if (row.name == "%tid") name.which = SpecialName::Which::Tid;
  if (row.name == "%ntid") name.which = SpecialName::Which::Ntid;
  if (row.name == "%ctaid") name.which = SpecialName::Which::Ctaid;
  if (row.name == "%laneid") name.which = SpecialName::Which::LaneId;
  return name;
}

}  // namespace ptxopt::analysis
