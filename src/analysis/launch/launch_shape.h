// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known about the block of threads that a kernel is launched with.
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
  // Exact: %ntid.x, .y, .z.
  std::optional<std::array<std::uint32_t, 3>> block;
  // The most that each may be.  Without a directive it is what the ISA allows.
  std::array<std::uint32_t, 3> most = {1024, 1024, 64};

  // By .reqntid or .maxntid of an entry whose attributes are all understood (A7.5), and by what is
  // assumed of it.  Of a .func: by what is assumed alone.
  static LaunchShape of(const ir::Function& function, const Assumptions& assumptions = {});
  static LaunchShape of(std::array<std::uint32_t, 3> block) { return {block, block}; }

  // ntid.y = ntid.z = 1.
  bool isOneRow() const { return most[1] == 1 && most[2] == 1; }

  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

// A special register as an operand names it.
struct SpecialName {
  enum class Which : std::uint8_t { Tid, Ntid, Ctaid, LaneId, Other };
  Which which = Which::Other;
  std::uint8_t component = 0;  // 0 .. 3 for .x .y .z .w; 0 for a scalar
  std::uint32_t index = 0;     // in isa::specialRegisters()
};
// None for one without a row, for a member of a numbered family, and for a vector as a whole.
std::optional<SpecialName> specialName(const ir::Function& function, const ir::Operand& operand);

}  // namespace ptxopt::analysis
