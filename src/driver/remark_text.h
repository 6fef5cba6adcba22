// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages of remarks.
#pragma once

#include <optional>
#include <string>

#include "passes/engine/remark.h"

namespace ptxopt::driver {

// Has no newline at the end.  The function of the remark must still exist.
std::string messageOf(const passes::Remark& remark);

// For a kept barrier: why it is kept, on one or more lines, including the two accesses if there are
// any.
std::string reasonText(const passes::Remark& remark);
// Two threads that would conflict without the barrier, or why they may; empty if unknown.
std::string exampleText(const passes::BarrierVerdict& verdict);

// "12"; "many" if the counting was given up.
std::string countText(const std::optional<std::size_t>& count);

}  // namespace ptxopt::driver
