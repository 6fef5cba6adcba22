// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which blocks all threads of the CTA, or of a warp, execute, none of them having ended before:
// docs/soundness/ C8.3.2 and C8.3.3, C8(i).3.
//
// Participation asks less: a barrier waits for those only that have not ended.  bar.warp.sync waits
// for all threads of its mask, and elect.sync chooses among those that are there.
//
// Cost: that of Uniformity, and O(edges).
#pragma once

#include "analysis/flow/cfg.h"
#include "analysis/flow/liveness.h"
#include "analysis/memory/memory_effects.h"
#include "analysis/threads/uniformity.h"
#include "support/bit_set.h"

namespace ptxopt::analysis {

class NonExitedThreads {
 public:
  // All threads of the CTA, in an entry.
  NonExitedThreads(const Cfg& cfg, const Liveness& liveness, const CallEffects& effects);
  // All threads of a warp, in an entry without calls in which a thread may end.  `agree`: as in
  // Uniformity, of the threads of a warp.
  NonExitedThreads(const Cfg& cfg, const Liveness& liveness,
                   const Uniformity::InstructionSet& agree);

  // All of them execute the block equally often, and none has ended at that time.
  bool allExecute(BlockId block) const { return all_.test(block); }

 private:
  void find(const Cfg& cfg, const Liveness& liveness, const Uniformity::InstructionSet& agree);

  BitSet all_;
};

}  // namespace ptxopt::analysis
