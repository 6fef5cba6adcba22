// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// setmaxnreg in a machine (PTX ISA 9.7.21.5).  Internal to Machine.
//
// It changes nothing here: a thread has the registers that it names.  But all warps of a warpgroup
// must execute the same one, and synchronise before they execute the next; else the behaviour is
// undefined.  By the letter that is one instruction.  Triton gives warps of one warpgroup different
// tasks, each with a setmaxnreg of its own, and repeats one without synchronisation; so here the
// number must be the same, and what does not change the number needs no synchronisation.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "interp/machine.h"

namespace ptxopt::interp {

class Machine::RegisterLimits {
 public:
  explicit RegisterLimits(Machine& machine) : machine_(&machine) {}

  // The lanes of the warp, which are all that have not exited, execute a setmaxnreg.
  void run(Cta& cta, std::uint32_t warp, std::uint32_t lanes, const Op& op);
  // Before the thread exits.
  void exit(const Thread& thread);

 private:
  static constexpr std::uint32_t kWarps = 4;  // of a warpgroup

  // A setmaxnreg that a warp has executed.
  struct Step {
    const Op* op = nullptr;
    std::array<std::uint32_t, 32> clocks{};  // of the lanes; 0: without detection of races
  };
  struct Group {
    std::array<std::vector<Step>, kWarps> steps;
    bool isReported = false;
  };

  void checkSame(const Cta& cta, std::uint32_t warp, Group& group) const;
  void checkSynchronised(Cta& cta, std::uint32_t warp, const Op& op, Group& group) const;
  bool knows(Cta& cta, std::uint32_t warp, std::uint32_t other, const Step& step) const;
  static const Thread& firstOf(const Cta& cta, std::uint32_t warp) {
    return cta.threads[std::size_t{warp} * 32];
  }
  void report(Group& group, const Cta& cta, std::uint32_t warp, const Op& op, std::string message,
              const Op* other = nullptr, std::string otherMessage = {}) const;

  Machine* machine_;
  std::map<std::pair<const Cta*, std::uint32_t>, Group> groups_;  // by number of the warpgroup
};

}  // namespace ptxopt::interp
