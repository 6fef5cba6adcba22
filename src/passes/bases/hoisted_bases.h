// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New bases at common dominators: what several addresses of a group have in common is computed once
// above all of them.
//
// Neighbours in the order of the dominator tree come together at their nearest common dominator,
// the deepest one first, and only where that saves instructions.  The text of the computations must
// agree, but for a number that is added (address_recipe.h): what the forms of two values prove may
// hold in their own blocks only.
//
// Source: code hoisting (Muchnick: "Advanced Compiler Design and Implementation", 13.5), for
// expressions that are a constant apart.
// Cost: maxIterations rounds over the values of a group, maxDepth instructions for each.
#pragma once

#include "analysis/flow/loops.h"
#include "passes/bases/base_assignment.h"
#include "passes/bases/variable_bases.h"

namespace ptxopt::passes {

// Knobs that were met: there may be more to share.
struct HoistingCaps {
  bool isDepthMet = false;
  bool areIterationsMet = false;
};

HoistingCaps hoistBases(BaseAssignment& bases, const analysis::Loops& loops,
                        const DeclaredAhead& declared);

}  // namespace ptxopt::passes
