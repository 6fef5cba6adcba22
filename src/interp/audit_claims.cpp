// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/audit_claims.h"

namespace ptxopt::interp {

namespace {

template <class... Kinds>
bool isOneOf(const facts::Claim& claim) {
  return (std::holds_alternative<Kinds>(claim.what) || ...);
}

}  // namespace

AuditClaims::AuditClaims(const std::vector<facts::Claim>& claims) : claims_(&claims) {
  for (ClaimId id = 0; id < claims.size(); ++id) {
    const facts::Claim& claim = claims[id];
    byFunction_[claim.function].push_back(id);
    if (const auto* disjoint = std::get_if<facts::Disjoint>(&claim.what)) {
      pairs_.push_back({id, addSite(disjoint->address), addSite(disjoint->other)});
    }
    const bool needsTransfers = isOneOf<facts::DeadStore, facts::Unread>(claim);
    watchesTransfers_ = watchesTransfers_ || needsTransfers;
    watchesAllAccesses_ = watchesAllAccesses_ || needsTransfers ||
                          isOneOf<facts::OwnBytes, facts::Barrier, facts::PureFunction>(claim);
  }
}

const std::vector<ClaimId>& AuditClaims::of(std::string_view function) const {
  static const std::vector<ClaimId> kNone;
  const auto found = byFunction_.find(function);
  return found == byFunction_.end() ? kNone : found->second;
}

std::optional<std::uint32_t> AuditClaims::siteOf(facts::Place at, std::uint32_t operand) const {
  const auto found = sites_.find({at, operand});
  if (found == sites_.end()) return std::nullopt;
  return found->second;
}

std::uint32_t AuditClaims::addSite(const facts::AddressOperand& address) {
  const auto next = static_cast<std::uint32_t>(sites_.size());
  return sites_.try_emplace({address.at, address.number}, next).first->second;
}

}  // namespace ptxopt::interp
