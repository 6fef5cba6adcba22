// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/engine/remark.h"

namespace ptxopt::passes {

std::string_view spelling(BarrierOutcome outcome) {
  switch (outcome) {
    case BarrierOutcome::Kept:
      return "kept";
    case BarrierOutcome::Removed:
      return "removed";
    case BarrierOutcome::Guarded:
      return "guarded";
    case BarrierOutcome::Weakened:
      return "weakened";
  }
  return {};
}

}  // namespace ptxopt::passes
