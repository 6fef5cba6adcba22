// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The meaning of pure integer instructions, as the passes have it: constants are folded with it,
// and linear forms are computed with it for all lanes of a warp.  The interpreter, which judges
// what passes do, has a meaning of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "isa/isa.h"

namespace ptxopt::analysis {

using LaneMask = std::uint32_t;
template <class Number>
using OfLanes = std::array<Number, isa::kWarpSize>;

// What a pure integer instruction computes.
class IntegerOperation {
 public:
  static constexpr std::size_t kMostSources = 4;
  // None for one that this does not compute.
  static std::optional<IntegerOperation> of(const isa::InstructionDesc& desc);

  std::size_t sourceCount() const { return sourceCount_; }
  // `sources`: sourceCount() residues that are at least as wide as it wants them.  None where the
  // result is not defined.
  std::optional<std::uint64_t> evaluate(std::span<const std::uint64_t> sources) const;
  // The same for each lane; returns those for which the result is defined.
  using Sources = std::array<const OfLanes<std::uint64_t>*, kMostSources>;
  LaneMask evaluate(const Sources& sources, OfLanes<std::uint64_t>& results) const;

 private:
  enum class Half : std::uint8_t { Low, High, Wide };

  template <class OpcodeOf>
  std::optional<std::uint64_t> evaluateAs(OpcodeOf opcodeOf,
                                          std::span<const std::uint64_t> sources) const;

  isa::Opcode opcode_{};
  Half half_ = Half::Low;  // of a product
  bool isSigned_ = false;
  std::uint8_t bits_ = 0;
  std::uint8_t sourceCount_ = 0;
};

}  // namespace ptxopt::analysis
