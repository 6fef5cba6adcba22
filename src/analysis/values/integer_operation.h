// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The semantics of pure integer instructions.  Passes fold constants with it, and linear forms are
// evaluated with it for all lanes of a warp.  The interpreter, which checks the passes, has its own
// independent implementation.
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

// The operation of a pure integer instruction.
class IntegerOperation {
 public:
  static constexpr std::size_t kMostSources = 4;
  // None for an instruction that this class does not implement.
  static std::optional<IntegerOperation> of(const isa::InstructionDesc& desc);

  std::size_t sourceCount() const { return sourceCount_; }
  // `sources`: sourceCount() residues, at least as wide as the operation requires.  None if the
  // result is undefined.
  std::optional<std::uint64_t> evaluate(std::span<const std::uint64_t> sources) const;
  // Evaluates each lane; returns the lanes with a defined result.
  using Sources = std::array<const OfLanes<std::uint64_t>*, kMostSources>;
  LaneMask evaluate(const Sources& sources, OfLanes<std::uint64_t>& results) const;

 private:
  enum class Half : std::uint8_t { Low, High, Wide };

  std::uint64_t product(std::uint64_t a, std::uint64_t b) const;
  template <class OpcodeOf>
  std::optional<std::uint64_t> evaluateAs(OpcodeOf opcodeOf,
                                          std::span<const std::uint64_t> sources) const;

  isa::Opcode opcode_{};
  Half half_ = Half::Low;  // for products
  bool isSigned_ = false;
  std::uint8_t bits_ = 0;
  std::uint8_t sourceCount_ = 0;
};

}  // namespace ptxopt::analysis
