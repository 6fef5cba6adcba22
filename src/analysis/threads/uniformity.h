// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the values that are the same in all threads of a CTA, and the blocks that all threads
// execute equally often.
//
// docs/soundness/ C1.2 and C1.5: everything not proved uniform is varying.  The analysis covers an
// entry, or a function that all threads enter together.  It is flow-insensitive for each register
// (a register is uniform if every definition of it is) and a fixpoint over data and control
// dependence:
// - A definition varies if its instruction is not a pure function of uniform values, unless the
//   caller states that all threads which execute it together get the same result (a reduction over
//   the CTA).
// - A definition under a varying guard varies, whatever it computes.  So does one in a block that
//   is control dependent (iterated) on a varying branch.  This is sync dependence.  It also covers
//   temporal divergence: a block of a loop that may run again is control dependent on every branch
//   that leaves the loop.
// Control dependence ignores the edges to blocks from which no barrier can be reached: a thread
// that takes such an edge ends without meeting another barrier (C1.2.7, C1.5).  The values that it
// computes after that edge do not matter here.
//
// Cost: nearly O(operands + edges): every register and block changes its state at most once, and
// the walks up the post-dominator tree skip marked vertices (union-find).  Memory: four bytes for
// each register and each register operand.
// Source: the divergence analyses of Karrenberg and Hack (CC'12) and of Coutinho et al. (PACT'11),
// with iterated control dependence (Ferrante et al., TOPLAS'87) in place of their join points.
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

  // `meetsBarrier` has one bit for each block of `cfg`: the block contains a CTA barrier, or an
  // instruction that may execute one.  The bit of the virtual exit says that a returning thread may
  // meet a barrier in a caller.  `agree`: instructions that give the same result to all threads of
  // the CTA, whatever they read, provided that all of them execute the instruction.
  // `broadcasts`: loads that give the same result to all threads that execute them together and
  // load from the same address.
  Uniformity(const Cfg& cfg, const Liveness& liveness, const BitSet& meetsBarrier,
             const InstructionSet& agree = {}, const Assumptions& assumptions = {},
             const InstructionSet& broadcasts = {});

  // The value is the same in all threads, in every uniform block.
  bool isUniform(ir::RegisterId id) const { return !varying_.test(static_cast<std::uint32_t>(id)); }
  // All threads of the CTA that have not ended execute this block equally often, and in the same
  // order relative to every other such block (C1.2.7).  False for a block from which no barrier can
  // be reached, and for an unreachable block.
  bool isUniform(BlockId block) const { return uniformBlocks_.test(block); }
  // A thread that executes the block may meet a barrier there or later.
  bool leadsToBarrier(BlockId block) const { return leadsToBarrier_.test(block); }

 private:
  BitSet varying_;  // registers
  BitSet uniformBlocks_;
  BitSet leadsToBarrier_;
};

}  // namespace ptxopt::analysis
