// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ptxcheck says about a kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interp/report.h"
#include "ir/module.h"

namespace ptxopt::check {

enum class Kind : std::uint8_t {
  Race,
  DivergentBarrier,
  BarrierCount,  // counts of a named barrier that do not fit together
  Deadlock,
  MissingFence,       // between data and a flag
  MissingProxyFence,  // between a store and a bulk copy
  MissingWait,        // between cp.async and a load
  Uninitialised,      // shared memory
  InactiveLane,
};
std::string_view spelling(Kind kind);       // "divergent-barrier"
std::string_view descriptionOf(Kind kind);  // a sentence

enum class Certainty : std::uint8_t {
  // There is something that ptxcheck does not know, or had to choose.
  Possible,
  // In every block that was looked at, whatever the kernel is passed and memory holds; and the run
  // has shown it, if it could be made.
  Certain,
};
std::string_view spelling(Certainty certainty);

// The finding in a run of ptxrun.
enum class Replay : std::uint8_t { NotRun, NotSeen, Seen };
std::string_view spelling(Replay replay);

struct Finding {
  Kind kind = Kind::Race;
  Certainty certainty = Certainty::Possible;
  Replay replay = Replay::NotRun;
  const ir::Function* kernel = nullptr;
  const ir::Instruction* place = nullptr;
  const ir::Instruction* other = nullptr;  // may be null
  std::string message;
  std::vector<std::string> details;  // one sentence each
  std::string command;               // of the run in which it was seen
};

}  // namespace ptxopt::check
