// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bases/kept_bases.h"

#include <algorithm>

namespace ptxopt::passes {

using analysis::Ssa;
using analysis::ValueId;

KeptBases::KeptBases(const BaseAssignment& bases) {
  const Ssa& ssa = bases.ssa();
  for (const ValueId v : ssa.values()) {
    if (bases.groups().groupOf(v) != GroupId::None && !bases.isDead(v) &&
        bases.groups().isKeptForGood(v)) {
      values_.emplace_back(bases.groups().groupOf(v), v);
    }
  }
  std::ranges::sort(values_);
}

std::span<const KeptBases::GroupedValue> KeptBases::ofGroup(GroupId group) const {
  const auto first =
      std::lower_bound(values_.begin(), values_.end(), GroupedValue(group, ValueId{0}));
  const auto last = std::upper_bound(first, values_.end(), GroupedValue(group, ValueId::None));
  return {first, last};
}

}  // namespace ptxopt::passes
