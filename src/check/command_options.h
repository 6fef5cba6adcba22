// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of ptxcheck.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace ptxopt::check {

struct CommandOptions {
  std::vector<std::string> files;
  std::vector<std::string> kernels;
  std::string block;
  std::string shared;
  bool noRuns = false;
  bool onlyCertain = false;
  bool wantsAll = false;
  bool showsRuns = false;
  bool asJson = false;
  std::string sarif;
  std::string baseline;
  std::string newBaseline;
};

// `options` must live as long as `app`.
void declareOptions(CLI::App& app, CommandOptions& options);

}  // namespace ptxopt::check
