// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses to a location, as the race detector remembers them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "interp/race.h"

namespace ptxopt::interp {

// The number of an instruction in its program.
using Site = std::uint32_t;

struct Access {
  AgentId agent = 0;  // the agent under which the access is recorded
  std::uint32_t clock = 0;
  Site site = 0;
  bool writes = false;
  bool isStrong = false;
  bool isAtomic = false;  // reads and writes at once
  isa::Scope scope = isa::Scope::None;
  // The bytes of each of its memory operations (A4.6).  0: by another proxy, so no other access
  // is morally strong with it.
  std::uint32_t element = 0;
  // Of a strong access: the operation that touches the location.
  std::uint16_t operation = 0;
  Proxy proxy = Proxy::Generic;
};

// The size of a memory operation, and where it begins modulo 256: operations that overlap are to
// the same bytes if they are equal in this.  0: of a size that is not known.
inline std::uint16_t operationOf(std::uint32_t element, std::uint64_t begin) {
  return element == 0 ? 0 : static_cast<std::uint16_t>(element << 8 | (begin & 0xff));
}

// One access.
struct Record {
  AgentId agent = 0;
  std::uint32_t clock = 0;  // 0: none
  Site site = 0;
};

// Accesses of lanes of one warp at one clock.
struct LaneGroup {
  std::uint32_t warp = 0;
  std::uint32_t clock = 0;
  std::uint32_t mask = 0;
  Site site = 0;
  isa::Scope scope = isa::Scope::None;
  std::uint16_t operation = 0;
};

class Groups {
 public:
  // A newer access of a lane replaces older ones by the same operation.
  void record(const Access& access) {
    if (mayHave(access.agent / 32)) return recordAgain(access);
    otherMask_ = 0;
    push(access);
  }
  // The same access of these lanes of its warp, one after the other; O(1) if none of them has
  // accesses with another clock.
  void record(const Access& access, std::uint32_t lanes);
  // The first one of which `view` does not know all.
  const LaneGroup* unknown(const ThreadClock& view) const;
  bool has(AgentId agent) const;
  // `view` knows one of them.
  bool knowsOne(const ThreadClock& view) const;
  const std::vector<LaneGroup>& list() const { return list_; }
  bool isEmpty() const { return list_.empty(); }
  void clear();

 private:
  bool mayHave(std::uint32_t warp) const { return warp < end_ && (warps_ >> warp % 64 & 1) != 0; }
  bool takes(const LaneGroup& group, const Access& access) const {
    return group.warp == access.agent / 32 && group.clock == access.clock &&
           group.scope == access.scope && group.operation == access.operation;
  }
  void push(const Access& access) {
    const std::uint32_t warp = access.agent / 32;
    last_ = static_cast<std::uint32_t>(list_.size());
    list_.push_back(
        {warp, access.clock, 1u << access.agent % 32, access.site, access.scope, access.operation});
    warps_ |= std::uint64_t{1} << warp % 64;
    end_ = std::max(end_, warp + 1);
  }
  void recordAgain(const Access& access);  // of a warp that may have a group

  std::vector<LaneGroup> list_;
  std::uint64_t warps_ = 0;      // a bit for each warp with a group, modulo 64
  std::uint32_t end_ = 0;        // after all warps with a group
  std::uint32_t last_ = 0;       // the group of the last access
  std::uint32_t otherMask_ = 0;  // of the other groups of that warp and operation
};

}  // namespace ptxopt::interp
