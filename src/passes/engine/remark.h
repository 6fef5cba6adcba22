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
#include "passes/engine/barrier_verdict.h"
#include "passes/engine/remark_content.h"

namespace ptxopt::passes {

enum class RemarkKind : std::uint8_t {
  Passed,    // the pass did it
  Missed,    // the pass nearly did it: the message says what was in the way
  Analysis,  // something a reader wants to know, for example that a limit was met
};
std::string_view spelling(RemarkKind kind);  // "missed"

struct Remark {
  std::string_view pass;  // Pass::name()
  RemarkKind kind = RemarkKind::Analysis;
  const ir::Function* function = nullptr;  // null: about the module
  // In the PTX.  A pass leaves it out for a statement that a pass made, and for the function as a
  // whole: locate() gives it the place of the function.
  SourceRange place;
  const ir::Location* source = nullptr;  // the .loc for it, or null: locate() sets it
  std::optional<BarrierVerdict> barrier;
  RemarkContent content;  // none where there is a verdict
  // Of what was done: without these it would not have been.  "assume-1d", "block-dim=64,1,1".
  std::vector<std::string> assumptions;
  bool isReport = false;  // an option asked for it: PassOption::printsReports
  // Who made it; the engine sets these.
  std::size_t step = 0;     // in the pipeline; the first of equal ones
  bool isOfModule = false;  // from Pass::runOnModule()

  bool isRemovedBarrier() const { return barrier && barrier->outcome == BarrierOutcome::Removed; }
};

// The engine calls this for every remark about a function.  One from before the first .loc of the
// function, or about the function, gets that first .loc.
void locate(Remark& remark, const ir::SourceLines& lines);

}  // namespace ptxopt::passes
