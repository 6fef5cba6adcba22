// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PTX of a plan with asynchronous operations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "async_plan.h"
#include "random.h"

namespace ptxopt::fuzz::async {

inline constexpr std::uint32_t kInputBytes = 8192;

// Parameters `in`, `out` and `n`; each thread stores its sum to `out`.  The number of rounds is n,
// or stated.  `random` chooses between spellings.
std::string textOf(const Plan& plan, const std::string& name, Random& random);
// Of the buffer `out`, for one CTA.
std::uint32_t outBytesOf(const Plan& plan);

}  // namespace ptxopt::fuzz::async
