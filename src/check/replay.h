// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs kernels in the interpreter to see whether what the analyses found happens.
//
// Nobody says how a kernel is launched, so its arguments are made up: large buffers, and numbers
// that the analyses chose.  A run that ends with a fault, as such a launch may, still shows what it
// has found before.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
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
    bool isComplete = false;   // all threads came to their ends
    bool isSupported = false;  // ptxrun knows all instructions that came
  };

  // Of one kernel; both must outlive the object.  `dynamicShared`: none: guessed.
  Replays(const ir::Module& module, const ir::Function& kernel,
          std::optional<std::uint64_t> dynamicShared);

  // A run in this block and grid with these arguments and guessed ones, or one made before with
  // the same.  Null after many different ones.
  const Run* run(const Block& block, const std::array<std::uint32_t, 3>& grid,
                 const std::vector<ChosenArgument>& arguments);
  const std::vector<Run>& runs() const { return runs_; }
  // "ptxrun FILE --kernel ...", to paste.
  std::string commandOf(const Run& run) const;

 private:
  Run make(const Block& block, const std::array<std::uint32_t, 3>& grid,
           const std::vector<ChosenArgument>& arguments, const interp::GuessSize& size) const;

  const ir::Module& module_;
  const ir::Function& kernel_;
  std::uint64_t dynamicShared_ = 0;
  std::map<std::string, std::size_t> known_;  // by the command
  std::vector<Run> runs_;
};

// The run has seen what was found.
bool shows(const Replays::Run& run, const Finding& finding);

}  // namespace ptxopt::check
