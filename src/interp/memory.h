// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments of memory with bounds, and the map from generic addresses to segments.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interp/shadow.h"

namespace ptxopt::interp {

// The first `bytes` bytes; a copy of a fixed size is one instruction.
inline std::uint64_t valueAt(const std::uint8_t* from, std::uint32_t bytes) {
  const auto copy = [&](auto value) {
    std::memcpy(&value, from, sizeof value);
    return std::uint64_t{value};
  };
  switch (bytes) {
    case 1:
      return copy(std::uint8_t{});
    case 2:
      return copy(std::uint16_t{});
    case 4:
      return copy(std::uint32_t{});
    default:
      return copy(std::uint64_t{});
  }
}
inline void putAt(std::uint8_t* to, std::uint64_t value, std::uint32_t bytes) {
  switch (bytes) {
    case 1:
      std::memcpy(to, &value, 1);
      break;
    case 2:
      std::memcpy(to, &value, 2);
      break;
    case 4:
      std::memcpy(to, &value, 4);
      break;
    default:
      std::memcpy(to, &value, 8);
      break;
  }
}

// Which bytes were written.  An empty object means that all were.
class WrittenBytes {
 public:
  WrittenBytes() = default;
  explicit WrittenBytes(std::uint64_t size) : words_((size + 63) / 64) {}

  bool empty() const { return words_.empty(); }
  bool test(std::uint64_t at) const { return (words_[at / 64] >> at % 64 & 1) != 0; }
  void reset(std::uint64_t at) { words_[at / 64] &= ~(std::uint64_t{1} << at % 64); }
  // Whether all of them were written.
  bool test(std::uint64_t begin, std::uint32_t size) const {
    if (begin % 64 + size < 64) {
      const std::uint64_t ones = (std::uint64_t{1} << size) - 1;
      return (words_[begin / 64] >> begin % 64 & ones) == ones;
    }
    for (const std::uint64_t end = begin + size; begin < end; begin = nextWord(begin)) {
      const std::uint64_t mask = maskOf(begin, end);
      if ((words_[begin / 64] & mask) != mask) return false;
    }
    return true;
  }
  void set(std::uint64_t begin, std::uint32_t size) {
    for (const std::uint64_t end = begin + size; begin < end; begin = nextWord(begin)) {
      words_[begin / 64] |= maskOf(begin, end);
    }
  }

 private:
  static std::uint64_t nextWord(std::uint64_t at) { return (at / 64 + 1) * 64; }
  // The bits from `begin` to `end` of the word with `begin`.
  static std::uint64_t maskOf(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t size = std::min(end, nextWord(begin)) - begin;
    return ~std::uint64_t{0} >> (64 - size) << begin % 64;
  }

  std::vector<std::uint64_t> words_;
};

struct Segment {
  std::string name;
  std::uint64_t base = 0;
  std::vector<std::uint8_t> bytes;
  bool isReadOnly = false;
  bool isShared = false;  // it belongs to a CTA
  bool isLive = true;     // not freed
  WrittenBytes written;
  std::unique_ptr<Shadow> shadow;  // null: races are not detected

  bool contains(std::uint64_t address, std::uint64_t size) const {
    return address >= base && address - base <= bytes.size() &&
           size <= bytes.size() - (address - base);
  }
};

// Everything in the .global and .const spaces.
class GlobalMemory {
 public:
  // Allocates at the next free address not below `from`, with a gap on both sides.
  Segment& allocate(std::string name, std::uint64_t size);
  Segment& place(std::string name, std::uint64_t base, std::vector<std::uint8_t> bytes,
                 bool isReadOnly);
  void setNext(std::uint64_t address) { next_ = address; }
  // The segment that contains all of the bytes; null if there is none.  `last` is tried first, and
  // is set to the result.
  Segment* find(std::uint64_t address, std::uint64_t size, Segment*& last) const;
  Segment* find(std::uint64_t address, std::uint64_t size) const {
    Segment* last = nullptr;
    return find(address, size, last);
  }
  // The last segment that begins at or before the address; for messages.
  const Segment* nearest(std::uint64_t address) const;
  std::deque<Segment>& segments() { return segments_; }

 private:
  std::deque<Segment> segments_;  // stable addresses
  std::map<std::uint64_t, Segment*> byBase_;
  std::uint64_t next_ = 0;
};

}  // namespace ptxopt::interp
