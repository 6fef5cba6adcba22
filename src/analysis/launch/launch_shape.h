// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known about the extents of the block of threads with which a kernel is launched.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "analysis/launch/assumptions.h"
#include "ir/function.h"
#include "isa/isa.h"

namespace ptxopt::analysis {

// docs/soundness/ C8(ii).4
struct LaunchShape {
  // The exact values of %ntid.x, .y, .z.
  std::optional<std::array<std::uint32_t, 3>> block;
  // Upper bounds of each extent.  Without a directive, those of the ISA.
  std::array<std::uint32_t, 3> most = {1024, 1024, 64};

  // For an entry: from .reqntid or .maxntid, if all its attributes are understood (A7.5), and from
  // its assumptions.  For a .func: from its assumptions alone.
  static LaunchShape of(const ir::Function& function, const Assumptions& assumptions = {});
  static LaunchShape of(std::array<std::uint32_t, 3> block) { return {block, block}; }

  // ntid.y = ntid.z = 1.
  bool isOneRow() const { return most[1] == 1 && most[2] == 1; }

  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

// A special register that an operand names.
struct SpecialName {
  enum class Which : std::uint8_t { Tid, Ntid, Ctaid, LaneId, Other };
  Which which = Which::Other;
  std::uint8_t component = 0;  // 0 .. 3 for .x .y .z .w; 0 for a scalar
  std::uint32_t index = 0;     // in isa::specialRegisters()
};
// None for a special register that is not in the table, for a member of a numbered family, and for
// a whole vector.
std::optional<SpecialName> specialName(const ir::Function& function, const ir::Operand& operand);

}  // namespace ptxopt::analysis
