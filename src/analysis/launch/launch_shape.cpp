// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/launch/launch_shape.h"

#include <algorithm>

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
      if (extent < 1 || extent > isa::kMostThreads) return shape;
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

}  // namespace ptxopt::analysis
