// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the intervals of a set that intersect a given one.
//
// The intervals are in an array, sorted by their lowest numbers.  The array is read as a balanced
// tree, in which each node stores the highest number of its subtree (an augmented tree, Cormen et
// al., chapter 14).  Cost: O(n log n) to build; a query O(log n + found * log n) at most.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/interval.h"

namespace ptxopt {

class IntervalIndex {
 public:
  struct Entry {
    Interval interval;  // not empty
    std::uint32_t id = 0;
  };

  IntervalIndex() = default;
  explicit IntervalIndex(std::vector<Entry> entries)
      : entries_(std::move(entries)), highest_(entries_.size()) {
    std::ranges::sort(entries_, {}, [](const Entry& entry) { return entry.interval.lowest; });
    findHighest(0, entries_.size());
  }

  // Calls visit(id), in any order.
  template <class Visitor>
  void forEachMeeting(Interval interval, Visitor&& visit) const {
    search(0, entries_.size(), interval, visit);
  }

 private:
  // For the subtree of the entries starting at `first`, whose root is in their middle.
  std::int64_t findHighest(std::size_t first, std::size_t end) {
    if (first == end) return Interval::kNoLowest;
    const std::size_t root = first + (end - first) / 2;
    highest_[root] = std::max(
        {entries_[root].interval.highest, findHighest(first, root), findHighest(root + 1, end)});
    return highest_[root];
  }

  template <class Visitor>
  void search(std::size_t first, std::size_t end, Interval interval, Visitor& visit) const {
    while (first != end) {
      const std::size_t root = first + (end - first) / 2;
      if (highest_[root] < interval.lowest) return;
      search(first, root, interval, visit);
      const Entry& entry = entries_[root];
      if (entry.interval.lowest > interval.highest) return;
      if (entry.interval.highest >= interval.lowest) visit(entry.id);
      first = root + 1;
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::int64_t> highest_;  // by entry: the highest number in its subtree
};

}  // namespace ptxopt
