// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles through which compilers tell themselves that a number is the same for all threads of the
// warp: shfl.sync.idx d, a, 0, 31, -1, where d is what lane 0 holds in a.
#pragma once

#include <vector>

#include "analysis/flow/cfg.h"

namespace ptxopt::analysis {

// Those that each thread of an entry executes once, before any thread can have ended or gone
// another way than others.  So lane 0, which every warp has, takes part.  O(instructions up to the
// first branch).
std::vector<const ir::Instruction*> uniformShuffles(const Cfg& cfg);

}  // namespace ptxopt::analysis
