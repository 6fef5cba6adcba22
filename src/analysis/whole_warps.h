// Which blocks all threads of the CTA execute, none of them having ended before: docs/soundness.md
// C8.3.2 and C8.3.3.
//
// Participation asks less: a barrier waits for those only that have not ended.  bar.warp.sync waits
// for all threads of its mask.
//
// Cost: that of Uniformity, and O(edges).
#pragma once

#include "analysis/cfg.h"
#include "analysis/liveness.h"
#include "analysis/memory_effects.h"
#include "support/bit_set.h"

namespace ptxopt::analysis {

class WholeWarps {
 public:
  // Of an entry.
  WholeWarps(const Cfg& cfg, const Liveness& liveness, const CallEffects& effects);

  // All threads of the CTA execute the block equally often, and none has ended at that time.
  bool allExecute(BlockId block) const { return all_.test(block); }

 private:
  BitSet all_;
};

}  // namespace ptxopt::analysis
