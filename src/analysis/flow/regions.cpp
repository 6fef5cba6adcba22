// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/regions.h"

#include "ir/barrier.h"

namespace ptxopt::analysis {

Regions::Regions(const Cfg& cfg) : cfg_(cfg) {
  for (const BlockId b : cfg.blocks()) {
    first_.push_back(static_cast<std::uint32_t>(leader_.size()));
    leader_.push_back(first_.back());
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      if (cuts(instruction)) leader_.push_back(static_cast<std::uint32_t>(leader_.size()));
    }
  }
  first_.push_back(static_cast<std::uint32_t>(leader_.size()));
  for (EdgeId e = 0; e < cfg.edgeCount(); ++e) {
    if (cfg.target(e) == cfg.exit() || !cfg.isReachable(cfg.source(e))) continue;
    leader_[find(first_[indexOf(cfg.target(e))])] = find(first_[indexOf(cfg.source(e)) + 1] - 1);
  }
  numbers_.assign(leader_.size(), 0);
  std::uint32_t count = 0;
  for (std::uint32_t piece = 0; piece < leader_.size(); ++piece) {
    std::uint32_t& number = numbers_[find(piece)];
    if (number == 0) number = ++count;
  }
}

bool Regions::cuts(const ir::Instruction& instruction) {
  const auto barrier = ir::ctaBarrier(instruction);
  return barrier && barrier->isFull() && !instruction.guard;
}

std::uint32_t Regions::find(std::uint32_t piece) {
  while (leader_[piece] != piece) piece = leader_[piece] = leader_[leader_[piece]];
  return piece;
}

}  // namespace ptxopt::analysis
