// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of some ids of one kind; ids of another kind may be these numbers.
//
// Cost: O(1); 4 bytes for each id up to the largest one that has a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/ids.h"

namespace ptxopt {

template <IsId Id, class Number = std::uint32_t>
class NumberTable {
 public:
  static constexpr Number kNone{~0u};

  // kNone for an id without a number.
  Number of(Id id) const { return indexOf(id) < numbers_.size() ? numbers_[indexOf(id)] : kNone; }
  void set(Id id, Number number) {
    const std::size_t at = indexOf(id);
    if (at >= numbers_.size()) numbers_.resize(at + 1, kNone);
    numbers_[at] = number;
  }

 private:
  std::vector<Number> numbers_;
};

}  // namespace ptxopt
