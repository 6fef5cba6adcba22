// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the claims of the analyses about an unchanged module, which a run can check
// (docs/facts.md).
//
// Passes record their own claims while they work (passes::RunOptions::claims).  This collects the
// claims of analyses, from the same analyses that passes use, under the same assumptions.
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
  // The number of pairs of accesses that are compared in one function; if there are more pairs, an
  // evenly spread sample.
  std::size_t pairs = 4096;
};

// Function by function, in the order of the text.  No claims about a function without a body, about
// one that is not understood (ir::Function::isOpaque), or about a frozen module.
std::vector<facts::Claim> collect(ir::Module& module, const analysis::AssumptionTable& assumptions,
                                  const CollectOptions& options = {});

}  // namespace ptxopt::audit
