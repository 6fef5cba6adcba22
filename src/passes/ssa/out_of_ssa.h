// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way out of SSA form: the rewrites of an SsaRewrite become edits of the text.
//
// ValueRegisters says where each value is.  Where the operand of a phi is in another register than
// the phi, a copy is made on the edge, all copies of an edge at once (parallel_copy.h): at the end
// of the block before it if that has no other way out, else in a new block on the edge.  Where a
// partial definition is in another register than the value that shows through, that is copied
// before the instruction.  What no rewrite touched keeps its registers, so that nothing is edited
// there.
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
  // False: no block is put on an edge out of a branch.  The operands of such a phi are copied to a
  // register of their own, and that is copied to the phi where its block begins.
  bool splitEdges = true;
};

struct OutOfSsaCounts {
  std::uint64_t copies = 0;       // of registers, temporaries and partial definitions included
  std::uint64_t temporaries = 0;  // cycles that were opened
  std::uint64_t blocks = 0;       // new ones, on edges
  std::uint64_t newRegisters = 0;
};

// Names that nothing in the module begins with: of registers and of labels.
struct FreshNames {
  std::string registers;  // "%pcp", or "%pcp2" and so on
  std::string labels;     // "$L__pcp"
  // O(names of the module).  While no pass makes names.
  static FreshNames of(const ir::Module& module);
};

// Edits the function; the Ssa and the Cfg no longer fit it then.  True if anything was edited.
bool outOfSsa(const SsaRewrite& rewrite, const OutOfSsaOptions& options, const FreshNames& names,
              OutOfSsaCounts& counts);

}  // namespace ptxopt::passes
