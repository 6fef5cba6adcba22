// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where values of a rewritten function in SSA form are live.
//
// A value is live from its definition to what reads it: instructions as they are after the
// rewrites, partial definitions that let it show through, and phis, at the end of the block that
// the edge comes from.  Only values that were asked for are followed.
//
// Cost: O(uses), and for each value the blocks where it is live with the edges into them (walking
// up from the uses, with an explicit stack); 8 bytes for each such block.
#pragma once

#include <cstdint>
#include <vector>

#include "passes/ssa/ssa_rewrite.h"
#include "support/bit_set.h"

namespace ptxopt::passes {

// What some instruction reads, directly or through phis and old values.  O(values).
BitSet neededValues(const SsaRewrite& rewrite);

class ValueLiveness {
 public:
  using ValueId = analysis::ValueId;

  // Follows the values in `followed`; gives up where they are live in more than `limit` blocks, all
  // together.
  ValueLiveness(const SsaRewrite& rewrite, const BitSet& needed, const BitSet& followed,
                std::size_t limit);

  bool isComplete() const { return isComplete_; }
  // O(log blocks).
  bool isLiveAtStart(ValueId value, analysis::BlockId block) const;
  // After the instruction of that number, in its block.
  bool isLiveAfter(ValueId value, analysis::BlockId block, std::uint32_t instruction) const;

 private:
  struct Place {
    analysis::BlockId block;
    std::uint32_t last;  // number of the last instruction that reads it; kNone: live at the end
  };
  struct Use {
    ValueId value;
    Place place;
  };
  std::vector<Use> collectUses(const BitSet& needed, const BitSet& followed) const;
  const Place* find(ValueId value, analysis::BlockId block) const;

  const SsaRewrite* rewrite_;
  bool isComplete_ = true;
  std::vector<std::size_t> first_;  // by value, and one more: in places_
  std::vector<Place> places_;       // of a value: by block
};

}  // namespace ptxopt::passes
