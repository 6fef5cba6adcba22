// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the phases of mbarriers expect the bytes that are copied in them: docs/soundness/ G4.5.
//
// Cost: a forward data flow; O(instructions times the mbarriers in use between two waits), of which
// there are few.
#pragma once

#include "analysis/flow/cfg.h"

namespace ptxopt::analysis {

enum class ExpectedBytes : std::uint8_t {
  Other,      // some phase may expect something else, or it is not known which mbarrier is meant
  Somewhere,  // each mbarrier expects where copies signal it, but not all sizes are known
  Exact,      // the sums are the same
};

// Between two waits, on every path, and for each operand that names an mbarrier.  Guards are not
// looked at.
ExpectedBytes expectedBytes(const Cfg& cfg);

}  // namespace ptxopt::analysis
