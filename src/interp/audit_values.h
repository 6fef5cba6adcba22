// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks claims about the values that the threads of one CTA have at a place: uniform,
// warp-uniform, stable, one-number.  Claims about a single thread are checked in auditor.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "interp/audit_report.h"
#include "interp/lockstep.h"

namespace ptxopt::interp {

class AuditValues {
 public:
  // Records the value of a thread at the place of the claim.  Returns a thread (possibly the same)
  // with another value; null if there is none.  O(1).
  struct Other {
    std::uint32_t thread = 0;
    std::uint64_t number = 0;
  };
  std::optional<Other> uniform(ClaimId claim, std::uint32_t thread, std::uint64_t number,
                               const std::vector<bool>& ended);
  std::optional<Other> warpUniform(ClaimId claim, std::uint32_t thread, std::uint64_t number,
                                   const std::vector<bool>& ended);
  std::optional<Other> stable(ClaimId claim, std::uint32_t thread, std::uint64_t number,
                              std::size_t threads);
  std::optional<Other> oneNumber(ClaimId claim, std::uint32_t thread, std::uint64_t number);

 private:
  struct Numbers {
    std::vector<std::uint64_t> of;  // by thread
    std::vector<bool> isKnown;
  };
  std::unordered_map<ClaimId, Lockstep> visits_;
  std::unordered_map<ClaimId, std::vector<Lockstep>> visitsOfWarps_;
  std::unordered_map<ClaimId, Numbers> numbers_;
  std::unordered_map<ClaimId, Other> first_;
};

}  // namespace ptxopt::interp
