// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of ptxopt, declared for CLI11: their names, help and ranges.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/options.h"
#include "passes/engine/pass.h"

namespace CLI {
class Option;
}

namespace ptxopt::driver {

// Options that are translated before the rest of the tool sees them.
struct RawOptions {
  std::optional<int> level;
  std::optional<std::string> passes;
  std::int64_t changeLimit = -1;
  std::string retarget;
  bool lenientRetarget = false;
  std::string statistics;
  std::string needs;
  std::vector<std::string> keepBarriers;
  std::string hostSymbols;
  std::string assume;
  std::map<std::string, bool> assumptions;  // by the name of the flag
  std::vector<std::string> blockDims;
  std::string assumptionFile;
  std::string launchFile;
  std::map<const passes::PassInfo*, int> runFlags;  // PassInfo::runFlag
  // From flags of passes: options to add to the pipeline.
  std::map<const passes::PassInfo*, passes::PassOptions> passOptions;
  bool listPasses = false;
  bool quiet = false;
  bool verbose = false;
};

void declareOptions(CLI::App& app, Options& options, RawOptions& raw);

// An option that says what to do to a text, and not which texts or what to print of it.
bool isFlagOfAStandIn(const CLI::Option& option);

}  // namespace ptxopt::driver
