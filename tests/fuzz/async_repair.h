// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a plan right, and then adds barriers that it does not need.
#pragma once

#include "async_plan.h"
#include "random.h"

namespace ptxopt::fuzz::async {

// Adds barriers, warp barriers and proxy fences at random places between what nothing orders, and
// stores to what nobody has written, until the model has nothing to say.  False if that does not
// help.
bool repair(Plan& plan, Random& random);

// Adds barriers where all threads are, and fences and other statements that nothing needs.
void plant(Plan& plan, Random& random, std::uint32_t percent);

// Takes barriers away that are not needed, in random order.
void prune(Plan& plan, Random& random);

// Marks the barriers without which something is wrong that a few schedules show.
void markNeeded(Plan& plan);

}  // namespace ptxopt::fuzz::async
