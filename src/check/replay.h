// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs kernels in the interpreter to see whether what the analyses found happens.
//
// Nobody says how a kernel is launched, so its arguments are made up: large buffers, and numbers
// that the analyses chose.  A run that ends with a fault, as such a launch may, still shows what it
// has found before.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "check/static_check.h"
#include "interp/image.h"
#include "interp/launch.h"

namespace ptxopt::check {

class Replays {
 public:
  struct Run {
    interp::Launch launch;
    std::vector<interp::Finding> findings;
    // The same, to look up: by both places, in either order, and by each of them.
    using Pair = std::tuple<interp::FindingKind, const ir::Instruction*, const ir::Instruction*>;
    std::set<Pair> pairs;
    std::set<std::pair<interp::FindingKind, const ir::Instruction*>> places;
    bool isComplete = false;   // all threads came to their ends
    bool isSupported = false;  // ptxrun knows all instructions that came
  };

  // Of one kernel; both must outlive the object.  `dynamicShared`: none: guessed.
  Replays(const ir::Module& module, const ir::Function& kernel,
          std::optional<std::uint64_t> dynamicShared);

  // What integer arguments are by default: the largest extent of the block, or twice that.
  enum class Amount : std::uint8_t { TwiceExtent, Extent };
  // What a run takes.
  struct Setting {
    Block block{};
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::vector<ChosenArgument> arguments = {};  // the others are guessed
    Amount amount = Amount::TwiceExtent;
  };
  // A run, or one made before with the same setting.  Null after many steps or different settings.
  const Run* run(const Setting& setting);
  // "ptxrun FILE --kernel ...", to paste.
  std::string commandOf(const Run& run) const;

 private:
  Run make(const Setting& setting, const interp::GuessSize& size);

  const ir::Module& module_;
  const ir::Function& kernel_;
  std::uint64_t dynamicShared_ = 0;
  std::uint64_t steps_ = 0;                   // of all runs
  std::map<std::string, std::size_t> known_;  // by the setting
  std::deque<Run> runs_;
};

enum class Sight : std::uint8_t {
  SamePair,    // both accesses
  SameAccess,  // one of them, and another one
};
// The run has seen what was found.
bool shows(const Replays::Run& run, const Finding& finding, Sight sight);

}  // namespace ptxopt::check
