// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of some of the ids 0, 1, 2, ...
//
// Cost: O(1); 4 bytes for each id up to the largest one that has a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ptxopt {

class NumberTable {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  // kNone for an id without a number.
  std::uint32_t of(std::size_t id) const { return id < numbers_.size() ? numbers_[id] : kNone; }
  void set(std::size_t id, std::uint32_t number) {
    if (id >= numbers_.size()) numbers_.resize(id + 1, kNone);
    numbers_[id] = number;
  }

 private:
  std::vector<std::uint32_t> numbers_;
};

}  // namespace ptxopt
