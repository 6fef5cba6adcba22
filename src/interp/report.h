// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The findings of a run, with their source positions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"

namespace ptxopt::interp {

enum class FindingKind : std::uint8_t {
  DataRace,
  BarrierDivergence,
  BarrierMismatch,
  Deadlock,
  OutOfBounds,
  Misaligned,
  Uninitialised,
  StepLimit,
  Trap,
  AssertionFailed,
  FalseFact,    // a claim about the text (docs/facts.md) is false
  Unsupported,  // the run could not continue: no result for the kernel
};
std::string_view spelling(FindingKind kind);  // "data-race"

// The run could not continue after it.
bool isFault(FindingKind kind);

struct ThreadName {
  std::array<std::uint32_t, 3> cta{};
  std::array<std::uint32_t, 3> thread{};
};
std::string describe(const ThreadName& name);  // "thread (3,0,0) of CTA (0,0,0)"

struct Finding {
  FindingKind kind = FindingKind::DataRace;
  const ir::Instruction* place = nullptr;
  std::string message;
  // The other access of a race, or another place that takes part.
  const ir::Instruction* other = nullptr;
  std::string otherMessage;
  std::uint32_t claim = 0;  // FalseFact: the index of the claim
};

// One line "file:line:column: warning: message [data-race]" and a note for the other place.  The
// line of the CUDA source is added if a .loc gives it.
std::string format(const ir::Module& module, const Finding& finding);

struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;  // 0: no .loc precedes it
};
// The position in the last .loc before the instruction.  O(statements before it).
SourcePlace sourcePlace(const ir::Module& module, const ir::Instruction& instruction);

}  // namespace ptxopt::interp
