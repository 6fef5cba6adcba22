// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/thread_dimensions.h"

#include <cstdint>

#include "analysis/threads/warp_numbers.h"

namespace ptxopt::analysis {

Interval warpsOf(Interval threads) {
  constexpr std::int64_t kWarpSize = isa::kWarpSize;
  return {threads.lowest / kWarpSize, threads.highest / kWarpSize};
}

namespace {

// All numbers of both are in one range of 32.
bool areOfOneWarp(Interval a, Interval b) {
  if (!a.isBounded() || !b.isBounded() || a.lowest < 0 || b.lowest < 0) return false;
  const Interval warps = hull(warpsOf(a), warpsOf(b));
  return warps.isSingle();
}

// The linear id (C8.3.6) where the access is executed; without bounds if the shape is not known.
Interval linearIdOf(const Access& access) {
  const LaunchShape& shape = access.origin->shape();
  if (shape.isOneRow()) return access.thread[0];
  if (!shape.block) return {};
  const auto [x, y, z] = *shape.block;
  return access.thread[0] + access.thread[1] * std::int64_t{x} +
         access.thread[2] * (std::int64_t{x} * y);
}

}  // namespace

unsigned freeDimensions(const Access& a, const Access& b, Threads threads) {
  unsigned dimensions = 0;
  for (unsigned k = 0; k < 3; ++k) {
    const bool isPinned = a.thread[k].isSingle() && a.thread[k] == b.thread[k];
    if (!isPinned) dimensions |= 1u << k;
  }
  constexpr unsigned kX = 1;
  if (threads == Threads::OfOneRow) return dimensions & kX;
  if (threads != Threads::DifferentWarps) return dimensions;
  if (areOfOneWarp(linearIdOf(a), linearIdOf(b))) return 0;
  if ((dimensions & kX) != 0 && rowsAreWholeWarps(a.origin->shape()) &&
      rowsAreWholeWarps(b.origin->shape())) {
    dimensions &= ~kX;
    if (!areOfOneWarp(a.thread[0], b.thread[0])) dimensions |= kWarpOfRow;
  }
  return dimensions;
}

}  // namespace ptxopt::analysis
