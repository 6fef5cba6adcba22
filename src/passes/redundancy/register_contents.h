// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which value each register holds, during a walk down the dominator tree.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/values/ssa.h"

namespace ptxopt::passes {

class RegisterContents {
 public:
  using ValueId = analysis::ValueId;

  // Must outlive the object.
  explicit RegisterContents(const analysis::Ssa& ssa)
      : ssa_(ssa), current_(ssa.cfg().function().registerCount(), ValueId::None) {}

  // The register of the value still holds it.
  bool holds(ValueId value) const { return current_[ssa_.reg(value)] == value; }

  // The walk comes to the definition of the value.
  void write(ValueId value) {
    if (ssa_.isCarry(value)) return;
    ValueId& current = current_[ssa_.reg(value)];
    written_.emplace_back(ssa_.reg(value), current);
    current = value;
  }
  std::size_t mark() const { return written_.size(); }
  void undoTo(std::size_t mark) {
    while (written_.size() > mark) {
      current_[written_.back().first] = written_.back().second;
      written_.pop_back();
    }
  }

 private:
  const analysis::Ssa& ssa_;
  IdVector<ir::RegisterId, ValueId> current_;
  std::vector<std::pair<ir::RegisterId, ValueId>> written_;  // and what it held before
};

}  // namespace ptxopt::passes
