// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the behaviour of a rewritten module with that of the original.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interp/launch.h"

namespace ptxopt::interp {

// The results of several schedules of one launch.
struct Survey {
  std::set<std::uint64_t> outcomes;  // checksums of the runs that completed
  std::vector<Outcome> distinct;     // the first run of each checksum
  std::vector<Finding> findings;     // each once, over all runs
  std::uint32_t runs = 0;
  std::uint64_t steps = 0;
  bool readsUndefined = false;  // some run does
  AuditCounts audit;            // of the claims, if some are checked
  bool has(FindingKind kind) const;
};
std::optional<Survey> survey(const ir::Module& module, const Scenario& scenario,
                             const MachineOptions& options, std::uint32_t schedules,
                             std::string& error);
// Claims in the options are checked in each run; each false claim is reported once.
std::optional<Survey> survey(const ir::Module& module, const Launch& launch,
                             const MachineOptions& options, std::uint32_t schedules,
                             std::string& error);

enum class Verdict : std::uint8_t { Same, Different, Inconclusive };
struct Comparison {
  Verdict verdict = Verdict::Same;
  std::string reason;
};
// How far elements of a type may be from each other.
using Tolerances = std::map<isa::Type, double>;
// "f32:1e-5"; none if it is no such text.
std::optional<std::pair<isa::Type, double>> parseTolerance(std::string_view text);
// The tolerance is absolute up to 1 and relative to `expected` above; two NaN are close.
bool isClose(double actual, double expected, double tolerance);

// Finds them different if b has a race, a deadlock or a fault that a does not have.  Outcomes are
// compared only if a has no race and exactly one outcome.  Otherwise, and if one of them cannot run
// to its end, the result is inconclusive.  Elements of these types that are close to those of the
// first outcome of a count as equal, where the type is known: by the text of a buffer.
Comparison compare(const Survey& a, const Survey& b, const Tolerances& tolerances = {});

}  // namespace ptxopt::interp
