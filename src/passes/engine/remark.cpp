// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/engine/remark.h"

#include "analysis/addresses/alias.h"
#include "ir/barrier.h"

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

std::string_view spelling(const BarrierRule& rule) {
  switch (rule.kind) {
    case BarrierRule::Kind::Leading:
      return "leading";
    case BarrierRule::Kind::FollowsAnother:
      return "follows another";
    case BarrierRule::Kind::Trailing:
      return "trailing";
    case BarrierRule::Kind::PrecedesAnother:
      return "precedes another";
    case BarrierRule::Kind::OneRow:
      return "one row";
    case BarrierRule::Kind::NoConflict:
      return "no conflict";
    case BarrierRule::Kind::Separated:
      return analysis::spelling(rule.separation);
  }
  return {};
}

BarrierVerdict verdictOn(const ir::Instruction& barrier) {
  BarrierVerdict verdict;
  const std::optional<ir::CtaBarrier> operands = ir::ctaBarrier(barrier);
  verdict.isSyncthreads = operands && operands->kind == ir::CtaBarrier::Kind::Sync &&
                          operands->isFull() && operands->id == 0 && !barrier.guard;
  return verdict;
}

void locate(Remark& remark, const ir::SourceLines& lines) {
  if (!remark.place.valid()) remark.place = remark.function->item->source;
  if (remark.source == nullptr) remark.source = lines.in(*remark.function, remark.place.begin);
}

}  // namespace ptxopt::passes
