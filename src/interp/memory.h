// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments of memory with bounds, and the map from generic addresses to segments.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interp/race.h"
#include "support/bit_set.h"

namespace ptxopt::interp {

struct Segment {
  std::string name;
  std::uint64_t base = 0;
  std::vector<std::uint8_t> bytes;
  bool isReadOnly = false;
  bool isShared = false;           // it belongs to a CTA
  bool isLive = true;              // not freed
  BitSet written;                  // empty: every byte counts as initialised
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
