// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small cache in front of the interner, for names that a text repeats often.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "support/interner.h"

namespace ptxopt::parse {

// A direct-mapped cache of names of up to 16 bytes, which are compared as two numbers.  Most names
// in a text are register stems and opcodes, a few dozen in all, so nearly every look-up is a hit.
class NameCache {
 public:
  explicit NameCache(Interner& names) : names_(names) {}

  // The sixteen bytes starting at `begin` must be readable.
  NameId intern(const char* begin, std::size_t size) {
    if (size > kMaxSize) return names_.intern({begin, size});
    std::uint64_t low;
    std::uint64_t high;
    std::memcpy(&low, begin, 8);
    std::memcpy(&high, begin + 8, 8);
    low &= kMasks[size].low;
    high &= kMasks[size].high;
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
    const std::uint64_t hash = (low ^ (high << 3 | high >> 61)) * kMultiplier;
    Entry& entry = entries_[hash >> (64 - kBits)];
    // A name has no zero byte, so the two numbers determine its size too.
    if (entry.low == low && entry.high == high) return entry.name;
    entry = {low, high, names_.intern({begin, size})};
    return entry.name;
  }

 private:
  static constexpr std::size_t kMaxSize = 16;
  static constexpr unsigned kBits = 8;
  struct Entry {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    NameId name = NameId::None;
  };
  struct Mask {
    std::uint64_t low;
    std::uint64_t high;
  };
  static constexpr std::array<Mask, kMaxSize + 1> kMasks = [] {
    std::array<Mask, kMaxSize + 1> masks{};
    for (std::size_t size = 1; size <= kMaxSize; ++size) {
      const auto ones = [](std::size_t bytes) {
        return bytes == 0 ? 0 : ~std::uint64_t{0} >> (64 - 8 * bytes);
      };
      masks[size] = {ones(size < 8 ? size : 8), ones(size < 8 ? 0 : size - 8)};
    }
    return masks;
  }();

  Interner& names_;
  std::array<Entry, 1u << kBits> entries_;
};

}  // namespace ptxopt::parse
