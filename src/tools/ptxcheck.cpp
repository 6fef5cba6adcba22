// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ptxcheck: races and wrong barriers in PTX kernels.  See src/check/command_options.cpp for the
// command line.
#include "check/command.h"
#include "driver/files.h"
#include "driver/options.h"
#include "tools/program.h"

PTXOPT_MAIN(ptxcheck)(int argc, char** argv) {
  using namespace ptxopt;
  driver::fillStandardStreams();
  driver::cleanUpOnSignals(
      "ptxcheck: internal fault; please report this with the input at the project's issue "
      "tracker\n",
      driver::kInternalFault);
  return check::runCommand(argc, argv);
}
