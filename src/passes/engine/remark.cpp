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

void locate(Remark& remark, const ir::SourceLines& lines) {
  if (!remark.place.valid()) remark.place = remark.function->item->source;
  if (remark.source == nullptr) remark.source = lines.in(*remark.function, remark.place.begin);
}

}  // namespace ptxopt::passes
