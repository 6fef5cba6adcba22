// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/compare.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ptxopt::interp {

namespace {

bool has(const std::vector<Finding>& findings, FindingKind kind) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const Finding& finding) { return finding.kind == kind; });
}

// `a` has at most one outcome.
std::string differenceOf(const Survey& a, const Survey& b) {
  for (const Outcome& outcome : b.distinct) {
    if (a.distinct.empty() || a.outcomes.contains(outcome.checksum())) continue;
    return difference(a.distinct.front(), outcome);
  }
  return "the results differ";
}

}  // namespace

bool Survey::has(FindingKind kind) const {
  return interp::has(findings, kind);
}

std::optional<Survey> survey(const ir::Module& module, const Launch& launch,
                             const MachineOptions& options, std::uint32_t schedules,
                             std::string& error) {
  return survey(module, scenarioOf(launch), options, schedules, error);
}

std::optional<Survey> survey(const ir::Module& module, const Scenario& scenario,
                             const MachineOptions& options, std::uint32_t schedules,
                             std::string& error) {
  Survey result;
  // A false claim is the same finding wherever it fails.
  using Key =
      std::tuple<FindingKind, std::uint32_t, const ir::Instruction*, const ir::Instruction*>;
  std::map<Key, std::size_t> seen;
  for (std::uint32_t k = 0; k < schedules; ++k) {
    auto outcome = run(module, scenario, schedule(options, k), error);
    if (!outcome) return std::nullopt;
    ++result.runs;
    result.steps += outcome->steps;
    result.readsUndefined = result.readsUndefined || outcome->readsUndefined;
    for (const Finding& finding : outcome->findings) {
      // The order of the two accesses of a race depends on the schedule.
      const auto [low, high] = std::minmax(finding.place, finding.other);
      const Key key = finding.kind == FindingKind::FalseFact
                          ? Key{finding.kind, finding.claim, nullptr, nullptr}
                          : Key{finding.kind, 0, low, high};
      const auto [at, isNew] = seen.try_emplace(key, result.findings.size());
      if (isNew) {
        result.findings.push_back(finding);
      } else {
        result.findings[at->second].threads.insert(finding.threads.begin(), finding.threads.end());
      }
    }
    if (options.claims != nullptr) result.audit.add(outcome->audit);
    if (outcome->completed && result.outcomes.insert(outcome->checksum()).second) {
      result.distinct.push_back(std::move(*outcome));
    }
  }
  return result;
}

Comparison compare(const Survey& a, const Survey& b) {
  using Kind = FindingKind;
  for (const Survey* side : {&a, &b}) {
    for (const Kind kind : {Kind::Unsupported, Kind::StepLimit}) {
      const bool bothLimits = kind == Kind::StepLimit && side == &b && !a.has(kind);
      if (side->has(kind) && !bothLimits) {
        return {Verdict::Inconclusive, std::string(spelling(kind))};
      }
    }
  }
  for (const Finding& finding : b.findings) {
    if (finding.kind == Kind::Uninitialised || a.has(finding.kind)) continue;
    return {Verdict::Different,
            "only the second has a finding of the kind " + std::string(spelling(finding.kind))};
  }
  if (a.has(Kind::DataRace)) return {Verdict::Inconclusive, "the first has a data race"};
  if (a.outcomes.size() > 1) return {Verdict::Inconclusive, "the first has several outcomes"};
  for (const Finding& finding : a.findings) {
    if (isFault(finding.kind)) {
      return {Verdict::Inconclusive, "the first ends with " + std::string(spelling(finding.kind))};
    }
  }
  if (a.outcomes != b.outcomes) return {Verdict::Different, differenceOf(a, b)};
  return {};
}

}  // namespace ptxopt::interp
