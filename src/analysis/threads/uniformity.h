// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values are the same for all threads of a CTA, and which blocks all of them execute equally
// often.
//
// docs/soundness/ C1.2 and C1.5: a whitelist, so what is not shown to be uniform is varying.  The
// analysis is of an entry, or of a function that all threads enter together; flow-insensitive for
// each register (a register is uniform if every definition of it is); and a fixpoint over data
// dependence and control dependence:
//   - a definition varies if its instruction is no pure function of uniform values, unless the
//   caller
//     says that its results are the same for all who execute it together (a reduction over the
//     CTA);
//   - a definition under a varying guard, or in a block that is control dependent (iterated) on a
//     varying branch, varies, whatever it computes.  That is sync dependence.  It is temporal
//     divergence as well: a block of a loop that may run again is control dependent on every branch
//     that leaves the loop.
// Control dependence is taken in the graph without the edges to blocks from which no barrier can be
// reached: who takes such an edge ends without meeting another barrier (C1.2.7, C1.5).  What a
// thread does after it is nobody's value here.
//
// Cost: O(operands + edges), near enough: every register and block changes its state at most once,
// and the walks up the post-dominator tree skip what was marked before (union-find).  Memory: four
// bytes for each register and each register operand.
// Source: the divergence analyses of Karrenberg and Hack (CC'12) and of Coutinho et al. (PACT'11),
// with iterated control dependence (Ferrante et al., TOPLAS'87) in the place of their join points.
#pragma once

#include <unordered_set>

#include "analysis/flow/cfg.h"
#include "analysis/flow/liveness.h"
#include "analysis/launch/assumptions.h"
#include "support/bit_set.h"

namespace ptxopt::analysis {

class Uniformity {
 public:
  using InstructionSet = std::unordered_set<const ir::Instruction*>;

  // `meetsBarrier` has one bit for each block of `cfg`: it holds a CTA barrier, or something that
  // may be or call one.  The bit of the virtual exit says that who returns goes on in a caller and
  // may meet one there.  `agree`: instructions whose results are the same in all threads of the CTA
  // that execute them, whatever they read, if all of them do.
  Uniformity(const Cfg& cfg, const Liveness& liveness, const BitSet& meetsBarrier,
             const InstructionSet& agree = {}, const Assumptions& assumptions = {});

  // The value is the same in all threads wherever all of them get to (isUniform of the block).
  bool isUniform(ir::RegisterId id) const { return !varying_.test(static_cast<std::uint32_t>(id)); }
  // All threads of the CTA that have not ended execute this block equally often, and in the same
  // order relative to every other such block (C1.2.7).  False for a block from which no barrier
  // can be reached, and for one that no path reaches.
  bool isUniform(BlockId block) const { return uniformBlocks_.test(block); }
  // A thread that executes the block may meet a barrier there or later.
  bool leadsToBarrier(BlockId block) const { return leadsToBarrier_.test(block); }

 private:
  BitSet varying_;  // registers
  BitSet uniformBlocks_;
  BitSet leadsToBarrier_;
};

}  // namespace ptxopt::analysis
