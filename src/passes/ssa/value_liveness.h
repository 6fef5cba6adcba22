// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Liveness of the values of a rewritten function in SSA form.
//
// A value is live from its definition to its uses: instructions after the rewrites, partial
// definitions whose old value it is, and phis, which use it at the end of the predecessor.  Only
// the requested values are followed.
//
// Cost: O(uses), and for each value the blocks where it is live with their incoming edges (found by
// walking up from the uses, with an explicit stack); 8 bytes for each such block.
#pragma once

#include <cstdint>
#include <vector>

#include "passes/ssa/ssa_rewrite.h"
#include "support/bit_set.h"

namespace ptxopt::passes {

// The values that some instruction reads, directly or through phis and old values.  O(values).
BitSet neededValues(const SsaRewrite& rewrite);

class ValueLiveness {
 public:
  using ValueId = analysis::ValueId;

  // Follows the values in `followed`.  Gives up if they are live in more than `limit` blocks in
  // total.
  ValueLiveness(const SsaRewrite& rewrite, const BitSet& needed, const BitSet& followed,
                std::size_t limit);

  bool isComplete() const { return isComplete_; }
  // O(log blocks).
  bool isLiveAtStart(ValueId value, analysis::BlockId block) const;
  // Live after the instruction with this number, in its block.
  bool isLiveAfter(ValueId value, analysis::BlockId block, std::uint32_t instruction) const;

 private:
  struct Place {
    analysis::BlockId block;
    std::uint32_t last;  // number of the last instruction that reads it; kNone: live-out
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
