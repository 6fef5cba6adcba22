// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assigns a register to every value of a rewritten function in SSA form.
//
// A value keeps its own register unless that interferes.  Only registers of values that are read in
// new places are examined; in a function without rewrites every value has its own register
// (docs/soundness/ D6, E.8).
//
// Two values interfere if one is live where the other is defined and they may differ; copies of one
// value do not interfere.  Values are processed in the order of the dominator tree, and within a
// block in order.  So a processed value that interferes with the current one dominates it, and
// among the values in one register only the last one needs a check, together with the copies of it.
//
// Sources: Budimlić et al., "Fast Copy Coalescing and Live-Range Identification", PLDI 2002 (the
// dominance forest); Boissinot et al., CGO 2009 (value-based interference).  Cost: O(values) and
// the liveness of the examined values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "passes/ssa/ssa_rewrite.h"
#include "support/bit_set.h"

namespace ptxopt::passes {

// How much effort goes into avoiding copies.
enum class Coalescing : std::uint8_t {
  None,   // every value has its own new register: for tests
  Names,  // values are in their own registers unless they interfere
  All,    // also: operands of a phi are computed in the register of the phi if possible
};

class ValueRegisters {
 public:
  using ValueId = analysis::ValueId;

  // `acrossBlocks`: a value may be moved to the register of a phi that is not in a successor of its
  // block.
  ValueRegisters(const SsaRewrite& rewrite, Coalescing coalescing, bool acrossBlocks);

  // Some instruction reads the value, so it needs a register.
  bool isNeeded(ValueId value) const { return needed_.test(value); }
  ir::RegisterId of(ValueId value) const { return registers_[value]; }

  // New registers of the function are numbered from registerCount() on.
  bool isNew(ir::RegisterId id) const { return static_cast<std::uint32_t>(id) >= firstNew_; }
  // For each new register, a register of the function with the same type.
  std::span<const ir::RegisterId> models() const { return models_; }
  ir::RegisterId add(ir::RegisterId like);

 private:
  class Assignment;
  void separate(const BitSet& chosen);

  const SsaRewrite* rewrite_;
  BitSet needed_;
  IdVector<ValueId, ir::RegisterId> registers_;
  std::uint32_t firstNew_;
  std::vector<ir::RegisterId> models_;
};

}  // namespace ptxopt::passes
