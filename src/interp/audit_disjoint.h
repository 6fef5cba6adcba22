// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks claims that bytes are not shared within one CTA: `disjoint` for two address operands, and
// `own-bytes` for a variable.
//
// Cost: O(1) for each byte of an access that a claim names.  At the end of the CTA, O(pairs of
// operands that touched a byte) for each byte.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/audit_access.h"
#include "interp/audit_claims.h"
#include "interp/byte_map.h"

namespace ptxopt::interp {

class AuditDisjoint {
 public:
  void touch(std::uint32_t site, const AuditAccess& access);

  // Two agents that accessed a common byte.
  struct Meeting {
    AuditAgent agents[2];
    std::uint64_t address = 0;
  };
  // For a pair of sites in a claim: whether both were executed, and where they overlapped.
  struct Verdict {
    ClaimId claim = 0;
    std::optional<Meeting> meeting;
  };
  std::vector<Verdict> judge(const AuditClaims& claims) const;

  // For `own-bytes`.
  std::optional<Meeting> own(ClaimId claim, const AuditAccess& access);

 private:
  // The agents that accessed a byte at one site: enough to find two that differ, and all threads.
  struct Touch {
    std::uint32_t site = 0;
    AuditAgent first;
    std::optional<AuditAgent> second;     // another agent
    std::optional<AuditAgent> otherWarp;  // an agent of another warp than the first
    std::optional<AuditAgent> again;      // an agent that accessed it twice
    std::vector<std::uint64_t> threads;   // as bits; without warps

    void add(const AuditAgent& agent);
  };
  using Touches = std::vector<Touch>;

  static std::optional<std::pair<AuditAgent, AuditAgent>> meeting(const Touch& a, const Touch& b,
                                                                  facts::Threads threads);

  ByteMap<Touches> bytes_;
  std::vector<bool> executed_;  // by site
  std::unordered_map<ClaimId, ByteMap<std::optional<AuditAgent>>> owners_;
};

}  // namespace ptxopt::interp
