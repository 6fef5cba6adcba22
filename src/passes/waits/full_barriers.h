// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CTA barriers that all threads execute, and what the end of a thread tells: docs/soundness/ H4.2,
// H4.5.
#pragma once

#include <unordered_set>

#include "passes/waits/wait_rules.h"

namespace ptxopt::passes {

using InstructionSet = std::unordered_set<const ir::Instruction*>;

// The full barriers in which all threads take part, none of which has ended (docs/soundness/ H4.2).
// None if there is one barrier with which that is not so, or that may come in the place of another.
InstructionSet fullBarriers(const analysis::Cfg& cfg, ExecutedByAll& executed);

// A thread may end while others still come to a barrier, at which its end counts as an arrival
// (docs/soundness/ A1.11).
bool mayEndTell(const analysis::Cfg& cfg, ExecutedByAll& executed);

}  // namespace ptxopt::passes
