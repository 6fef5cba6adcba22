// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws plans: rings that copies fill and others empty, signals, products, roles of warps.
#pragma once

#include <cstdint>

#include "async_plan.h"
#include "random.h"

namespace ptxopt::fuzz::async {

// What the target of a kernel has beside bulk copies and mbarriers.
enum class Family : std::uint8_t { Plain, Wgmma, Tensor };

// Not right yet: barriers and fences are missing (async_repair.h).
Plan drawPlan(Random& random, Family family);

}  // namespace ptxopt::fuzz::async
