// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What would change in a file, like the warnings of a compiler: --check.
#pragma once

#include <vector>

#include "driver/driver.h"
#include "support/diagnostics.h"

namespace ptxopt::driver {

// A warning for each line of the source that changes come from, for each pass:
//   k.cu:14:3: warning: __syncthreads() orders nothing (2 places) [dead-sync]
// Without a .loc the line is that of the PTX.  Sorted by place.  `result` has remarks.  If it has
// none about a change, there is one warning about the file.
std::vector<Diagnostic> warningsOfChanges(const OptimizeResult& result);

}  // namespace ptxopt::driver
