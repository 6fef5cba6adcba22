// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the analyses believe of a module that no pass has changed, as claims that a run can check
// (docs/facts.md).
//
// Passes note their own claims while they work (passes::RunOptions::claims); those of analyses are
// collected here, from the same analyses that passes ask, under the same assumptions.
//
// Cost: that of the analyses, O(values + operands), and up to `pairs` comparisons of addresses for
// each function.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/launch/assumptions.h"
#include "facts/claim.h"
#include "ir/module.h"

namespace ptxopt::audit {

struct CollectOptions {
  // Of accesses of one function that are compared; where there are more, as many spread evenly.
  std::size_t pairs = 4096;
};

// Function by function, in the order of the text.  None of a function without a body or that is
// not understood (ir::Function::isOpaque), nor of a frozen module.
std::vector<facts::Claim> collect(ir::Module& module, const analysis::AssumptionTable& assumptions,
                                  const CollectOptions& options = {});

}  // namespace ptxopt::audit
