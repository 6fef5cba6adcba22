// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A hash table for a walk down a tree: when the walk leaves a subtree, the entries made since the
// mark at its root are removed.
//
// Keys are sequences of words.  Lookup and insertion take O(words), amortised; going back costs
// O(1) for each removed entry.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ptxopt::passes {

class ScopedTable {
 public:
  using Words = std::span<const std::uint64_t>;
  static constexpr std::uint32_t kNothing = ~0u;

  // The last entry with this key; kNothing if there is none.
  std::uint32_t find(Words key) const {
    if (heads_.empty()) return kNothing;
    const std::uint64_t hash = hashOf(key);
    for (std::uint32_t at = heads_[hash & (heads_.size() - 1)]; at != kNothing;
         at = entries_[at].next) {
      const Entry& entry = entries_[at];
      if (entry.hash == hash && std::ranges::equal(keyOf(entry), key)) return entry.payload;
    }
    return kNothing;
  }

  // The same by a linear search: for checks.
  std::uint32_t findByComparing(Words key) const {
    for (std::size_t k = entries_.size(); k-- > 0;) {
      if (std::ranges::equal(keyOf(entries_[k]), key)) return entries_[k].payload;
    }
    return kNothing;
  }
  // The number of insertions so far, and the length of the longest bucket now: for logs.
  std::uint64_t entered() const { return entered_; }
  std::size_t longestChain() const {
    std::size_t longest = 0;
    for (const std::uint32_t head : heads_) {
      std::size_t length = 0;
      for (std::uint32_t at = head; at != kNothing; at = entries_[at].next) ++length;
      longest = std::max(longest, length);
    }
    return longest;
  }

  void insert(Words key, std::uint32_t payload) {
    ++entered_;
    if (entries_.size() >= heads_.size()) grow();
    const std::uint64_t hash = hashOf(key);
    std::uint32_t& head = heads_[hash & (heads_.size() - 1)];
    const Entry entry = {hash, words_.size(), static_cast<std::uint32_t>(key.size()), head,
                         payload};
    head = static_cast<std::uint32_t>(entries_.size());
    words_.insert(words_.end(), key.begin(), key.end());
    entries_.push_back(entry);
  }

  std::size_t mark() const { return entries_.size(); }
  void undoTo(std::size_t mark) {
    while (entries_.size() > mark) {
      const Entry& entry = entries_.back();
      heads_[entry.hash & (heads_.size() - 1)] = entry.next;
      words_.resize(entry.firstWord);
      entries_.pop_back();
    }
  }

  static std::uint64_t hashOf(Words key) {
    std::uint64_t hash = key.size();
    for (const std::uint64_t word : key) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return hash;
  }

 private:
  struct Entry {
    std::uint64_t hash;
    std::size_t firstWord;
    std::uint32_t wordCount;
    std::uint32_t next;  // in the same bucket, inserted before this one
    std::uint32_t payload;
  };
  Words keyOf(const Entry& entry) const {
    return Words(words_).subspan(entry.firstWord, entry.wordCount);
  }
  void grow() {
    heads_.assign(std::max<std::size_t>(256, heads_.size() * 2), kNothing);
    for (std::uint32_t k = 0; k < entries_.size(); ++k) {
      std::uint32_t& head = heads_[entries_[k].hash & (heads_.size() - 1)];
      entries_[k].next = head;
      head = k;
    }
  }

  std::uint64_t entered_ = 0;
  std::vector<std::uint32_t> heads_;  // their number is a power of two
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> words_;
};

// What is known by keys: a ScopedTable with a `Known` for each entry.
template <class Known>
class ScopedMap {
 public:
  using Words = ScopedTable::Words;

  // `isChecked`: each look-up is repeated by comparing all keys; if the table misses an equal key,
  // std::logic_error is thrown.
  explicit ScopedMap(bool isChecked) : isChecked_(isChecked) {}

  // Null if there is none.  Valid until the next insertion.
  const Known* find(Words key) {
    const std::uint32_t found = table_.find(key);
    if (isChecked_) {
      ++lookUps_;
      if (found != table_.findByComparing(key)) {
        throw std::logic_error("early-cse: the hash table misses an equal key");
      }
    }
    return found == ScopedTable::kNothing ? nullptr : &known_[found];
  }
  void insert(Words key, Known known) {
    known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(table_.mark()), known_.end());
    table_.insert(key, static_cast<std::uint32_t>(known_.size()));
    known_.push_back(std::move(known));
  }

  std::size_t mark() const { return table_.mark(); }
  void undoTo(std::size_t mark) { table_.undoTo(mark); }

  const ScopedTable& table() const { return table_; }
  std::uint64_t lookUps() const { return lookUps_; }  // counted only if checked

 private:
  ScopedTable table_;
  std::vector<Known> known_;  // those of entries that were removed go with the next insertion
  std::uint64_t lookUps_ = 0;
  const bool isChecked_;
};

}  // namespace ptxopt::passes
