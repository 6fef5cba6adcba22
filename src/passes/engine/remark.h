// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pass says about its work.  Remarks hold facts; driver/remark_text.h and
// driver/content_text.h make words of them, driver/remarks.h JSON, and driver/explain.h tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "ir/source_lines.h"
#include "passes/engine/remark_content.h"

namespace ptxopt::analysis {
enum class AliasRule : std::uint8_t;
enum class Precision : std::uint8_t;
}  // namespace ptxopt::analysis

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

// What keeps a barrier on one side of it.
struct BarrierEvent {
  std::string what;     // "write", "fence wider than the CTA", "end of threads"
  std::string space;    // ".shared"; empty where the instruction names none
  std::string address;  // "4*tid.x+A"; empty where it was not looked at
  SourceRange place;    // of the instruction; not valid where there is no single one
  std::optional<ir::SourcePlace> source;  // the line that the user wrote
};

// Two threads that meet without the barrier, and the bytes on which they meet.
struct ConflictExample {
  struct Side {
    std::string thread;      // "(1,0,0)"
    std::string verb;        // "writes"
    std::string base;        // "A"; ".shared" or "memory" where the address has none
    bool hasBase = false;    // a variable or a pointer
    std::int64_t begin = 0;  // the bytes, from the base on, without the one at `end`
    std::int64_t end = 0;
    std::string place;  // "line 31 (k.cu:7)"
  };
  Side above;
  Side below;
  std::string given;      // what was chosen for it, "if n = 4"; empty where nothing was
  bool isCertain = true;  // no branch or round was left out of consideration
  bool isInRow = true;    // in a block that has or may have one row
};

// Two accesses, or things that count as accesses, that the barrier orders.
struct BarrierConflict {
  BarrierEvent above;
  BarrierEvent below;
  bool isBelowOtherBarriers = false;  // threads may end between the barrier and `below`
  bool isLimitMet = false;            // not all addresses were compared
  // Neither an address is missing nor is one of them no access, so that an example could be given.
  bool areAccesses = false;
  std::optional<ConflictExample> example;
  // "p and q may point to the same memory", where that is why they count as the same bytes.
  std::string mayAlias;
};

// Why a barrier is not needed.
struct BarrierRule {
  enum class Kind : std::uint8_t {
    Leading,          // nothing above it
    FollowsAnother,   // nothing between it and the barrier above
    Trailing,         // nothing below it
    PrecedesAnother,  // nothing between it and the barrier below
    OneRow,           // the block has one row
    NoConflict,       // no two accesses of the same object
    Separated,        // `separation` keeps two accesses of the same object apart
  };
  Kind kind = Kind::NoConflict;
  analysis::AliasRule separation{};
};
std::string_view spelling(const BarrierRule& rule);  // "no conflict"

// What a barrier pass decided about one barrier.
struct BarrierVerdict {
  BarrierOutcome outcome = BarrierOutcome::Kept;
  bool isSyncthreads = false;  // all threads, barrier 0, no guard
  // Of one that is kept: why.  Empty where `conflict` says it.
  std::string reason;
  std::optional<BarrierConflict> conflict;
  std::optional<BarrierEvent> pin;  // what next to it depends on when it runs
  // What else is of interest, each line after a line break.
  std::string notes;
  // Of one that is not kept: by which rule, and the precision of addresses that this takes.
  std::optional<BarrierRule> rule;
  std::optional<analysis::Precision> precision;
  // Above it and below it, where they were counted.
  std::optional<std::pair<AccessCounts, AccessCounts>> counts;
  std::optional<std::uint32_t> loopDepth;
};

// Of the barrier before anything is decided about it.
BarrierVerdict verdictOn(const ir::Instruction& barrier);

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
