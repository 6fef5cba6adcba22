// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Findings as text for people, as JSON, and as results of SARIF.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "check/check.h"
#include "driver/sarif.h"

namespace ptxopt::check {

// "FILE:LINE:COLUMN: warning: MESSAGE [race, certain, seen in a run]", with the line of the source
// if the PTX names it, and the details below.  `wantsCommand`: also the run that shows it.
std::string textOf(const ir::Module& module, const ir::SourceLines& lines, const Finding& finding,
                   bool wantsCommand);
// "3 findings in 2 of 5 kernels: 1 certain, 2 possible"
std::string summaryOf(const std::vector<const Report*>& reports);
// {"file", "kernels": [{"kernel", "findings": [...]}]}
nlohmann::json jsonOf(const ir::Module& module, const ir::SourceLines& lines, const Report& report);
std::vector<driver::SarifResult> sarifOf(const ir::Module& module, const ir::SourceLines& lines,
                                         const Report& report);

// What names a finding from one version of a program to the next: the kernel, the kind and the
// instructions, without lines.
std::string fingerprintOf(const ir::Module& module, const Finding& finding);

}  // namespace ptxopt::check
