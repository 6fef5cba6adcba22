// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads of a CTA that access common bytes, one of which writes, with no barrier between.
//
// The barrier passes ask whether two accesses on different sides of a barrier may touch common
// bytes.  This asks it of two accesses that no barrier separates (epoch_pairs.h), with the same
// analyses and the same examples (barriers/conflict_witness.h).  So accesses that the analyses
// cannot tell apart are reported, and may be no race.
//
// Cost: that of the graph and of the pairs, and Limit::RaceWork for all examples.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "analysis/barriers/conflict_witness.h"
#include "analysis/races/epoch_pairs.h"
#include "analysis/races/epoch_rounds.h"

namespace ptxopt::analysis {

struct Race {
  struct Side {
    const ir::Function* function = nullptr;
    const ir::Instruction* instruction = nullptr;
    const Access* access = nullptr;  // null where its address was not looked at
    AccessKinds kinds = 0;
  };
  Side first;
  Side second;                     // maybe the same instruction
  bool areWarpsDifferent = false;  // two threads of one warp do not race
  bool mayBeOrdered = false;       // by something other than barriers of the whole CTA
  std::optional<ConflictWitness> witness;
  // The witness is in some rounds of a loop, and no barrier divides these.
  bool isInFreeRounds = false;
};

class RaceSearch {
 public:
  // Bodies with addresses, of a kernel and of the functions that share its barriers.  Both must
  // outlive the object.
  RaceSearch(std::span<const BarrierBody> bodies, const BarrierContext& context);

  const std::vector<Race>& races() const { return races_; }
  bool isLimitMet() const { return isLimitMet_; }

 private:
  using WitnessKey = std::tuple<AccessSet::Key, AccessSet::Key, BlockId, BlockId, bool>;
  struct Found {
    std::optional<ConflictWitness> witness;
    bool isInFreeRounds = false;
  };

  Race::Side sideOf(const BarrierRegions::Event& event) const;
  void findWitness(Race& race, const EpochPairs::Pair& pair);
  Found search(const Race& race, const BarrierBody& body);
  EpochRounds& roundsOf(std::uint32_t body);
  bool divides(std::uint32_t body, const ir::Instruction& instruction) const;

  std::span<const BarrierBody> bodies_;
  const BarrierContext& context_;
  BarrierGraph graph_;
  std::vector<const ir::Instruction*> separators_;  // sorted
  std::map<std::uint32_t, EpochRounds> rounds_;     // by body
  std::map<WitnessKey, Found> witnesses_;
  std::uint64_t work_;
  std::vector<Race> races_;
  bool isLimitMet_ = false;
};

}  // namespace ptxopt::analysis
