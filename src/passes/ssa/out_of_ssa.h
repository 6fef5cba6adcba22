// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translation out of SSA form: turns the rewrites of an SsaRewrite into edits of the text.
//
// ValueRegisters assigns a register to each value.  If an operand of a phi is in another register
// than the phi, a copy is made on the edge.  All copies of an edge happen at once
// (parallel_copy.h), at the end of the predecessor if it has no other successor, else in a new
// block on the edge.  If a partial definition is in another register than its old value, the old
// value is copied before the instruction.  Values that no rewrite affects keep their registers, so
// nothing is edited there.
//
// Source: Sreedhar et al., "Translating Out of Static Single Assignment Form", SAS 1999; Boissinot
// et al., CGO 2009.  docs/soundness/ D6, E.8.  Cost: O(operands + edges + phi operands), and that
// of ValueRegisters.
#pragma once

#include <cstdint>
#include <string>

#include "ir/module.h"
#include "passes/ssa/ssa_rewrite.h"
#include "passes/ssa/value_registers.h"

namespace ptxopt::passes {

struct OutOfSsaOptions {
  Coalescing coalescing = Coalescing::All;
  bool acrossBlocks = true;
  // False: no new block on an outgoing edge of a branch.  Instead the operands of the phi are
  // copied to a new register, and that is copied to the phi at the start of its block.
  bool splitEdges = true;
};

struct OutOfSsaCounts {
  std::uint64_t copies = 0;       // of registers, including temporaries and partial definitions
  std::uint64_t temporaries = 0;  // cycles that were broken
  std::uint64_t blocks = 0;       // new blocks on edges
  std::uint64_t newRegisters = 0;
};

// Prefixes of register and label names that no name in the module has.
struct FreshNames {
  std::string registers;  // "%pcp", or "%pcp2" and so on
  std::string labels;     // "$L__pcp"
  // O(names of the module).  Must be called while no pass creates names.
  static FreshNames of(const ir::Module& module);
};

// Edits the function, which makes its Ssa and Cfg invalid.  Returns true if anything was edited.
bool outOfSsa(const SsaRewrite& rewrite, const OutOfSsaOptions& options, const FreshNames& names,
              OutOfSsaCounts& counts);

}  // namespace ptxopt::passes
