// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was believed of an input, as lines of JSON: --facts.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "analysis/launch/assumptions.h"
#include "facts/claim.h"
#include "support/source.h"

namespace ptxopt::driver {

// What the analyses claim of the text, and then what passes claimed of it while they changed it
// (passes::RunResult::claims).  The text, which has no mistakes, is parsed again: claims are about
// it as it was.  Empty where there is no module in it (docs/soundness/ A7).
std::string factLines(const std::shared_ptr<const SourceText>& source,
                      const analysis::AssumptionTable& assumptions,
                      std::span<const facts::Claim> ofPasses);

}  // namespace ptxopt::driver
