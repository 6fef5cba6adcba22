// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/limits.h"

#include <atomic>

namespace ptxopt {

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
