// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far apart two pointers must be that a kernel is launched with, so that two accesses, each
// through one of them, touch no common byte (docs/soundness/ C8(vi)).
//
// What the two threads add to the pointers is the sum of digits of difference.h, without the
// pointers themselves.  Where these digits have bounds, or are multiples of a large power of two,
// the accesses can meet only if the difference of the pointers is in one interval, modulo that
// power: a kernel can compare it at its entry.  Otherwise it is enough if the memory that is
// accessed through one pointer ends before that of the other, where --launch says how much it is
// (C10.15).
//
// Cost: that of one difference.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/addresses/alias.h"

namespace ptxopt::analysis {

// A parameter of the entry, or a member of one, of 64 bits.
struct LaunchPointer {
  ir::SymbolId symbol = ir::SymbolId::None;
  std::uint32_t offset = 0;  // of its first byte
  auto operator<=>(const LaunchPointer&) const = default;
};

struct PointerDistance {
  const ir::Function* kernel = nullptr;
  LaunchPointer first;  // less than `second`
  LaunchPointer second;
  unsigned bits = 64;
  // The accesses may meet only if first - second is congruent, modulo 2^bits, to one of these.
  // Bounded.
  Interval meeting;
  friend bool operator==(const PointerDistance&, const PointerDistance&) = default;
};

// None if no distance is known to suffice, or if the pointers of many programs are that close.
std::optional<PointerDistance> distanceToKeepApart(const Access& a, const Access& b,
                                                   Threads threads);

// One for each kernel, pair of pointers and power of two, which says what all of them together say.
// O(distances * those that are left).
void addDistance(std::vector<PointerDistance>& all, const PointerDistance& more);

}  // namespace ptxopt::analysis
