// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of a loop variable, round by round: 128, 64, ..., 1 for `s` of
// `for (s = 128; s > 0; s >>= 1)`.
//
// Induction variables, which change by the same number in each round, are linear forms
// (addresses/induction_variables.h).  For other loop variables there is only a leaf.  But if the
// first number and the next one can be computed for a block of known shape, so can all of them, up
// to the round after which no thread goes on.
//
// Cost: O(rounds * size of the forms).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/addresses/address.h"
#include "analysis/flow/loops.h"

namespace ptxopt::analysis {

// The loop whose header has the phi that this leaf stands for; None for any other leaf.
LoopId loopOfVariable(const Addresses& addresses, const Loops& loops, LeafId leaf);

struct LoopNumbers {
  // At most Limit::LoopNumbers rounds.  Not empty.
  std::vector<std::int64_t> ofRound;
  bool isComplete = false;  // there are no more rounds
};
// For a leaf with a loopOfVariable(), in a block of this shape.  None if the numbers depend on what
// is not known, or on the thread.
std::optional<LoopNumbers> loopNumbers(const Addresses& addresses, const Loops& loops, LeafId leaf,
                                       const std::array<std::uint32_t, 3>& block);

// Whether the number of the first round is an unknown by itself: the argument of a kernel, or a
// loaded value.
bool startsAnywhere(const Addresses& addresses, const Loops& loops, LeafId leaf);

}  // namespace ptxopt::analysis
