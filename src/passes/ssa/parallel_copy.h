// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts parallel copies into a sequence.
//
// All destinations of a parallel copy are assigned at once: `a := b, b := a` is a swap.  A copy
// whose destination is not a source of another copy is emitted first.  Only cycles remain, and each
// is broken by one copy to a temporary.
//
// Source: Boissinot et al., "Revisiting Out-of-SSA Translation", CGO 2009, algorithm 1.  O(copies).
#pragma once

#include <functional>
#include <vector>

#include "ir/operand.h"

namespace ptxopt::passes {

struct RegisterCopy {
  ir::RegisterId destination = ir::RegisterId::None;
  ir::RegisterId source = ir::RegisterId::None;
  friend bool operator==(const RegisterCopy&, const RegisterCopy&) = default;
};

// Destinations must be distinct; copies of a register to itself are dropped.  `temporary(r)`
// returns a register of the class of r that no copy names; it is called once for each cycle.
std::vector<RegisterCopy> sequentialize(
    const std::vector<RegisterCopy>& parallel,
    const std::function<ir::RegisterId(ir::RegisterId)>& temporary);

}  // namespace ptxopt::passes
