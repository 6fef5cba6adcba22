// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of ptxrun.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interp/machine.h"

namespace ptxopt::ptxrun {

struct Options {
  std::vector<std::string> files;
  bool compares = false;
  bool ownsVariables = false;
  bool guesses = false;
  bool dumps = false;
  bool asJson = false;
  bool ignoresRaces = false;
  std::string kernel;
  std::string grid;
  std::string block;
  std::string cluster;
  std::vector<std::string> arguments;
  std::vector<std::string> buffers;     // NAME=VALUE
  std::vector<std::string> variables;   // NAME=VALUE
  std::string scenario;                 // a file
  std::vector<std::string> tolerances;  // TYPE:TOLERANCE
  std::vector<std::string> ignored;     // KIND[:FILE]
  std::vector<std::string> printed;     // NAME[:TYPE[:COUNT]]
  std::vector<std::string> saved;       // NAME:FILE
  std::vector<std::string> expected;    // NAME:FILE[:TOLERANCE[:TYPE]]
  bool lists = false;
  std::uint64_t shared = 0;
  std::uint32_t schedules = 1;
  std::string policy;
  std::string facts;  // a file
  std::string sarif;  // a file, or "-"; empty: none
  interp::MachineOptions machine;
};

// What a user can mend.
struct BadInput {
  std::string message;
  std::string_view prefix = "ptxrun: ";  // empty: the message contains its position
};

void declareOptions(CLI::App& app, Options& options);

}  // namespace ptxopt::ptxrun
