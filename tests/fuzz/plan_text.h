// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PTX of a plan.
#pragma once

#include "generator.h"
#include "plan.h"
#include "random.h"

namespace ptxopt::fuzz {

struct PlanFrame {
  std::string prefix;  // of all names
  std::uint32_t ctas = 1;
  bool statesBlock = false;  // .reqntid
  bool statesSize = false;   // .maxntid
};

// Which instructions compute a value is up to `random`.
RandomKernel write(Plan& plan, const PlanFrame& frame, Random& random);

}  // namespace ptxopt::fuzz
