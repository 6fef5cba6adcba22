// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that begin or cease to wait: inline, since every thread does so at every barrier.
#pragma once

#include "interp/machine.h"

namespace ptxopt::interp {

inline void Machine::wake(Thread& thread) {
  Warp& warp = warpOf(thread);
  diverge(warp);
  warp.atCollective &= ~(1u << thread.lane());
  thread.state = State::Running;
  scheduler_->setRunnable(thread.index);
}

inline void Machine::block(Thread& thread, State state) {
  const std::uint32_t lane = 1u << thread.lane();
  if (state == State::AtCollective) warpOf(thread).atCollective |= lane;
  if (state == State::Exited) warpOf(thread).live &= ~lane;
  thread.state = state;
  scheduler_->setBlocked(thread.index);
}

}  // namespace ptxopt::interp
