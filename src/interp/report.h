// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The findings of a run, with their source positions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "ir/source_lines.h"

namespace ptxopt::interp {

enum class FindingKind : std::uint8_t {
  DataRace,
  ProxyRace,  // ordered accesses by different proxies, without a fence between these
  BarrierDivergence,
  BarrierMismatch,
  Deadlock,
  OutOfBounds,
  Misaligned,
  TensorMap,  // a tensor copy uses what is no tensor map, or none for such a copy
  Texture,    // an instruction uses what is no texture, surface or sampler, or none that suits it
  TextureStale,  // a read by a texture, a surface or .nc of what the same launch has written
  Uninitialised,
  InactiveLane,      // a shuffle reads from a lane that takes no part
  RegisterInFlight,  // a register is accessed while a wgmma or tcgen05 may do so
  WgmmaFence,        // a wgmma.fence is missing
  CopyInFlight,      // a bulk copy is not complete when its shared memory ends
  MbarrierObject,    // an operation meets an mbarrier object in a state that does not allow it
  MbarrierPhase,     // a wait or an arrival may meet another phase of an mbarrier than it is for
  ClusterLaunch,     // a request to cancel a cluster after one that failed, or its CTA is used
  TensorMemory,      // tensor memory is not allocated or freed as it must be, or an operand of a
                     // tcgen05.mma is none that it may have
  StepLimit,
  Trap,
  AssertionFailed,
  FalseFact,    // a claim about the text (docs/facts.md) is false
  Unsupported,  // the run could not continue: no result for the kernel
};
inline constexpr std::size_t kFindingKinds = static_cast<std::size_t>(FindingKind::Unsupported) + 1;
std::string_view spelling(FindingKind kind);  // "data-race"
std::optional<FindingKind> parseFindingKind(std::string_view text);

// It says that the run went no further, and nothing about the kernel.
bool isLimit(FindingKind kind);
// The run could not continue after it.
bool isFault(FindingKind kind);

struct ThreadName {
  std::array<std::uint32_t, 3> cta{};
  std::array<std::uint32_t, 3> thread{};
};
std::string describe(const ThreadName& name);  // "thread (3,0,0) of CTA (0,0,0)"

// A thread of the grid: the numbers of its CTA and of its place there.
using ThreadNumber = std::pair<std::uint64_t, std::uint32_t>;

std::size_t ctasOf(const std::set<ThreadNumber>& threads);

struct Finding {
  FindingKind kind = FindingKind::DataRace;
  const ir::Instruction* place = nullptr;
  std::string message;
  // The other access of a race, or another place that takes part.
  const ir::Instruction* other = nullptr;
  std::string otherMessage;
  std::uint32_t claim = 0;         // FalseFact: the index of the claim
  std::set<ThreadNumber> threads;  // that take part; empty where the first one ends the run
};

// One line "file:line:column: warning: message [data-race]" and a note for the other place.  The
// line of the kernel is added if a .loc gives it, followed by the lines of the same file that are
// inlined there, and by the innermost line: "(k.cu:26, in sum at line 3, in shuffle at
// intrinsics.hpp:440)".
std::string format(const ir::Module& module, const ir::SourceLines& lines, const Finding& finding);
std::string format(const ir::Module& module, const Finding& finding);
// The places of the instruction in the source, innermost first.
std::vector<ir::SourcePlace> sourceChain(const ir::SourceLines& lines,
                                         const ir::Instruction& instruction);

// The findings of one kind at one pair of source lines, or of PTX lines where there is no .loc.  A
// line that is inlined at several places of its file is a line of its own at each of them.
struct FindingGroup {
  std::vector<std::size_t> members;  // indices of the findings, one for each pair of instructions
  const Finding* example = nullptr;  // the first of them
  std::size_t threads = 0;
  std::size_t ctas = 0;
};
// Findings about barriers first, since they may be the cause of others, and deadlocks last; else in
// the order of the first finding of each.  The findings must outlive the result.
std::vector<FindingGroup> groupFindings(const ir::Module& module, const ir::SourceLines& lines,
                                        const std::vector<Finding>& findings);
// Its example, and a note with the numbers.
std::string format(const ir::Module& module, const ir::SourceLines& lines,
                   const FindingGroup& group);
// "no findings", "3 findings: 2 data-race, 1 deadlock".
std::string summaryOf(const std::vector<FindingGroup>& groups);

// What --ignore names: "uninitialised", "data-race:scan.cuh".
struct IgnoredFinding {
  FindingKind kind = FindingKind::DataRace;
  std::string file;  // the end of the path of a source file; empty: any
};
std::optional<IgnoredFinding> parseIgnored(std::string_view text);
// Of a file: all places of the finding lie in it, or are inlined through it.
bool isIgnored(const ir::Module& module, const ir::SourceLines& lines, const Finding& finding,
               const IgnoredFinding& ignored);

}  // namespace ptxopt::interp
