// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold for a kernel and everything that the passes make of it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "driver/driver.h"
#include "interp/launch.h"
#include "interp/scheduler.h"
#include "passes/engine/pass.h"

namespace ptxopt::fuzz {

struct CheckOptions {
  std::uint32_t schedules = 7;                              // of every run: each policy once
  interp::Policy firstPolicy = interp::Policy::RoundRobin;  // the others follow in their order
  std::vector<std::string> pipelines;
  bool reprints = true;  // what is printed again without a pass is compared, too
  std::uint64_t stepLimit = 5'000'000;
  // What analyses and passes believe of the kernel is checked while it runs (docs/facts.md), under
  // so many schedules.
  std::uint32_t auditSchedules = 2;
  // That passes may make: kernels, and words of analysis::AssumptionTable.
  std::vector<std::pair<std::string, std::string>> assumptions;
  // A pipeline stops after so many changes: what is made until then must be right as well.
  std::uint64_t changeLimit = passes::ChangeBudget::kUnlimited;
  // Nothing is asked of the passes where the original is inconclusive, or reads what nobody wrote.
  bool onlyClear = false;
};

// Every pass of the registry by itself, with every value of each of its options that takes one of a
// few words, and the pipelines of the -O levels.
std::vector<std::string> allPipelines();

enum class Outcome : std::uint8_t { Same, Inconclusive, Failed };
struct CheckResult {
  Outcome outcome = Outcome::Same;
  // Of a failure "parse", "verify", "reprint", "run", "facts", or the pipeline; of an inconclusive
  // result why.
  std::string where;
  std::string detail;
  std::string output;                                        // the text that failed
  std::vector<std::pair<std::string, std::string>> changed;  // pipeline and text, each text once
  std::set<std::string> changedBy;                           // all pipelines that changed anything
  std::uint64_t barriersBefore = 0;
  std::uint64_t barriersAfter = 0;  // by the last pipeline
  std::uint64_t steps = 0;          // thread-instructions interpreted
  std::uint64_t claims = 0;         // that were checked
};
// `text` says how it is launched.  `name` is for messages.
CheckResult check(const std::string& name, const std::string& text, const CheckOptions& options);

// `pipeline` with the assumptions, and with remarks.  Throws std::invalid_argument for words that
// are none.
driver::OptimizeResult optimize(const std::string& name, const std::string& text,
                                const std::string& pipeline, const CheckOptions& options);

// Which of the texts does the comparison tell from the first one?  Throws std::runtime_error for a
// text that cannot be run.
std::vector<bool> tellsApart(const std::string& name, const std::string& first,
                             const std::vector<std::string>& others, const CheckOptions& options);

// The same of one other launch than the described one; all false where the first text is not right
// under it (a race, several outcomes, a fault), or cannot be launched so.  Where `isOpen` is false,
// nothing is asked.
std::vector<bool> tellsApartUnder(const interp::Launch& launch, const std::string& name,
                                  const std::string& first, const std::vector<std::string>& others,
                                  const std::vector<bool>& isOpen, const CheckOptions& options);

}  // namespace ptxopt::fuzz
