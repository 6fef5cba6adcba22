// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores that a later load may miss, because no fence or wait is between the two.
//
//   - A weak store, and then a flag: a store or an atomic operation that is strong but does not
//     release.  Somewhere a thread reads the flag, and then loads, weakly, what was stored.
//     Without a fence between store and flag, or between flag and load, it may load the old value
//     (PTX manual, "Memory Consistency Model").  The usual example is a grid whose last block adds
//     up what all blocks have stored.
//   - A weak store to shared memory, and then a bulk copy from there.  The copy is performed in the
//     async proxy: without fence.proxy.async it may not see the store.
//   - cp.async, and then a load of the bytes that it writes, without a wait.  A barrier does not
//     help: it waits for threads, not for their copies.
//
// Cost: O(flags and copies * instructions), Limit::FenceVisits at most.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/addresses/address.h"
#include "analysis/flow/cfg.h"

namespace ptxopt::analysis {

struct MissingFence {
  enum class Kind : std::uint8_t { Flag, FlagRead, AsyncProxy, Wait };
  Kind kind = Kind::Flag;
  const ir::Instruction* store = nullptr;  // or the cp.async
  const ir::Instruction* flag = nullptr;   // what sets it; of FlagRead what reads it; else null
  const ir::Instruction* load = nullptr;   // that may miss the store; or the bulk copy
};

struct MissingFences {
  std::vector<MissingFence> all;
  bool isLimitMet = false;  // not all flags and copies were looked at
};

// Of one function.  At most one for each flag and copy.
MissingFences findMissingFences(const Cfg& cfg, const Addresses& addresses);

}  // namespace ptxopt::analysis
