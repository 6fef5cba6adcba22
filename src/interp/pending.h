// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread or a CTA has to wait for besides copies.  Internal to Machine.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "interp/race.h"

namespace ptxopt::interp {

struct Op;

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

// Agent and clock of the last tensormap.cp_fenceproxy to an address, by the thread for which the
// agent acts.
using MapWrites = std::map<std::pair<std::uint64_t, AgentId>, std::pair<AgentId, std::uint32_t>>;

// The last asynchronous operations on the shared memory of a CTA, by the agent that reads or writes
// for them.  Some thread of the CTA must know of each before the CTA ends.
struct BulkUse {
  const Op* op = nullptr;
  AgentId issuer = 0;
  std::uint32_t clock = 0;
  bool writes = false;
};
using BulkUses = std::map<AgentId, BulkUse>;

// cp.async.mbarrier.arrive: an arrival that happens when the copies up to `clock` have landed.
struct TrackedArrival {
  std::uint32_t clock = 0;
  std::uint64_t offset = 0;
};

}  // namespace ptxopt::interp
