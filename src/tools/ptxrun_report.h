// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ptxrun prints about a launch: as text, or as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "interp/compare.h"
#include "ir/module.h"
#include "tools/ptxrun_launch.h"
#include "tools/ptxrun_options.h"

namespace ptxopt::ptxrun {

// The results of checking claims.
struct FactCounts {
  std::size_t claims = 0;
  std::uint64_t checks = 0;
  std::size_t wrong = 0;
  std::size_t unreached = 0;

  explicit FactCounts(const interp::AuditCounts& counts);
  nlohmann::json json() const;
  void print() const;
};

// What --expect and the scenario expect and the memory does not hold, a message for each.  Throws
// BadInput.
std::vector<std::string> unexpected(const Job& job, const interp::Survey& result,
                                    const Options& options);
nlohmann::json toJson(const ir::Module& module, const interp::Survey& result,
                      const std::vector<std::string>& unexpected, bool hasFacts);
// Findings to standard error, then a summary, what the kernel printed, memory, and the checksums.
void print(const ir::Module& module, const Job& job, const interp::Survey& result,
           const std::vector<std::string>& unexpected, const Options& options);
// For --save.  Throws BadInput.
void save(const interp::Survey& result, const Options& options);
// Only the findings.
void printFindings(const ir::Module& module, const std::vector<interp::Finding>& findings);

}  // namespace ptxopt::ptxrun
