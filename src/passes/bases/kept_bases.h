// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that registers hold wherever they dominate, by their groups.
//
// Cost: O(values log values) to make, O(log values) a group.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "passes/bases/base_assignment.h"

namespace ptxopt::passes {

class KeptBases {
 public:
  using GroupedValue = std::pair<GroupId, analysis::ValueId>;

  explicit KeptBases(const BaseAssignment& bases);

  // In ascending order.
  std::span<const GroupedValue> ofGroup(GroupId group) const;

 private:
  std::vector<GroupedValue> values_;  // sorted
};

}  // namespace ptxopt::passes
