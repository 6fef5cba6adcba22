// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/audit_report.h"

#include "facts/claim_phrase.h"

namespace ptxopt::interp {

void AuditCounts::add(const AuditCounts& other) {
  checks.resize(other.checks.size());
  isFalse.resize(other.isFalse.size());
  for (std::size_t k = 0; k < checks.size(); ++k) {
    checks[k] += other.checks[k];
    if (other.isFalse[k]) isFalse[k] = true;
  }
}

AuditReport::AuditReport(const ir::Module& module, const AuditClaims& claims,
                         std::uint32_t threadsPerCta, Namer namer)
    : module_(&module),
      claims_(&claims),
      threadsPerCta_(threadsPerCta),
      namer_(std::move(namer)),
      counts_{std::vector<std::uint64_t>(claims.all().size()),
              std::vector<bool>(claims.all().size())} {}

void AuditReport::add(ClaimId claim, const ir::Instruction* place, const std::string& message,
                      const ir::Instruction* other, std::string otherMessage) {
  if (counts_.isFalse[claim]) return;
  counts_.isFalse[claim] = true;
  Finding finding;
  finding.kind = FindingKind::FalseFact;
  finding.place = place;
  finding.message = facts::phrase(*module_, claims_->all()[claim]) + "; " + message;
  finding.other = other;
  finding.otherMessage = std::move(otherMessage);
  finding.claim = claim;
  findings_.push_back(std::move(finding));
}

const ir::Instruction* AuditReport::instructionAt(facts::Place place) const {
  if (instructions_.empty()) {
    for (const ir::Function& function : module_->functions()) {
      for (const ir::Statement& statement : function.body()) {
        const auto* instruction = statement.as<ir::Instruction>();
        if (instruction != nullptr) instructions_[instruction->source.begin] = instruction;
      }
    }
  }
  const auto found = instructions_.find(place);
  return found == instructions_.end() ? nullptr : found->second;
}

std::string numberText(std::uint64_t number, unsigned bits) {
  const std::int64_t value = asSigned(number, bits);
  std::string text = std::to_string(number);
  if (value < 0 && bits > 1) text += " (" + std::to_string(value) + ")";
  return text;
}

}  // namespace ptxopt::interp
