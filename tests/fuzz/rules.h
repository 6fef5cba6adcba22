// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels about the rules of docs/soundness/ that passes rely on, in combinations that nobody
// would write.
//
// Registers are defined in part: mov, ld of every space, setp with two results, selp, mad, vector
// destinations, cvt, calls, under guards of either sign that differ by thread, by warp or by round.
// What they hold is the index of an access, a guard, a bound, a leader, the condition of a branch
// with barriers in it.  Pointers of every form (named, .shared, .shared::cluster, generic, global)
// are converted, moved, selected, stored and loaded, come from tables and from structures, and are
// added to integers that are parameters.  All of it is known when the kernel is made (rule_plan.h).
#pragma once

#include <cstdint>

#include "generator.h"

namespace ptxopt::fuzz {

RandomKernel generateRules(std::uint64_t seed, const GeneratorOptions& options);

}  // namespace ptxopt::fuzz
