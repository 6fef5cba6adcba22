// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace ptxopt::driver {

enum class ReportFormat : std::uint8_t { None, Text, Json };

}  // namespace ptxopt::driver
