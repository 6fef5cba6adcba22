// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores that others may see too late, because no fence comes after them.
//
//   - A weak store, and then a flag: a store or an atomic operation that is strong but does not
//     release.  Somewhere a thread reads the flag, and then weakly what was stored.  Without a
//     fence between store and flag, it may read what was there before (PTX manual, "Memory
//     Consistency Model").  So do blocks of which the last one adds up what all have stored.
//   - A weak store to shared memory, and then a bulk copy from there.  Copies are of the async
//     proxy: without fence.proxy.async they may not see the store.
//
// Cost: O(flags and copies * instructions).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/addresses/address.h"
#include "analysis/flow/cfg.h"

namespace ptxopt::analysis {

struct MissingFence {
  enum class Kind : std::uint8_t { Flag, AsyncProxy };
  Kind kind = Kind::Flag;
  const ir::Instruction* store = nullptr;
  const ir::Instruction* then = nullptr;  // the flag or the copy
  const ir::Instruction* read = nullptr;  // of Flag: what may read the old bytes
};

// Of one function.  At most one for each flag and copy.
std::vector<MissingFence> findMissingFences(const Cfg& cfg, const Addresses& addresses);

}  // namespace ptxopt::analysis
