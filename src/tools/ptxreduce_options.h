// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of ptxreduce.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace ptxopt::ptxreduce {

struct Options {
  std::string input;
  std::string output;
  std::vector<std::string> command;
  unsigned seconds = 60;
  bool sameFinding = false;
  unsigned findingLine = 0;  // 0: the first finding
  bool keepsLines = false;
  bool verbose = false;
};

void declareOptions(CLI::App& app, Options& options);

}  // namespace ptxopt::ptxreduce
