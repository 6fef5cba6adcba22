// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that would poll for ever if a compiler hoisted the polled load out of them: docs/soundness/
// C2.6.
//
// ptxas hoists a weak load from an invariant address out of a loop unless something in the loop
// prevents it.  A loop is safe while it contains an anchor: a barrier without a guard, a fence, a
// strong access, or T.  Stores do not count as anchors, although some of them would prevent
// hoisting.
//
// Cost: O(instructions + loops) for all anchors.  A loop with a load is searched when its last
// anchor is about to be removed, O(its operands times sweeps), with few sweeps.  The number of
// blocks searched is limited; beyond the limit every loop counts as having such a load.
#pragma once

#include <optional>
#include <vector>

#include "analysis/flow/cfg.h"
#include "analysis/flow/loops.h"
#include "analysis/memory/memory_effects.h"

namespace ptxopt::analysis {

class PollingLoops {
 public:
  // The inputs must outlive the object.
  PollingLoops(const Cfg& cfg, const Loops& loops, const CallEffects& effects,
               bool sharedIsExternal);

  // True if an anchor can be removed from `block` without leaving an enclosing loop that has a
  // hoistable load but no anchor.
  bool canLoseAnchor(BlockId block) const;
  // If it cannot: the innermost loop that prevents it, and its hoistable load; null if the search
  // for the load was given up.
  struct Obstacle {
    LoopId loop = LoopId::None;
    const ir::Instruction* load = nullptr;
  };
  std::optional<Obstacle> obstacle(BlockId block) const;
  // Removes an anchor.  Returns true if it was the last anchor of a loop.
  bool loseAnchor(BlockId block);
  // Like canLoseAnchor(), for what does not count as an anchor here: one in the code that a call in
  // `block` runs, or a barrier under a guard.
  bool isSafeWithout(BlockId block) const;

 private:
  bool isAnchor(const ir::Instruction& instruction) const;
  bool mayHoist(const ir::Instruction& instruction, const BitSet& varies) const;
  struct Search {
    bool isFound = false;
    const ir::Instruction* load = nullptr;
  };
  bool holdsHoistableLoad(LoopId loop) const { return hoistableLoad(loop).isFound; }
  const Search& hoistableLoad(LoopId loop) const;
  template <class Predicate>
  bool allEmptied(BlockId block, std::uint32_t going, Predicate&& predicate) const;

  const Cfg* cfg_;
  const Loops* loops_;
  const CallEffects* effects_;
  bool sharedIsExternal_;
  // The number of anchors outside its inner loops, plus the number of its direct inner loops that
  // have anchors.
  IdVector<LoopId, std::uint32_t> holders_;
  mutable IdVector<LoopId, std::optional<Search>> hoistable_;  // none: not computed yet
  mutable std::size_t searched_ = 0;
};

}  // namespace ptxopt::analysis
