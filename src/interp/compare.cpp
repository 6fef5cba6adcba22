// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace ptxopt::interp {

namespace {

bool has(const std::vector<Finding>& findings, FindingKind kind) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const Finding& finding) { return finding.kind == kind; });
}

// The outcome with the elements of the reference in place of those that are close to them.
Outcome adjusted(Outcome outcome, const Outcome& reference, const Tolerances& tolerances) {
  for (NamedBytes& object : outcome.memory) {
    const NamedBytes* const wanted = findObject(reference, object.name);
    const auto tolerance = tolerances.find(object.type);
    if (wanted == nullptr || tolerance == tolerances.end()) continue;
    if (wanted->bytes.size() != object.bytes.size()) continue;
    const auto size = static_cast<std::size_t>(isa::bitWidth(object.type)) / 8;
    const std::vector<std::uint64_t> is = elementsOf(object.bytes, object.type);
    const std::vector<std::uint64_t> must = elementsOf(wanted->bytes, object.type);
    for (std::size_t k = 0; k < is.size(); ++k) {
      const bool isNear = isClose(elementValue(object.type, is[k]),
                                  elementValue(object.type, must[k]), tolerance->second);
      if (isNear)
        std::copy_n(wanted->bytes.data() + k * size, size, object.bytes.data() + k * size);
    }
  }
  return outcome;
}

struct Results {
  std::set<std::uint64_t> checksums;
  std::vector<Outcome> distinct;
};
Results resultsOf(const Survey& survey, const Survey& reference, const Tolerances& tolerances) {
  Results results;
  for (const Outcome& outcome : survey.distinct) {
    Outcome result = tolerances.empty() || reference.distinct.empty()
                         ? outcome
                         : adjusted(outcome, reference.distinct.front(), tolerances);
    if (results.checksums.insert(result.checksum()).second) {
      results.distinct.push_back(std::move(result));
    }
  }
  return results;
}

// `a` has at most one.
std::string differenceOf(const Results& a, const Results& b) {
  for (const Outcome& outcome : b.distinct) {
    if (a.distinct.empty() || a.checksums.contains(outcome.checksum())) continue;
    return difference(a.distinct.front(), outcome);
  }
  return "the results differ";
}

}  // namespace

std::optional<std::pair<isa::Type, double>> parseTolerance(std::string_view text) {
  const std::vector<std::string_view> words = split(text, ':');
  if (words.size() != 2) return std::nullopt;
  const auto type = parseElementType(words[0]);
  const auto tolerance = parseReal(words[1]);
  if (!type || isa::bitWidth(*type) < 8 || !tolerance || !(*tolerance >= 0)) return std::nullopt;
  return std::pair{*type, *tolerance};
}

bool isClose(double actual, double expected, double tolerance) {
  if (std::isinf(expected)) return actual == expected;  // else all would be close to it
  return std::fabs(actual - expected) <= tolerance * std::max(1.0, std::fabs(expected)) ||
         (std::isnan(actual) && std::isnan(expected));
}

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

Comparison compare(const Survey& a, const Survey& b, const Tolerances& tolerances) {
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
  const Results first = resultsOf(a, a, tolerances);
  if (first.checksums.size() > 1) return {Verdict::Inconclusive, "the first has several outcomes"};
  for (const Finding& finding : a.findings) {
    if (isFault(finding.kind)) {
      return {Verdict::Inconclusive, "the first ends with " + std::string(spelling(finding.kind))};
    }
  }
  const Results second = resultsOf(b, a, tolerances);
  if (first.checksums != second.checksums) {
    return {Verdict::Different, differenceOf(first, second)};
  }
  return {};
}

}  // namespace ptxopt::interp
