// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters and times of a run: --stats, --time-passes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/driver.h"

namespace ptxopt::driver {

// A function with a body.
struct FunctionStatistics {
  std::string name;
  bool isKernel = false;
  CodeCounts before;
  std::optional<CodeCounts> after;  // none if it has gone
};

struct FileStatistics {
  std::string file;
  bool ok = false;
  bool changed = false;
  CodeCounts before;
  CodeCounts after;
  std::vector<FunctionStatistics> functions;                           // in the order of the text
  std::map<std::string, std::map<std::string, std::uint64_t>> passes;  // pass -> counter -> n
  std::vector<passes::PassTime> phases;
  std::vector<passes::PassTime> passTimes;
};

FileStatistics statisticsOf(const std::string& file, const OptimizeResult& result);

// The sums over all files, as a table, with the limits that were met (support/limits.h).
std::string statisticsTable(const std::vector<FileStatistics>& files);

// {"files": [{"file", "ok", "changed", "before": {"instructions", "barriers"}, "after": {...},
//   "passes": {"basic-dbe": {...}}, "functions": [{"name", "kernel", "before", "after": null if it
//   has gone}, ...]}, ...], "total": {"changed", "before", "after", "passes", and
//   "limits": {"form-terms": 3, ...}: those that were met, and how often}}
std::string statisticsJson(const std::vector<FileStatistics>& files);

// Wall-clock time by phase and by pass, summed over all files.
std::string timeTable(const std::vector<FileStatistics>& files);

}  // namespace ptxopt::driver
