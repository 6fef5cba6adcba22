// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the thread that runs next.
//
// Threads interleave freely (independent thread scheduling).  The policies are adversaries: each
// produces orders that a fair policy makes unlikely.  All are fair eventually: after kPatience
// choices every thread that can run gets a turn, so that waiting for another thread terminates.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string_view>

#include "support/bit_set.h"

namespace ptxopt::interp {

enum class Policy : std::uint8_t {
  RoundRobin,
  Random,
  LaneByLane,     // the lowest thread as long as it can run, then the next
  Backwards,      // the same, starting at the highest
  WarpAhead,      // one warp whenever it can, the others at random
  WarpBehind,     // one warp only if nothing else can run
  PreferWaiting,  // the thread that was last released from a wait
};
inline constexpr std::array kPolicies = {
    Policy::RoundRobin, Policy::Random,     Policy::LaneByLane,   Policy::Backwards,
    Policy::WarpAhead,  Policy::WarpBehind, Policy::PreferWaiting};
std::string_view spelling(Policy policy);

class Scheduler {
 public:
  static constexpr std::size_t kNone = BitSet::kEnd;

  Scheduler(Policy policy, std::uint64_t seed) : policy_(policy), random_(seed) {}

  // From now on there are threads 0 .. size-1, in warps of 32.
  void grow(std::size_t size);

  void setRunnable(std::size_t thread) {
    runnable_.set(thread);
    if (policy_ == Policy::PreferWaiting) favoured_ = thread;
  }
  void setBlocked(std::size_t thread) { runnable_.reset(thread); }
  bool isRunnable(std::size_t thread) const { return runnable_.test(thread); }
  // kNone if no thread can run.
  std::size_t pick();
  // The next pick() goes on after this thread.
  void goOnAfter(std::size_t thread) { current_ = thread; }
  // 0 .. bound-1.
  std::uint64_t random(std::uint64_t bound) { return random_() % bound; }

 private:
  static constexpr std::size_t kWarp = 32;

  std::size_t next(std::size_t from) const;  // in a circle
  std::size_t last() const;
  std::size_t inWarp(std::size_t warp) const;
  std::size_t outsideOfWarp();
  std::size_t choose();

  Policy policy_;
  std::mt19937_64 random_;
  BitSet runnable_;
  std::size_t current_ = 0;
  std::size_t favoured_ = 0;  // a warp, or the thread that was released last
  std::uint64_t patience_ = 0;
  std::uint64_t choices_ = 0;
  std::uint64_t fairTurns_ = 0;
};

}  // namespace ptxopt::interp
