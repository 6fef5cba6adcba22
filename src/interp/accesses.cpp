// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/accesses.h"

#include <algorithm>
#include <bit>

namespace ptxopt::interp {

void Groups::clear() {
  list_.clear();
  warps_ = 0;
  end_ = 0;
}

void Groups::recordAgain(const Access& access) {
  const std::uint32_t warp = access.agent / 32;
  const std::uint32_t bit = 1u << access.agent % 32;
  if (last_ < list_.size() && takes(list_[last_], access) && (otherMask_ & bit) == 0) {
    list_[last_].mask |= bit;
    return;
  }
  bool done = false;
  otherMask_ = 0;
  for (std::size_t k = 0; k < list_.size();) {
    LaneGroup& group = list_[k];
    if (takes(group, access)) {
      group.mask |= bit;
      last_ = static_cast<std::uint32_t>(k);
      done = true;
    } else if (group.warp == warp && group.operation == access.operation) {
      group.mask &= ~bit;
      if (group.mask == 0) {
        group = list_.back();
        list_.pop_back();
        continue;
      }
      otherMask_ |= group.mask;
    }
    ++k;
  }
  if (!done) push(access);
}

void Groups::record(const Access& access, std::uint32_t lanes) {
  Access next = access;
  while (lanes != 0) {
    // Lanes without other groups join that of the last access, whatever the others do.
    if (last_ < list_.size() && takes(list_[last_], access)) {
      list_[last_].mask |= lanes & ~otherMask_;
      lanes &= otherMask_;
    }
    if (lanes == 0) return;
    next.agent = access.agent / 32 * 32 + static_cast<std::uint32_t>(std::countr_zero(lanes));
    record(next);
    lanes &= lanes - 1;
  }
}

const LaneGroup* Groups::unknown(const ThreadClock& view) const {
  for (const LaneGroup& group : list_) {
    if (view.unknownLanes(group.warp, group.mask, group.clock) != 0) return &group;
  }
  return nullptr;
}

bool Groups::has(AgentId agent) const {
  const auto covers = [&](const LaneGroup& group) {
    return group.warp == agent / 32 && (group.mask >> agent % 32 & 1) != 0;
  };
  if (!mayHave(agent / 32)) return false;
  if (last_ < list_.size() && covers(list_[last_])) return true;
  return std::any_of(list_.begin(), list_.end(), covers);
}

bool Groups::knowsOne(const ThreadClock& view) const {
  return std::any_of(list_.begin(), list_.end(), [&](const LaneGroup& group) {
    return view.unknownLanes(group.warp, group.mask, group.clock) != group.mask;
  });
}

}  // namespace ptxopt::interp
