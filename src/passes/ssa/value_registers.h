// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A register for every value of a rewritten function in SSA form.
//
// A value keeps its own register wherever that does not interfere.  Only registers of values that
// are read in new places are looked at; in a function that was not rewritten every value is at home
// (docs/soundness/ D6, E.8).
//
// Two values interfere if one is live where the other is defined and they may differ: copies of one
// value do not.  Values are taken in the order of the dominator tree, those of one block in their
// order, so that what interferes with a value and was taken before it dominates it, and of those in
// one register only the last has to be asked, with the copies that it is one of.
//
// Sources: Budimlić et al., "Fast Copy Coalescing and Live-Range Identification", PLDI 2002 (the
// dominance forest); Boissinot et al., CGO 2009 (value-based interference).  Cost: O(values) and
// the liveness of the values looked at.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "passes/ssa/ssa_rewrite.h"
#include "support/bit_set.h"

namespace ptxopt::passes {

// How hard copies are avoided.
enum class Coalescing : std::uint8_t {
  None,   // every value has a register of its own: for tests
  Names,  // values are in their own registers where that does not interfere
  All,    // besides, what a phi takes is computed in the register of the phi where that works
};

class ValueRegisters {
 public:
  using ValueId = analysis::ValueId;

  // `acrossBlocks`: a value may be moved to the register of a phi that is not in a successor of the
  // block that computes it.
  ValueRegisters(const SsaRewrite& rewrite, Coalescing coalescing, bool acrossBlocks);

  // Read by something, so that it must be somewhere.
  bool isNeeded(ValueId value) const { return needed_.test(value); }
  ir::RegisterId of(ValueId value) const { return registers_[value]; }

  // Registers that the function does not have yet are numbered from its registerCount() on.
  bool isNew(ir::RegisterId id) const { return static_cast<std::uint32_t>(id) >= firstNew_; }
  // For each of them, a register of the function with the same type.
  std::span<const ir::RegisterId> models() const { return models_; }
  ir::RegisterId add(ir::RegisterId like);

 private:
  class Assignment;
  void separate(const BitSet& chosen);

  const SsaRewrite* rewrite_;
  BitSet needed_;
  std::vector<ir::RegisterId> registers_;  // by value
  std::uint32_t firstNew_;
  std::vector<ir::RegisterId> models_;
};

}  // namespace ptxopt::passes
