// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/limits.h"

#include <algorithm>
#include <atomic>

namespace ptxopt {

namespace detail {
constinit std::array<std::size_t, kLimits.size()> bounds = [] {
  std::array<std::size_t, kLimits.size()> all{};
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = kLimits[k].most;
  return all;
}();
}  // namespace detail

void tightenLimits(std::size_t divisor) {
  for (std::size_t k = 0; k < kLimits.size(); ++k) {
    detail::bounds[k] = std::max<std::size_t>(1, kLimits[k].most / divisor);
  }
}

namespace {
std::array<std::atomic<std::uint64_t>, kLimits.size()> counters;
}  // namespace

void noteMet(Limit limit) {
  counters[static_cast<std::size_t>(limit)].fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t timesMet(Limit limit) {
  return counters[static_cast<std::size_t>(limit)].load(std::memory_order_relaxed);
}

}  // namespace ptxopt
