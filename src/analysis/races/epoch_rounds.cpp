// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/races/epoch_rounds.h"

#include <algorithm>
#include <utility>

#include "support/limits.h"

namespace ptxopt::analysis {

EpochRounds::EpochRounds(const Cfg& cfg, const Loops& loops,
                         std::function<bool(const ir::Instruction&)> divides)
    : cfg_(cfg), loops_(loops), divides_(std::move(divides)) {
  starts_.push_back({nullptr, cfg.entry()});
  for (const BlockId b : cfg.blocks()) {
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      if (divides_(instruction)) starts_.push_back({&instruction, b});
    }
  }
}

// No instruction divides after `from`, or from the start of the block, up to `to`, or to the end.
bool EpochRounds::passes(BlockId block, const ir::Instruction* from,
                         const ir::Instruction* to) const {
  bool isOnWay = from == nullptr;
  for (const ir::Instruction& instruction : cfg_.instructions(block)) {
    if (isOnWay && &instruction == to) return true;
    if (isOnWay && divides_(instruction)) return false;
    isOnWay |= &instruction == from;
  }
  return to == nullptr;
}

EpochRounds::FromStart EpochRounds::walk(LoopId loop, const Start& start) const {
  FromStart from{loops_.contains(loop, start.block), std::vector<Distances>(cfg_.vertexCount())};
  std::vector<BlockId> work;
  const auto goOn = [&](BlockId block, Distances distances) {
    for (EdgeId e = cfg_.firstOutEdge(block); e != cfg_.endOutEdge(block); ++e) {
      const BlockId to = cfg_.target(e);
      if (to == cfg_.exit()) continue;
      const bool isBack = to == loops_.header(loop) && loops_.contains(loop, block);
      const unsigned shifted = isBack ? distances << 1 | (distances & 1u << kMost) : distances;
      const auto all = static_cast<Distances>(shifted & ((2u << kMost) - 1));
      Distances& known = from.atBegin[indexOf(to)];
      if ((all & ~known) == 0) continue;
      known |= all;
      work.push_back(to);
    }
  };
  if (passes(start.block, start.barrier, nullptr)) goOn(start.block, 1);
  while (!work.empty()) {
    const BlockId block = work.back();
    work.pop_back();
    if (passes(block, nullptr, nullptr)) goOn(block, from.atBegin[indexOf(block)]);
  }
  return from;
}

const std::vector<EpochRounds::FromStart>* EpochRounds::reached(LoopId loop) {
  const auto known = reached_.find(loop);
  if (known != reached_.end()) return &known->second;
  if (exceeds(starts_.size() * cfg_.vertexCount(), Limit::EpochRounds)) return nullptr;
  std::vector<FromStart>& all = reached_[loop];
  for (const Start& start : starts_) all.push_back(walk(loop, start));
  return &all;
}

EpochRounds::Distances EpochRounds::distancesTo(const FromStart& from, const Start& start,
                                                const ir::Instruction& instruction) const {
  Distances distances = 0;
  const BlockId block = instruction.block;
  if (passes(block, nullptr, &instruction)) distances = from.atBegin[indexOf(block)];
  if (block == start.block && passes(block, start.barrier, &instruction)) distances |= 1;
  return distances;
}

bool EpochRounds::mayMeet(LoopId loop, const ir::Instruction& first, std::int64_t firstRound,
                          const ir::Instruction& second, std::int64_t secondRound) {
  const std::vector<FromStart>* const all = reached(loop);
  if (all == nullptr) return false;
  const auto isAfter = [](std::int64_t rounds, std::int64_t distance) {
    return distance == kMost ? rounds >= distance : rounds == distance;
  };
  for (std::size_t k = 0; k < starts_.size(); ++k) {
    const FromStart& from = (*all)[k];
    const Distances ones = distancesTo(from, starts_[k], first);
    const Distances others = ones == 0 ? 0 : distancesTo(from, starts_[k], second);
    for (int x = 0; x <= kMost && others != 0; ++x) {
      for (int y = 0; y <= kMost; ++y) {
        if ((ones >> x & 1) == 0 || (others >> y & 1) == 0) continue;
        // The round in which the epoch starts: the first one, if it starts outside of the loop.
        std::int64_t begin = 0;
        if (from.isInLoop && x != kMost) begin = firstRound - x;
        if (from.isInLoop && x == kMost && y != kMost) begin = secondRound - y;
        if (begin >= 0 && isAfter(firstRound - begin, x) && isAfter(secondRound - begin, y)) {
          return true;
        }
      }
    }
  }
  return false;
}

bool EpochRounds::dividesRounds(LoopId loop) {
  const auto [at, isNew] = dividesRounds_.try_emplace(loop, true);
  if (!isNew) return at->second;
  const BlockId header = loops_.header(loop);
  const FromStart from = walk(loop, {nullptr, header});
  at->second = (from.atBegin[indexOf(header)] & ~1u) == 0;
  return at->second;
}

}  // namespace ptxopt::analysis
