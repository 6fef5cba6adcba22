// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of small numbers, one bit for each number of a universe whose size is fixed at construction.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/ids.h"

namespace ptxopt {

// Numbers 0 .. size()-1.  Operations on two sets need equal sizes.  Single-element operations are
// O(1), the others O(size / 64).
class BitSet {
 public:
  static constexpr std::size_t kEnd = ~std::size_t{0};

  BitSet() = default;
  explicit BitSet(std::size_t size, bool full = false)
      : words_((size + 63) / 64, full ? ~std::uint64_t{0} : 0), size_(size) {
    if (full && size % 64 != 0) words_.back() = (std::uint64_t{1} << size % 64) - 1;
  }

  std::size_t size() const { return size_; }  // of the universe
  bool test(std::size_t k) const {
    assert(k < size_);
    return (words_[k / 64] >> k % 64 & 1) != 0;
  }
  // True if the set changed.
  bool set(std::size_t k) {
    const bool isNew = !test(k);
    words_[k / 64] |= std::uint64_t{1} << k % 64;
    return isNew;
  }
  void reset(std::size_t k) {
    assert(k < size_);
    words_[k / 64] &= ~(std::uint64_t{1} << k % 64);
  }
  template <IsId Id>
  bool test(Id id) const {
    return test(indexOf(id));
  }
  template <IsId Id>
  bool set(Id id) {
    return set(indexOf(id));
  }
  template <IsId Id>
  void reset(Id id) {
    reset(indexOf(id));
  }
  void clear() { std::fill(words_.begin(), words_.end(), 0); }

  std::size_t count() const {
    std::size_t sum = 0;
    for (const std::uint64_t word : words_) sum += static_cast<std::size_t>(std::popcount(word));
    return sum;
  }
  bool empty() const { return findNext(0) == kEnd; }
  // The smallest element that is not below `from`, or kEnd.
  std::size_t findNext(std::size_t from) const {
    if (from >= size_) return kEnd;
    std::size_t at = from / 64;
    std::uint64_t word = words_[at] & ~std::uint64_t{0} << from % 64;
    while (word == 0) {
      if (++at == words_.size()) return kEnd;
      word = words_[at];
    }
    return at * 64 + static_cast<std::size_t>(std::countr_zero(word));
  }
  // Calls visit(element) in ascending order.
  template <class Visitor>
  void forEach(Visitor&& visit) const {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      for (std::uint64_t word = words_[at]; word != 0; word &= word - 1) {
        visit(at * 64 + static_cast<std::size_t>(std::countr_zero(word)));
      }
    }
  }

  // The same for a set of ids.
  template <IsId Id, class Visitor>
  void forEach(Visitor&& visit) const {
    forEach([&](std::size_t k) { visit(Id{static_cast<std::uint32_t>(k)}); });
  }

  // True if the set changed.
  bool unite(const BitSet& other) {
    return combine(other, [](std::uint64_t a, std::uint64_t b) { return a | b; });
  }
  bool intersect(const BitSet& other) {
    return combine(other, [](std::uint64_t a, std::uint64_t b) { return a & b; });
  }
  bool subtract(const BitSet& other) {
    return combine(other, [](std::uint64_t a, std::uint64_t b) { return a & ~b; });
  }
  // Adds a list of elements.  True if the set changed.  O(list).
  bool unite(std::span<const std::uint32_t> elements) {
    bool changed = false;
    for (const std::uint32_t element : elements) changed |= set(element);
    return changed;
  }
  bool subtract(std::span<const std::uint32_t> elements) {
    bool changed = false;
    for (const std::uint32_t element : elements) {
      changed |= test(element);
      reset(element);
    }
    return changed;
  }
  bool intersects(const BitSet& other) const {
    assert(size_ == other.size_);
    for (std::size_t at = 0; at < words_.size(); ++at) {
      if ((words_[at] & other.words_[at]) != 0) return true;
    }
    return false;
  }

  friend bool operator==(const BitSet&, const BitSet&) = default;

 private:
  template <class Operation>
  bool combine(const BitSet& other, Operation operation) {
    assert(size_ == other.size_);
    std::uint64_t difference = 0;
    for (std::size_t at = 0; at < words_.size(); ++at) {
      const std::uint64_t result = operation(words_[at], other.words_[at]);
      difference |= result ^ words_[at];
      words_[at] = result;
    }
    return difference != 0;
  }

  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

}  // namespace ptxopt
