// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/mbarrier.h"

#include <algorithm>

namespace ptxopt::interp {

std::int32_t MbarrierObject::transactionCount() const {
  const auto count = static_cast<std::int32_t>(transactions & kTransactionMask);
  constexpr auto kRange = static_cast<std::int32_t>(kTransactionMask + 1);
  return count < kRange / 2 ? count : count - kRange;
}

std::int64_t MbarrierPhases::phaseOf(bool parity, const ThreadClock& known) const {
  std::uint32_t complete = known.base() == nullptr ? 0 : known.base()->at(phaseAgent);
  if (const auto own = seen.find(known.agent()); own != seen.end()) {
    complete = std::max(complete, own->second);
  }
  const std::int64_t next = std::max(complete, firstPhase);
  const bool isNext = ((next - firstPhase) % 2 != 0) == parity;
  return isNext ? next : next - 1;
}

}  // namespace ptxopt::interp
