// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a barrier pass says about one barrier.  driver/barrier_text.h has the words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/module.h"
#include "ir/source_lines.h"

namespace ptxopt::analysis {
enum class AliasRule : std::uint8_t;
enum class DivergenceSource : std::uint8_t;
enum class Precision : std::uint8_t;
}  // namespace ptxopt::analysis

namespace ptxopt::passes {

// What became of a CTA barrier.
enum class BarrierOutcome : std::uint8_t { Kept, Removed, Guarded, Weakened };
std::string_view spelling(BarrierOutcome outcome);  // "kept"

// Between a barrier and the next ones on one side of it.  None: too many to count.
struct AccessCounts {
  std::optional<std::size_t> reads;
  std::optional<std::size_t> writes;
};

// An instruction, as it was before the pass.
struct NamedInstruction {
  SourceRange place;                      // not valid where there is no single one
  std::optional<ir::SourcePlace> source;  // the line that the user wrote
};

// What keeps a barrier on one side of it.
struct BarrierEvent {
  enum class Kind : std::uint8_t {
    Read,
    StrongRead,
    Write,
    ReadAndWrite,
    PartialBarrier,  // or a divergent one
    Synchronization,
    UnknownInstruction,
    CallThatSynchronizes,  // or may
    AccessThatWaits,       // or may, for another CTA
    FenceBeyondCta,
    Fence,
    EndOfThreads,
    Timing,  // measures or waits
    CallThatTimes,
  };
  Kind kind = Kind::Read;
  bool isCompletion = false;  // the instruction waits until the copies are complete that access it
  std::string space;          // ".shared"; empty where the instruction names none
  std::string address;        // "4*tid.x+A"; empty where it was not looked at
  NamedInstruction instruction;
};

// Two threads that meet without the barrier, and the bytes on which they meet.
struct ConflictExample {
  struct Side {
    std::string thread;      // "(1,0,0)"
    bool isOfWarp = false;   // the warp of the thread accesses the bytes
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
    AnyShape,         // where `takesFarPointers`
    OneRow,           // the block has one row
    LargestBlock,     // the block is that of .maxntid
    NotReached,       // by any launch that the user describes
    NoConflict,       // no two accesses of the same object
    Separated,        // `separation` keeps two accesses of the same object apart
  };
  Kind kind = Kind::NoConflict;
  analysis::AliasRule separation{};
  bool takesFarPointers = false;  // the pointers of the launch are far enough apart
};
std::string_view spelling(const BarrierRule& rule);  // "no conflict"

// Why not all callers of a function are known (C1.6).
struct UnknownCallers {
  enum class Why : std::uint8_t { AddressTaken, Visible, Recursive, Unknown, NeverCalled };
  std::vector<std::string> functions;  // each called by the next; `why` is about the last one
  Why why = Why::Unknown;
};

// Why a barrier is kept that no two accesses keep.
struct KeptReason {
  enum class Why : std::uint8_t {
    // Who takes part in it.
    Unreachable,
    Guarded,
    Partial,         // not all threads of the CTA
    NotUniform,      // not proved that all threads reach it equally often
    Tainted,         // one of these, or what is not understood, has its id
    UnknownCallers,  // of its function
    // What the user asks for.
    Comment,
    CommandLine,
    Pragma,
    // What is around it.
    ResultIsData,
    Pin,               // code next to it depends on when it runs
    Polling,           // it holds a load in a loop
    EndsAfterPartial,  // threads would end before others have taken part in a partial barrier
    CodeOnBothSides,
    CandidateLimit,
    WorkLimit,
    // Why it does not become a barrier of warps.
    HasResult,
    IsGuarded,
    OldTarget,
    InFunction,
    UnknownShape,
    PartialWarp,
    EarlyExit,
  };
  // Of Partial.
  struct TakesPart {
    enum class Why : std::uint8_t { OnlyArrives, Count, IdInRegister };
    Why why = Why::OnlyArrives;
    std::string operand;  // the count or the register
  };
  // Of NotUniform: what differs between threads, if that was found.
  struct Divergence {
    struct Call {
      std::string callee;
      NamedInstruction at;
    };
    std::vector<Call> calls;  // on the way to the barrier
    analysis::DivergenceSource kind{};
    std::string name;                         // of a register, where that says more
    std::optional<NamedInstruction> source;   // that reads or makes what differs
    std::optional<NamedInstruction> control;  // the branch; none: the guard of the barrier or call
  };
  // Of Tainted: who has the id too, if that was found.
  struct SharedId {
    enum class Why : std::uint8_t { Barrier, NotUnderstood, Outside, CallersUnknown };
    Why why = Why::Barrier;
    NamedInstruction at;
    passes::UnknownCallers callers;  // of CallersUnknown
  };
  // Of ResultIsData, if it was found.
  struct Reader {
    std::string reg;
    NamedInstruction at;
  };
  // Of Polling, if it was found.
  struct Loop {
    NamedInstruction head;
    std::optional<NamedInstruction> load;
  };
  // Of a limit.
  struct Bound {
    std::uint64_t most = 0;
  };
  Why why = Why::Unreachable;
  std::variant<std::monostate, TakesPart, Divergence, SharedId, passes::UnknownCallers, Reader,
               Loop, Bound>
      details = {};
};
std::string_view spelling(KeptReason::Why why);  // "not-uniform"

// What a barrier pass decided about one barrier.
struct BarrierVerdict {
  BarrierOutcome outcome = BarrierOutcome::Kept;
  bool isSyncthreads = false;  // all threads, barrier 0, no guard
  // Of one that is kept: why.  None where `conflict` says it.
  std::optional<KeptReason> reason;
  std::optional<BarrierConflict> conflict;
  std::optional<BarrierEvent> pin;  // what next to it depends on when it runs
  // A launch of one row does not need it, but it is in a function, which cannot be guarded.
  bool isOfRowsInFunction = false;
  // The bound on the work that was met, so that addresses were not compared.
  std::optional<std::uint64_t> workLimit;
  // Of one that is not kept: by which rule, and the precision of addresses that this takes.
  std::optional<BarrierRule> rule;
  std::optional<analysis::Precision> precision;
  // Above it and below it, where they were counted.
  std::optional<std::pair<AccessCounts, AccessCounts>> counts;
  std::optional<std::uint32_t> loopDepth;
};

// Of the barrier before anything is decided about it.
BarrierVerdict verdictOn(const ir::Instruction& barrier);

}  // namespace ptxopt::passes
