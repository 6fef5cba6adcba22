// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The regions of a function between its CTA barriers of all threads: no barrier orders the accesses
// within one.
//
// Barriers cut blocks into pieces, and an edge joins the last piece of its source with the first of
// its target.  O(instructions + edges).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flow/cfg.h"

namespace ptxopt::analysis {

class Regions {
 public:
  explicit Regions(const Cfg& cfg);

  // Whether a piece ends behind the instruction.
  static bool cuts(const ir::Instruction& instruction);

  // There is a barrier that cuts.
  bool any() const { return leader_.size() > cfg_.blockCount(); }
  // How many pieces the block has; at least one.
  std::uint32_t pieces(BlockId b) const { return first_[indexOf(b) + 1] - first_[indexOf(b)]; }
  // The region, counted from 1, of the k-th piece of a block.
  std::uint32_t of(BlockId b, std::uint32_t k) { return numbers_[find(first_[indexOf(b)] + k)]; }

 private:
  std::uint32_t find(std::uint32_t piece);

  const Cfg& cfg_;
  std::vector<std::uint32_t> first_;    // by block, and one element more
  std::vector<std::uint32_t> leader_;   // disjoint sets
  std::vector<std::uint32_t> numbers_;  // by leader
};

}  // namespace ptxopt::analysis
