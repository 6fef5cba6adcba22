// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which version of PTX and which target a file needs, and what in it needs them: --needs.
#pragma once

#include <string>

#include "driver/report_format.h"
#include "ir/module.h"

namespace ptxopt::driver {

// As text, the first place for the version and the first for the target:
//   k.ptx: needs PTX 8.0 and sm_90a; states PTX 9.0 and sm_90a
//   k.ptx:57:2: PTX 8.0 and sm_90a: 'wgmma.fence.sync.aligned' (gemm.cu:14), and 3 more places
// With `byKernel` the same for each kernel and function.  As JSON one line, with all places.
std::string needsReport(const ir::Module& module, ReportFormat format, bool byKernel);

}  // namespace ptxopt::driver
