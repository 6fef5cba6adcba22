// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/engine/barrier_verdict.h"

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
    case BarrierRule::Kind::AnyShape:
      return "far pointers";
    case BarrierRule::Kind::OneRow:
      return rule.takesFarPointers ? "one row and far pointers" : "one row";
    case BarrierRule::Kind::LargestBlock:
      return rule.takesFarPointers ? "largest block and far pointers" : "largest block";
    case BarrierRule::Kind::NotReached:
      return "not reached";
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

std::string_view spelling(KeptReason::Why why) {
  switch (why) {
    using enum KeptReason::Why;
    case Unreachable:
      return "unreachable";
    case Guarded:
      return "guarded";
    case Partial:
      return "partial";
    case NotUniform:
      return "not-uniform";
    case Tainted:
      return "shared-id";
    case UnknownCallers:
      return "unknown-callers";
    case Comment:
      return "comment";
    case CommandLine:
      return "command-line";
    case Pragma:
      return "pragma";
    case ResultIsData:
      return "result-is-data";
    case Pin:
      return "timing";
    case Polling:
      return "polling";
    case EndsAfterPartial:
      return "partial-barriers-above";
    case CodeOnBothSides:
      return "code-on-both-sides";
    case CandidateLimit:
      return "max-candidates";
    case WorkLimit:
      return "max-work";
    case HasResult:
      return "has-result";
    case IsGuarded:
      return "is-guarded";
    case OldTarget:
      return "old-target";
    case InFunction:
      return "in-function";
    case UnknownShape:
      return "unknown-shape";
    case PartialWarp:
      return "partial-warp";
    case EarlyExit:
      return "early-exit";
  }
  return {};
}

}  // namespace ptxopt::passes
