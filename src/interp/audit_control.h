// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims of where the threads of one CTA come: together, all-execute, leader; and the order in
// which they execute barriers that were judged.
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
  // The sequences of places of two kinds: where claims say `together`, and of barriers.
  enum class Order : std::uint8_t { Together, Barriers };
  // What another thread came to in this place of its sequence, where that is something else.
  struct Other {
    std::uint32_t thread = 0;
    ClaimId claim = 0;
  };
  std::optional<Other> come(Order order, ClaimId claim, std::uint32_t thread,
                            const std::vector<bool>& ended);

  // For `all-execute`.  Returns a thread that has ended, if this is the first that comes so often.
  std::optional<std::uint32_t> countVisit(ClaimId claim, std::uint32_t thread,
                                          const std::vector<bool>& ended);
  // Two threads of a CTA that has ended which came to one place so often each.
  struct Difference {
    ClaimId claim = 0;
    std::uint32_t threads[2] = {};
    std::uint32_t visits[2] = {};
  };
  std::vector<Difference> differences() const;

  // Who was the first of this warp that executed something with this mask.
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
