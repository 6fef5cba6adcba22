// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ptxopt: optimizes PTX.  See src/driver/options.cpp for the command line.
#include <exception>
#include <string>

#include "driver/batch.h"
#include "driver/files.h"
#include "driver/options.h"
#include "support/heap.h"
#include "tools/program.h"

PTXOPT_MAIN(ptxopt)(int argc, char** argv) {
  using namespace ptxopt::driver;
  fillStandardStreams();
  cleanUpOnSignals(
      "ptxopt: internal fault; please report this with the input at the project's issue tracker; "
      "input untouched\n",
      kInternalFault);
  ptxopt::keepFreedMemory();
  Options options;
  if (const auto status = parseCommandLine(argc, argv, options)) return *status;
  return runBatch(options);
}
