// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run found, with places in the source.
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
  FalseFact,    // something that was claimed of the text (docs/facts.md) does not hold
  Unsupported,  // the run could not go on: no verdict about the kernel
};
std::string_view spelling(FindingKind kind);  // "data-race"

// The run could not go on after it.
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
  std::uint32_t claim = 0;  // FalseFact: which one of the list
};

// One line "file:line:column: warning: message [data-race]" and a note for the other place; the
// line of the CUDA source is added where a .loc gives it.
std::string format(const ir::Module& module, const Finding& finding);

struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;  // 0: no .loc stands in front
};
// Of the last .loc before the instruction.  O(statements in front).
SourcePlace sourcePlace(const ir::Module& module, const ir::Instruction& instruction);

}  // namespace ptxopt::interp
