// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/audit_values.h"

namespace ptxopt::interp {

std::optional<AuditValues::Other> AuditValues::uniform(ClaimId claim, std::uint32_t thread,
                                                       std::uint64_t number,
                                                       const std::vector<bool>& ended) {
  const Lockstep::Entry* other = visits_[claim].add(ThreadGroup::cta(ended), thread, number);
  if (other == nullptr) return std::nullopt;
  return Other{other->thread, other->number};
}

std::optional<AuditValues::Other> AuditValues::warpUniform(ClaimId claim, std::uint32_t thread,
                                                           std::uint64_t number,
                                                           const std::vector<bool>& ended) {
  std::vector<Lockstep>& warps = visitsOfWarps_[claim];
  const std::uint32_t warp = thread / 32;
  if (warps.size() <= warp) warps.resize(warp + 1);
  const Lockstep::Entry* other =
      warps[warp].add(ThreadGroup::warpOf(thread, ended), thread, number);
  if (other == nullptr) return std::nullopt;
  return Other{other->thread, other->number};
}

std::optional<AuditValues::Other> AuditValues::stable(ClaimId claim, std::uint32_t thread,
                                                      std::uint64_t number, std::size_t threads) {
  Numbers& numbers = numbers_[claim];
  if (numbers.of.empty()) {
    numbers.of.resize(threads);
    numbers.isKnown.resize(threads);
  }
  if (numbers.isKnown[thread] && numbers.of[thread] != number) {
    return Other{thread, numbers.of[thread]};
  }
  numbers.isKnown[thread] = true;
  numbers.of[thread] = number;
  return std::nullopt;
}

std::optional<AuditValues::Other> AuditValues::oneNumber(ClaimId claim, std::uint32_t thread,
                                                         std::uint64_t number) {
  const Other& first = first_.try_emplace(claim, Other{thread, number}).first->second;
  if (first.number == number) return std::nullopt;
  return first;
}

}  // namespace ptxopt::interp
