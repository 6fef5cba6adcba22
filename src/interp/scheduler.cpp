// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/scheduler.h"

#include <algorithm>
#include <utility>

namespace ptxopt::interp {

std::string_view spelling(Policy policy) {
  switch (policy) {
    case Policy::RoundRobin:
      return "round-robin";
    case Policy::Random:
      return "random";
    case Policy::LaneByLane:
      return "lane-by-lane";
    case Policy::Backwards:
      return "backwards";
    case Policy::WarpAhead:
      return "warp-ahead";
    case Policy::WarpBehind:
      return "warp-behind";
    case Policy::PreferWaiting:
      return "prefer-waiting";
  }
  return "";
}

void Scheduler::grow(std::size_t size) {
  const BitSet before = std::exchange(runnable_, BitSet(size));
  before.forEach([&](std::size_t thread) { runnable_.set(thread); });
  patience_ = 256 + 4 * size;
  if (policy_ == Policy::WarpAhead || policy_ == Policy::WarpBehind) {
    favoured_ = random((size + kWarp - 1) / kWarp);
  }
}

std::size_t Scheduler::next(std::size_t from) const {
  const std::size_t found = runnable_.findNext(from);
  return found != kNone ? found : runnable_.findNext(0);
}

std::size_t Scheduler::last() const {
  for (std::size_t k = runnable_.size(); k-- > 0;) {
    if (runnable_.test(k)) return k;
  }
  return kNone;
}

std::size_t Scheduler::inWarp(std::size_t warp) const {
  const std::size_t found = runnable_.findNext(warp * kWarp);
  return found != kNone && found / kWarp == warp ? found : kNone;
}

std::size_t Scheduler::outsideOfWarp() {
  std::size_t found = next(random(runnable_.size()));
  if (found == kNone || found / kWarp != favoured_) return found;
  found = next((favoured_ + 1) * kWarp);
  return found / kWarp != favoured_ ? found : kNone;
}

std::size_t Scheduler::choose() {
  switch (policy_) {
    case Policy::RoundRobin:
      return next(current_ + 1);
    case Policy::Random:
      return next(random(runnable_.size()));
    case Policy::LaneByLane:
      return runnable_.test(current_) ? current_ : next(0);
    case Policy::Backwards:
      return runnable_.test(current_) ? current_ : last();
    case Policy::WarpAhead: {
      const std::size_t found = inWarp(favoured_);
      if (found == kNone) return next(random(runnable_.size()));
      const std::size_t other = next(current_ + 1);
      return other / kWarp == favoured_ ? other : found;
    }
    case Policy::WarpBehind: {
      const std::size_t found = outsideOfWarp();
      return found != kNone ? found : next(0);
    }
    case Policy::PreferWaiting:
      return runnable_.test(favoured_) ? favoured_ : next(random(runnable_.size()));
  }
  return kNone;
}

std::size_t Scheduler::pick() {
  if (fairTurns_ > 0) {
    --fairTurns_;
    current_ = next(current_ + 1);
  } else if (++choices_ > patience_) {
    choices_ = 0;
    fairTurns_ = runnable_.count();
    current_ = next(current_ + 1);
  } else {
    current_ = choose();
  }
  if (current_ != kNone) return current_;
  current_ = 0;
  return kNone;
}

}  // namespace ptxopt::interp
