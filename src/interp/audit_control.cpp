// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/audit_control.h"

#include <algorithm>

namespace ptxopt::interp {

std::optional<AuditControl::Other> AuditControl::come(Order order, ClaimId claim,
                                                      std::uint32_t thread,
                                                      const std::vector<bool>& ended) {
  const Lockstep::Entry* other =
      orders_[static_cast<std::size_t>(order)].add(ThreadGroup::cta(ended), thread, claim);
  if (other == nullptr) return std::nullopt;
  return Other{other->thread, static_cast<ClaimId>(other->number)};
}

std::optional<std::uint32_t> AuditControl::countVisit(ClaimId claim, std::uint32_t thread,
                                                      const std::vector<bool>& ended) {
  Visits& visits = visits_[claim];
  visits.of.resize(ended.size());
  if (++visits.of[thread] <= visits.most) return std::nullopt;
  visits.most = visits.of[thread];
  const auto gone = std::find(ended.begin(), ended.end(), true);
  if (gone == ended.end()) return std::nullopt;
  return static_cast<std::uint32_t>(gone - ended.begin());
}

std::vector<AuditControl::Difference> AuditControl::differences() const {
  std::vector<Difference> found;
  for (const auto& [claim, visits] : visits_) {
    const auto [least, most] = std::minmax_element(visits.of.begin(), visits.of.end());
    if (*least == *most) continue;
    const auto numberOf = [first = visits.of.begin()](auto at) {
      return static_cast<std::uint32_t>(at - first);
    };
    found.push_back({claim, {numberOf(least), numberOf(most)}, {*least, *most}});
  }
  return found;
}

}  // namespace ptxopt::interp
