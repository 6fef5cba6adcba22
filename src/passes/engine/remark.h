// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pass says about its work.  Remarks hold facts; driver/remark_text.h makes words of them,
// driver/remarks.h JSON, and driver/explain.h tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace ptxopt::passes {

enum class RemarkKind : std::uint8_t {
  Passed,    // the pass did it
  Missed,    // the pass nearly did it: the message says what was in the way
  Analysis,  // something a reader wants to know, for example that a limit was met
};

// What became of a CTA barrier.
enum class BarrierOutcome : std::uint8_t { Kept, Removed, Guarded, Weakened };
std::string_view spelling(BarrierOutcome outcome);  // "kept"

// Between a barrier and the next ones on one side of it.  None: too many to count.
struct AccessCounts {
  std::optional<std::size_t> reads;
  std::optional<std::size_t> writes;
};

// What a barrier pass decided about one barrier.
struct BarrierVerdict {
  BarrierOutcome outcome = BarrierOutcome::Kept;
  // Of one that is kept: why, and lines that say more.
  std::string reason;
  // Threads that would meet without it, and where; empty where none are known.
  std::string example;
  // What else is of interest, each line after a line break.
  std::string notes;
  // Of one that is not kept: by which rule, and the precision of addresses that this takes.
  std::string rule;
  std::string precision;
  // Above it and below it, where they were counted.
  std::optional<std::pair<AccessCounts, AccessCounts>> counts;
  std::optional<std::uint32_t> loopDepth;
};

struct Remark {
  std::string_view pass;  // Pass::name()
  RemarkKind kind = RemarkKind::Analysis;
  const ir::Function* function = nullptr;
  SourceRange place;                     // in the PTX; not valid for a made statement
  const ir::Location* source = nullptr;  // the .loc that holds for it, or null: the engine sets it
  std::string message;                   // empty where there is a verdict
  std::optional<BarrierVerdict> barrier;
  std::vector<std::pair<std::string, std::string>> details;
  // Of what was done: without these it would not have been.  "assume-1d", "block-dim=64,1,1".
  std::vector<std::string> assumptions;

  bool isRemovedBarrier() const { return barrier && barrier->outcome == BarrierOutcome::Removed; }
};

}  // namespace ptxopt::passes
