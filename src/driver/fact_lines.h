// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The facts on which analyses and passes rely for an input, as lines of JSON: --facts.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "analysis/launch/assumptions.h"
#include "facts/claim.h"
#include "support/source.h"

namespace ptxopt::driver {

// The claims of the analyses about the text, then those that passes made while they changed it
// (passes::RunResult::claims).  The text, which has no errors, is parsed again, because claims are
// about the original.  Empty if it contains no module (docs/soundness/ A7).
std::string factLines(const std::shared_ptr<const SourceText>& source,
                      const analysis::AssumptionTable& assumptions,
                      std::span<const facts::Claim> ofPasses);

}  // namespace ptxopt::driver
