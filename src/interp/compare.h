// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does a rewritten module do what the original does?
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "interp/launch.h"

namespace ptxopt::interp {

// What several schedules of one launch gave.
struct Survey {
  std::set<std::uint64_t> outcomes;  // checksums of the runs that completed
  std::vector<Outcome> distinct;     // the first run of each checksum
  std::vector<Finding> findings;     // each once, over all runs
  std::uint32_t runs = 0;
  std::uint64_t steps = 0;
  AuditCounts audit;  // of the claims, where some are checked
  bool has(FindingKind kind) const;
};
// Claims in the options are checked in each run; one that is false is found once.
std::optional<Survey> survey(const ir::Module& module, const Launch& launch,
                             const MachineOptions& options, std::uint32_t schedules,
                             std::string& error);

enum class Verdict : std::uint8_t { Same, Different, Inconclusive };
struct Comparison {
  Verdict verdict = Verdict::Same;
  std::string reason;
};
// A race, a deadlock or a fault in b that a lacks makes them different.  Outcomes are compared only
// where a has no race and gave one outcome; otherwise, and where one of them cannot be run to its
// end, the comparison is inconclusive.
Comparison compare(const Survey& a, const Survey& b);

}  // namespace ptxopt::interp
