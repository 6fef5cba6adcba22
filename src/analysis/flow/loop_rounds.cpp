// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/loop_rounds.h"

#include <algorithm>
#include <vector>

#include "support/bit_set.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

// One more distance, beside those of LoopRounds::after.
constexpr std::uint32_t kAnew = LoopRounds::kMost + 1;
constexpr std::uint32_t kDistances = kAnew + 1;

// The start of a block, before or after the barrier, after this number of rounds.
struct Position {
  BlockId block = BlockId::None;
  bool isAfter = false;
  std::uint32_t distance = 0;
};

}  // namespace

std::optional<LoopRounds> roundsBetween(
    const Cfg& cfg, const Loops& loops, LoopId loop, const ir::Instruction& first,
    const ir::Instruction& barrier, const ir::Instruction& second,
    const std::function<bool(const ir::Instruction&)>& separates) {
  LoopRounds found;
  BitSet seen(std::size_t{cfg.vertexCount()} * 2 * kDistances);
  std::vector<Position> work;

  // Walks from `start` to the end of its block; false if a barrier stops the path.
  const auto passes = [&](Position& at, const ir::Instruction* start) {
    bool isOnWay = start == nullptr;
    for (const ir::Instruction& instruction : cfg.instructions(at.block)) {
      if (isOnWay) {
        if (&instruction == &second && at.isAfter) {
          (at.distance == kAnew ? found.anew : found.after[at.distance]) = true;
        }
        if (&instruction == &barrier && !at.isAfter) {
          at.isAfter = true;
        } else if (separates(instruction)) {
          return false;
        }
      }
      isOnWay |= &instruction == start;
    }
    return true;
  };
  const auto goOn = [&](const Position& from) {
    for (EdgeId e = cfg.firstOutEdge(from.block); e != cfg.endOutEdge(from.block); ++e) {
      Position to = from;
      to.block = cfg.target(e);
      if (to.block == cfg.exit()) continue;
      if (loops.contains(loop, to.block)) {
        if (!loops.contains(loop, from.block)) {
          to.distance = kAnew;
        } else if (to.block == loops.header(loop) && to.distance != kAnew) {
          to.distance = std::min<std::uint32_t>(to.distance + 1, LoopRounds::kMost);
        }
      }
      const std::size_t number =
          (std::size_t{indexOf(to.block)} * 2 + std::size_t{to.isAfter}) * kDistances + to.distance;
      if (seen.set(number)) work.push_back(to);
    }
  };

  Position start{first.block, false, 0};
  if (passes(start, &first)) goOn(start);
  for (std::size_t visits = 0; !work.empty(); ++visits) {
    if (reaches(visits, Limit::LoopRoundVisits)) return std::nullopt;
    Position at = work.back();
    work.pop_back();
    if (passes(at, nullptr)) goOn(at);
  }
  return found;
}

}  // namespace ptxopt::analysis
