// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ptxopt: optimizes PTX.  See src/driver/options.cpp for the command line.
#include <algorithm>
#include <string_view>
#include <vector>

#include "check/command.h"
#include "driver/batch.h"
#include "driver/files.h"
#include "driver/options.h"
#include "support/heap.h"
#include "tools/program.h"

// Instead of all else: driver/declared_options.cpp has it for --help.
constexpr std::string_view kCheckRaces = "--check-races";

PTXOPT_MAIN(ptxopt)(int argc, char** argv) {
  using namespace ptxopt::driver;
  fillStandardStreams();
  cleanUpOnSignals(
      "ptxopt: internal fault; please report this with the input at the project's issue tracker; "
      "input untouched\n",
      kInternalFault);
  ptxopt::keepFreedMemory();
  std::vector<const char*> arguments(argv, argv + argc);
  if (std::erase(arguments, kCheckRaces) != 0) {
    return ptxopt::check::runCommand(static_cast<int>(arguments.size()), arguments.data());
  }
  Options options;
  if (const auto status = parseCommandLine(argc, argv, options)) return *status;
  return runBatch(options);
}
