// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many iterations of a loop separate two instructions, on the paths from the first over a
// barrier to the second.  One iteration more is called a round.
//
// Cost: O(instructions of the blocks on these paths), up to a limit on the number of blocks.
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
  // after[n]: on some path the second instruction runs n rounds after the first.  The last element
  // stands for all larger distances.
  std::array<bool, kMost + 1> after{};
  // On some path the loop is left and entered again.
  bool anew = false;

  bool allow(std::int64_t first, std::int64_t second) const {
    if (anew) return true;
    return second >= first && after[std::min<std::uint64_t>(second - first, kMost)];
  }
};

// The paths go from after `first` over `barrier` to `second`, and over no other instruction that
// `separates`.  All three belong to the function.  None if the search would visit more blocks than
// the limit.
std::optional<LoopRounds> roundsBetween(
    const Cfg& cfg, const Loops& loops, LoopId loop, const ir::Instruction& first,
    const ir::Instruction& barrier, const ir::Instruction& second,
    const std::function<bool(const ir::Instruction&)>& separates);

}  // namespace ptxopt::analysis
