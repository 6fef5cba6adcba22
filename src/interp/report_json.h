// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs found, and which kernels there are, as JSON: docs/ptxrun.md has the format.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "interp/compare.h"
#include "ir/module.h"

namespace ptxopt::interp {

// {"runs", "steps", "findings", "groups", "outcomes"}.
nlohmann::json toJson(const ir::Module& module, const Survey& survey);
// {"kernels": [...]}, with the parameters of each.
nlohmann::json kernelsJson(const ir::Module& module);
// 16 hexadecimal digits.
std::string checksumText(const Outcome& outcome);

}  // namespace ptxopt::interp
