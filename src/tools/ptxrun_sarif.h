// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The findings of a run in SARIF: ptxrun --sarif.
#pragma once

#include <vector>

#include "driver/sarif.h"
#include "interp/report.h"

namespace ptxopt::ptxrun {

std::vector<driver::SarifResult> sarifResults(const ir::Module& module,
                                              const std::vector<interp::Finding>& findings);

}  // namespace ptxopt::ptxrun
