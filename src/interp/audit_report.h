// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State that the parts of the auditor share: the claims, names of threads, and the results.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "interp/audit_claims.h"
#include "interp/report.h"
#include "ir/module.h"

namespace ptxopt::interp {

// The results for the claims in one run, or in several.
struct AuditCounts {
  std::vector<std::uint64_t> checks;  // by claim: how often it was tested
  std::vector<bool> isFalse;          // by claim

  void add(const AuditCounts& other);
};

class AuditReport {
 public:
  // The name of the thread with this number in the CTA with this number.
  using Namer = std::function<ThreadName(std::uint64_t cta, std::uint32_t thread)>;
  AuditReport(const ir::Module& module, const AuditClaims& claims, std::uint32_t threadsPerCta,
              Namer namer);

  const AuditClaims& claims() const { return *claims_; }
  std::uint32_t threadsPerCta() const { return threadsPerCta_; }

  void count(ClaimId claim) { ++counts_.checks[claim]; }
  bool isFalse(ClaimId claim) const { return counts_.isFalse[claim]; }
  // Reports a claim once: "CLAIM; MESSAGE".
  void add(ClaimId claim, const ir::Instruction* place, const std::string& message,
           const ir::Instruction* other = nullptr, std::string otherMessage = {});

  std::string threadText(std::uint64_t cta, std::uint32_t thread) const {
    return describe(namer_(cta, thread));
  }
  // The instruction that starts at this place, or null.  The first call costs O(statements).
  const ir::Instruction* instructionAt(facts::Place place) const;

  const AuditCounts& counts() const { return counts_; }
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  const ir::Module* module_;
  const AuditClaims* claims_;
  std::uint32_t threadsPerCta_;
  Namer namer_;
  AuditCounts counts_;
  std::vector<Finding> findings_;
  mutable std::unordered_map<facts::Place, const ir::Instruction*> instructions_;
};

// "5" or, for a number with the sign bit set, "4294967291 (-5)".
std::string numberText(std::uint64_t number, unsigned bits);

}  // namespace ptxopt::interp
