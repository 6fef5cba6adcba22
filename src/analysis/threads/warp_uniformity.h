// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of which all threads of a warp get the same result, if all of them execute it:
// what the warp of a thread is, and comparisons that the lane does not decide.  For Uniformity, of
// the threads of a warp in the place of those of the CTA.
//
// Cost: O(operands).
#pragma once

#include <span>

#include "analysis/launch/launch_shape.h"
#include "analysis/threads/uniformity.h"
#include "analysis/values/linear_form.h"
#include "analysis/values/ssa.h"

namespace ptxopt::analysis {

// `formOfValue`: by value, kNone where nothing is known.
Uniformity::InstructionSet uniformInWarps(const Ssa& ssa, const LaunchShape& shape,
                                          const LinearForms& forms,
                                          std::span<const FormId> formOfValue);

}  // namespace ptxopt::analysis
