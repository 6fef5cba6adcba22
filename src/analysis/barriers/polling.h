// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that would go on polling a value that a compiler has taken out of them: docs/soundness/
// C2.6.
//
// ptxas hoists a weak load from an address that does not change out of a loop that holds nothing to
// stop it.  A loop is safe while an anchor is left in it: a barrier of any kind, a fence, a strong
// access, T.  Stores count as none, although some of them are.
//
// Cost: O(instructions + loops) for all anchors.  A loop with a load is searched when its last
// anchor is about to go, O(its operands times sweeps), and there are few sweeps; past a limit on
// the blocks of all loops that are searched, each counts as one with such a load.
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

  // True if an anchor can be taken out of `block` without leaving a loop around it with a load that
  // could be hoisted and nothing to hold it.
  bool canLoseAnchor(BlockId block) const;
  // Where it cannot: the innermost loop that is in the way, and such a load of it; null where the
  // search for one was given up.
  struct Obstacle {
    LoopId loop = kNone;
    const ir::Instruction* load = nullptr;
  };
  std::optional<Obstacle> obstacle(BlockId block) const;
  // Returns whether it was the last one of a loop.
  bool loseAnchor(BlockId block);
  // The same where the anchor stands in what a call in `block` runs, which was never counted here.
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
  // By loop: anchors in no inner loop, and loops right inside of it with anchors.
  std::vector<std::uint32_t> holders_;
  mutable std::vector<std::optional<Search>> hoistable_;  // by loop; none: not known yet
  mutable std::size_t searched_ = 0;
};

}  // namespace ptxopt::analysis
