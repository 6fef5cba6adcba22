// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores that others may see too late, because no fence or wait comes after them.
//
//   - A weak store, and then a flag: a store or an atomic operation that is strong but does not
//     release.  Somewhere a thread reads the flag, and then weakly what was stored.  Without a
//     fence between store and flag, or between flag and load, it may read what was there before
//     (PTX manual, "Memory Consistency Model").  So do blocks of which the last one adds up what
//     all have stored.
//   - A weak store to shared memory, and then a bulk copy from there.  Copies are of the async
//     proxy: without fence.proxy.async they may not see the store.
//   - cp.async, and then a load of what it copies, without a wait; or a barrier without a wait
//     before, and a load after it: it waits for the threads and not for their copies.
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
  // Of FlagRead the load, of all others the store or cp.async.
  const ir::Instruction* store = nullptr;
  // Of Flag what sets the flag, of FlagRead what reads it; the bulk copy; of Wait the load.
  const ir::Instruction* then = nullptr;
  // Of Flag the load, of FlagRead the store that it may miss; else null.
  const ir::Instruction* read = nullptr;
};

// Of one function.  At most one for each flag and copy.
std::vector<MissingFence> findMissingFences(const Cfg& cfg, const Addresses& addresses);

}  // namespace ptxopt::analysis
