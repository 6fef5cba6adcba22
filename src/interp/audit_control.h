// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks claims about the blocks that the threads of one CTA reach: together, all-execute, leader;
// and the order in which they execute barriers that are candidates.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/audit_report.h"
#include "interp/lockstep.h"

namespace ptxopt::interp {

class AuditControl {
 public:
  // Two kinds of sequences of places: the ones with `together` claims, and the barriers.
  enum class Order : std::uint8_t { Together, Barriers };
  // The entry of another thread at the same position of its sequence, if it differs.
  struct Other {
    std::uint32_t thread = 0;
    ClaimId claim = 0;
  };
  std::optional<Other> come(Order order, ClaimId claim, std::uint32_t thread,
                            const std::vector<bool>& ended);

  // For `all-execute`.  If this is the first thread with this number of visits, returns a thread
  // that has ended.
  std::optional<std::uint32_t> countVisit(ClaimId claim, std::uint32_t thread,
                                          const std::vector<bool>& ended);
  // For a CTA that has ended: two threads that reached one place a different number of times.
  struct Difference {
    ClaimId claim = 0;
    std::uint32_t threads[2] = {};
    std::uint32_t visits[2] = {};
  };
  std::vector<Difference> differences() const;

  // The first thread of this warp that executed an election with this mask.
  std::uint32_t leader(std::uint32_t mask, std::uint32_t thread) {
    return leaders_.try_emplace({thread / 32, mask}, thread).first->second;
  }

 private:
  struct Visits {
    std::vector<std::uint32_t> of;  // by thread
    std::uint32_t most = 0;
  };
  Lockstep orders_[2];
  std::unordered_map<ClaimId, Visits> visits_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> leaders_;  // by warp and mask
};

}  // namespace ptxopt::interp
