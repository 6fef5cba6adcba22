// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of --launch (docs/launches.md).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "passes/specialize/launch_facts.h"
#include "support/source.h"

namespace ptxopt::driver {

struct LaunchFileError : std::runtime_error {
  LaunchFileError(Offset where, const std::string& message)
      : std::runtime_error(message), offset(where) {}
  Offset offset;  // in the text
};

// The file has lines of assumptions, as one of --assumptions has.
bool isInLines(std::string_view text);

// Of a file in JSON.  Throws LaunchFileError.
std::vector<passes::KernelFacts> parseLaunchFacts(std::string_view text);

}  // namespace ptxopt::driver
