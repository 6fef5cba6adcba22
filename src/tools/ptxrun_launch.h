// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ptxrun is to launch: what the file, a scenario and the command line say.
#pragma once

#include <string>
#include <vector>

#include "interp/launch.h"
#include "ir/module.h"
#include "tools/ptxrun_options.h"

namespace ptxopt::ptxrun {

// One launch, or the launches of a scenario.
struct Job {
  std::string kernel;  // of a launch
  interp::Scenario scenario;
};

// In order.  Several where the file describes several launches and the command line selects none.
// Throws BadInput.  With `like`, arguments are guessed from its kernel: what a rewriter has changed
// would be guessed otherwise, and two modules could not be compared.
std::vector<Job> jobsOf(const ir::Module& module, const Options& options,
                        const ir::Module* like = nullptr);

// Prints the kernels, their parameters, shared memory and bounds of launches.
void printList(const ir::Module& module, bool asJson);

}  // namespace ptxopt::ptxrun
