// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread has to wait for besides its copies.  Internal to Machine.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/race.h"

namespace ptxopt::interp {

// What reads the tensor maps of copies to shared memory.  Whoever sees such a copy complete knows
// of its read, and the thread itself after a wait for the bulk group that was open then.
struct MapReads {
  struct Group {
    std::uint32_t clock = 0;  // of the last read
    bool committed = false;
    std::uint32_t group = 0;
  };
  AgentId agent = 0;  // 0 before the first
  std::uint32_t clock = 0;
  std::vector<Group> groups;  // the oldest first
};

// cp.async.mbarrier.arrive: an arrival that happens when the copies up to `clock` have landed.
struct TrackedArrival {
  std::uint32_t clock = 0;
  std::uint64_t offset = 0;
};

}  // namespace ptxopt::interp
