// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Remarks in words.
#pragma once

#include <optional>
#include <string>

#include "passes/engine/remark.h"

namespace ptxopt::driver {

// Without a line break at its end.  The function of the remark must still be there.
std::string messageOf(const passes::Remark& remark);

// Of a barrier that is kept: why, on one line or more; of two accesses, what they are.
std::string reasonText(const passes::Remark& remark);
// Threads that would meet without the barrier, or why they may; empty where that is not known.
std::string exampleText(const passes::BarrierVerdict& verdict);

// "12"; "many" where nobody counted them all.
std::string countText(const std::optional<std::size_t>& count);

}  // namespace ptxopt::driver
