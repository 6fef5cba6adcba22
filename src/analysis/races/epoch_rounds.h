// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which rounds of a loop two threads can be in one epoch.
//
// If each round crosses a barrier, a thread is at most one round ahead of another one; if some way
// around the loop has no barrier, any number.  For two accesses, this looks from each start of an
// epoch how many rounds later either of them can be.
//
// Cost: for each loop O(starts of epochs * blocks), once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "analysis/flow/cfg.h"
#include "analysis/flow/loops.h"

namespace ptxopt::analysis {

class EpochRounds {
 public:
  // Of one function.  `divides`: the instruction ends an epoch.  All must outlive the object.
  EpochRounds(const Cfg& cfg, const Loops& loops,
              std::function<bool(const ir::Instruction&)> divides);

  // The first access may be in this round of the loop while another thread is at the second one in
  // that round, counted from 0.  Either may be outside of the loop.  False if there are too many
  // starts and blocks to say.
  bool mayMeet(LoopId loop, const ir::Instruction& first, std::int64_t firstRound,
               const ir::Instruction& second, std::int64_t secondRound);
  // Each way around the loop crosses a barrier.
  bool dividesRounds(LoopId loop);

 private:
  // A bit for each number of rounds since the start; the last one stands for all larger numbers.
  using Distances = std::uint8_t;
  static constexpr int kMost = 3;
  struct Start {
    const ir::Instruction* barrier = nullptr;  // null: the start of the function
    BlockId block = BlockId::None;
  };
  struct FromStart {
    bool isInLoop = false;
    std::vector<Distances> atBegin;  // by block
  };
  const std::vector<FromStart>* reached(LoopId loop);
  FromStart walk(LoopId loop, const Start& start) const;
  bool passes(BlockId block, const ir::Instruction* from, const ir::Instruction* to) const;
  Distances distancesTo(const FromStart& from, const Start& start,
                        const ir::Instruction& instruction) const;

  const Cfg& cfg_;
  const Loops& loops_;
  std::function<bool(const ir::Instruction&)> divides_;
  std::vector<Start> starts_;
  std::map<LoopId, std::vector<FromStart>> reached_;
  std::map<LoopId, bool> dividesRounds_;
};

}  // namespace ptxopt::analysis
