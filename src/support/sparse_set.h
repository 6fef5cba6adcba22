// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of small numbers that can be cleared and traversed in time proportional to their size.
//
// Source: Briggs and Torczon, "An Efficient Representation for Sparse Sets", 1993.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ptxopt {

// Numbers 0 .. size()-1; 4 bytes for each of them, and 4 more for each element.  Every operation is
// O(1).
class SparseSet {
 public:
  explicit SparseSet(std::size_t size) : slots_(size) {}

  std::size_t size() const { return slots_.size(); }  // of the universe
  std::size_t count() const { return elements_.size(); }
  bool empty() const { return elements_.empty(); }
  bool test(std::size_t k) const {
    assert(k < slots_.size());
    const std::uint32_t slot = slots_[k];
    return slot < elements_.size() && elements_[slot] == k;
  }
  // True if the set changed.
  bool set(std::size_t k) {
    if (test(k)) return false;
    slots_[k] = static_cast<std::uint32_t>(elements_.size());
    elements_.push_back(static_cast<std::uint32_t>(k));
    return true;
  }
  void reset(std::size_t k) {
    if (!test(k)) return;
    const std::uint32_t last = elements_.back();
    elements_[slots_[k]] = last;
    slots_[last] = slots_[k];
    elements_.pop_back();
  }
  void clear() { elements_.clear(); }
  // In no particular order, but in the same order after the same operations.
  std::span<const std::uint32_t> elements() const { return elements_; }

 private:
  std::vector<std::uint32_t> slots_;  // the index of a member in elements_
  std::vector<std::uint32_t> elements_;
};

}  // namespace ptxopt
