// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a statement stays that only synchronises, with the instructions around it that it may be for.
//
// What is named is the nearest instruction on some path that a thread may take, which is where a
// reader looks first.  It proves nothing: the rules of docs/soundness/ H look at all paths.
//
// Cost: O(kMostLooks) for each statement and side.
#pragma once

#include "passes/waits/wait_rules.h"

namespace ptxopt::passes {

// So many instructions are looked at on each side.  If none of them is one, none is named.
inline constexpr unsigned kMostLooks = 4096;

// `isAskedFor`: the user wants to keep it.  `cfg` must be up to date.
KeptWait keptWait(const analysis::Cfg& cfg, const ir::Instruction& statement, bool isAskedFor);

}  // namespace ptxopt::passes
