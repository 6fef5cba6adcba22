// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that several threads produce the same sequence of numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace ptxopt::interp {

// Threads of a CTA, or of one of its warps.
struct ThreadGroup {
  const std::vector<bool>* ended = nullptr;  // by thread of the CTA: it adds no more numbers
  std::uint32_t first = 0;
  std::uint32_t size = 0;

  static ThreadGroup cta(const std::vector<bool>& ended) {
    return {&ended, 0, static_cast<std::uint32_t>(ended.size())};
  }
  static ThreadGroup warpOf(std::uint32_t thread, const std::vector<bool>& ended) {
    const std::uint32_t first = thread / 32 * 32;
    return {&ended, first, std::min(32u, static_cast<std::uint32_t>(ended.size()) - first)};
  }
};

class Lockstep {
 public:
  struct Entry {
    std::uint64_t number = 0;
    std::uint32_t thread = 0;  // the first thread that came so far
  };

  // Adds the next number of a thread of the group.  Returns the entry of another thread at the same
  // position if it differs, else null.  O(1), occasionally O(threads).
  const Entry* add(const ThreadGroup& group, std::uint32_t thread, std::uint64_t number) {
    if (isGivenUp_) return nullptr;
    if (positions_.empty()) positions_.resize(group.size);
    const std::uint64_t at = positions_[thread - group.first]++ - dropped_;
    if (at == entries_.size()) {
      entries_.push_back({number, thread});
      if (entries_.size() >= kMostEntries + left_) drop(group);
      return nullptr;
    }
    const Entry& entry = entries_[at];
    return entry.number == number ? nullptr : &entry;
  }

 private:
  static constexpr std::size_t kMostEntries = 1024;
  static constexpr std::size_t kTooMany = 1u << 20;  // some thread spins, others are stuck

  // Drops the entries that all threads have passed.
  void drop(const ThreadGroup& group) {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t k = 0; k < positions_.size(); ++k) {
      if (!(*group.ended)[group.first + k]) least = std::min(least, positions_[k]);
    }
    while (!entries_.empty() && dropped_ < least) {
      entries_.pop_front();
      ++dropped_;
    }
    left_ = entries_.size();
    if (left_ < kTooMany) return;
    isGivenUp_ = true;
    entries_ = {};
  }

  std::vector<std::uint64_t> positions_;  // by thread
  std::deque<Entry> entries_;
  std::uint64_t dropped_ = 0;
  bool isGivenUp_ = false;
  std::size_t left_ = 0;  // when entries were last dropped
};

}  // namespace ptxopt::interp
