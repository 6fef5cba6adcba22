// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that give the same result to all threads of a warp, if all of them execute it: the
// number of the warp, and comparisons that do not depend on the lane.  Uniformity uses them when it
// analyses the threads of a warp instead of a CTA.
//
// Cost: O(operands).
#pragma once

#include <span>

#include "analysis/launch/launch_shape.h"
#include "analysis/threads/uniformity.h"
#include "analysis/values/linear_form.h"
#include "analysis/values/ssa.h"

namespace ptxopt::analysis {

// `formOfValue` is indexed by value; None if nothing is known.
Uniformity::InstructionSet uniformInWarps(const Ssa& ssa, const LaunchShape& shape,
                                          const LinearForms& forms,
                                          const IdVector<ValueId, FormId>& formOfValue);

}  // namespace ptxopt::analysis
