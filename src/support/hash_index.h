// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds numbers of objects by the hashes of the objects, which are stored elsewhere: one array with
// open addressing.
//
// Cost: O(1) expected; 8 bytes a slot, with two to four times as many slots as objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ptxopt {

// Fibonacci hashing: mixes one more value into a hash.
constexpr std::uint64_t mixedHash(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

class HashIndex {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  // The number that was added with this hash and for which isIt(number) is true; else kNone.
  template <class Predicate>
  std::uint32_t find(std::uint64_t hash, Predicate&& isIt) const {
    if (slots_.empty()) return kNone;
    const auto part = static_cast<std::uint32_t>(hash);
    for (std::size_t at = part & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.number == kNone || (slot.hash == part && isIt(slot.number))) return slot.number;
    }
  }

  // Makes room for that many.
  void reserve(std::size_t count) {
    while (2 * count > slots_.size()) grow();
  }
  // `number` must not be kNone.
  void add(std::uint64_t hash, std::uint32_t number) {
    if (2 * ++count_ > slots_.size()) grow();
    place({static_cast<std::uint32_t>(hash), number});
  }

 private:
  static constexpr std::size_t kFewest = 64;
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = kNone;
  };

  std::size_t mask() const { return slots_.size() - 1; }
  void place(Slot added) {
    std::size_t at = added.hash & mask();
    while (slots_[at].number != kNone) at = (at + 1) & mask();
    slots_[at] = added;
  }
  void grow() {
    const std::vector<Slot> before =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? kFewest : 2 * slots_.size()));
    for (const Slot& slot : before) {
      if (slot.number != kNone) place(slot);
    }
  }

  std::vector<Slot> slots_;  // their number is a power of two; at most half are used
  std::size_t count_ = 0;
};

}  // namespace ptxopt
