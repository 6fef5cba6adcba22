// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores that all threads of a CTA execute in one epoch, without anything in that epoch that could
// order them.  In a program without data races, such stores give information about other accesses
// (docs/soundness/ C8.2, E.6.11).
//
// An epoch is the code between two barriers in which all threads take part.  Two threads that
// execute the same store in one epoch race if they touch a common byte, unless something
// synchronizes them in between.  A synchronization would have to be below the store and above it,
// without such a barrier in between.
//
// Cost: O(instructions + edges) once, O(the instructions of its block) a query.
#pragma once

#include <unordered_set>

#include "analysis/addresses/access_classes.h"
#include "analysis/flow/cfg.h"
#include "analysis/threads/uniformity.h"
#include "support/bit_set.h"

namespace ptxopt::analysis {

class StoresOfAll {
 public:
  using InstructionSet = std::unordered_set<const ir::Instruction*>;

  // For an entry.  `separators`: barriers in which all threads that have not ended take part.  All
  // arguments must outlive the object.  `mayPart`: some threads may end while others continue to a
  // barrier.
  StoresOfAll(const Cfg& cfg, const Uniformity& uniformity, const InstructionSet& separators,
              bool mayPart);

  StoreOfAll of(const ir::Instruction& instruction) const;
  // Nothing that might order two threads lies both above and below the instruction in its epoch.
  bool isUnordered(const ir::Instruction& instruction) const {
    return !(isOrderAbove(instruction) && isOrderBelow(instruction));
  }

 private:
  bool isOrderAbove(const ir::Instruction& instruction) const;
  bool isOrderBelow(const ir::Instruction& instruction) const;
  bool mayOrder(const ir::Instruction& instruction) const;

  const Cfg* cfg_;
  const Uniformity* uniformity_;
  const InstructionSet* separators_;
  bool mayPart_;
  BitSet reachesBegin_;  // blocks: an instruction that orders comes before, in the same epoch
  BitSet followsEnd_;    // blocks: one comes after, in the same epoch
};

}  // namespace ptxopt::analysis
