// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of ptxopt: reads every input, optimizes it, and writes the requested outputs.
#pragma once

#include "driver/options.h"

namespace ptxopt::driver {

// Inputs are processed in parallel, but output appears in the order of the inputs, whatever the
// number of threads.  At most one result for each thread is in memory.
ExitStatus runBatch(const Options& options);

}  // namespace ptxopt::driver
