// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many rounds of a loop lie between two instructions, on the ways from the one over a barrier
// to the other.
//
// Cost: O(instructions of the blocks on the way), up to a limit on their number.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "analysis/flow/cfg.h"
#include "analysis/flow/loops.h"

namespace ptxopt::analysis {

struct LoopRounds {
  static constexpr std::size_t kMost = 3;
  // There is a way on which the second instruction runs so many rounds after the first; the last
  // one stands for all distances from there on.
  std::array<bool, kMost + 1> after{};
  // There is one on which the loop is left and entered again.
  bool anew = false;

  bool allow(std::int64_t first, std::int64_t second) const {
    if (anew) return true;
    return second >= first && after[std::min<std::uint64_t>(second - first, kMost)];
  }
};

// The ways go from after `first` over `barrier` to `second`, and over nothing else that
// `separates`.  All three stand in the function.  None where more blocks would have to be looked at
// than the limit allows.
std::optional<LoopRounds> roundsBetween(
    const Cfg& cfg, const Loops& loops, LoopId loop, const ir::Instruction& first,
    const ir::Instruction& barrier, const ir::Instruction& second,
    const std::function<bool(const ir::Instruction&)>& separates);

}  // namespace ptxopt::analysis
