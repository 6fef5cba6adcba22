// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known about the extents of the block of threads with which a kernel is launched.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "analysis/launch/assumptions.h"
#include "ir/function.h"
#include "isa/block.h"

namespace ptxopt::analysis {

// docs/soundness/ C8(ii).4
struct LaunchShape {
  // The exact values of %ntid.x, .y, .z.
  std::optional<std::array<std::uint32_t, 3>> block;
  // Upper bounds of each extent.  Without a directive, those of the ISA.
  std::array<std::uint32_t, 3> most = isa::kMostExtents;

  // For an entry: from .reqntid or .maxntid, if all its attributes are understood (A7.5), and from
  // its assumptions.  For a .func: from its assumptions alone.
  static LaunchShape of(const ir::Function& function, const Assumptions& assumptions = {});
  static LaunchShape of(std::array<std::uint32_t, 3> block) { return {block, block}; }

  // ntid.y = ntid.z = 1.
  bool isOneRow() const { return most[1] == 1 && most[2] == 1; }

  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

}  // namespace ptxopt::analysis
