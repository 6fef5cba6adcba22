// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that all threads of the CTA, or of a warp, execute before any of them has ended:
// docs/soundness/ C8.3.2 and C8.3.3, C8(i).3.
//
// Participation requires less: a barrier waits only for threads that have not ended. bar.warp.sync
// waits for all threads of its mask, and elect.sync chooses among the threads that are present.
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
  // For all threads of the CTA, in an entry.  `broadcasts` has the same meaning as in Uniformity.
  NonExitedThreads(const Cfg& cfg, const Liveness& liveness, const CallEffects& effects,
                   const Uniformity::InstructionSet& broadcasts = {});
  // For all threads of a warp, in an entry without calls that may end a thread.  `agree` has the
  // same meaning as in Uniformity, for the threads of a warp.
  NonExitedThreads(const Cfg& cfg, const Liveness& liveness,
                   const Uniformity::InstructionSet& agree);

  // All of them execute the block equally often, and none has ended by then.
  bool allExecute(BlockId block) const { return all_.test(block); }

 private:
  void find(const Cfg& cfg, const Liveness& liveness, const Uniformity::InstructionSet& agree,
            const Uniformity::InstructionSet& broadcasts = {});

  BitSet all_;
};

}  // namespace ptxopt::analysis
