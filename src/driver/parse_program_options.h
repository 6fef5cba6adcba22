// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every program does with a wrong command line, and with --help and --version.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>

namespace ptxopt::driver {

// The exit status if there is nothing more to do: 0 after --help and --version, 1 after a mistake,
// of which one line "NAME: what" and a hint go to standard error.
std::optional<int> parseProgramOptions(CLI::App& app, int argc, const char* const* argv);

}  // namespace ptxopt::driver
