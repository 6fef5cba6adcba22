// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/finding.h"

namespace ptxopt::check {

std::string_view spelling(Kind kind) {
  switch (kind) {
    case Kind::Race:
      return "race";
    case Kind::DivergentBarrier:
      return "divergent-barrier";
    case Kind::BarrierCount:
      return "barrier-count";
    case Kind::Deadlock:
      return "deadlock";
    case Kind::MissingFence:
      return "missing-fence";
    case Kind::MissingProxyFence:
      return "missing-proxy-fence";
    case Kind::MissingWait:
      return "missing-wait";
    case Kind::Uninitialised:
      return "uninitialised";
    case Kind::InactiveLane:
      return "inactive-lane";
  }
  return {};
}

std::string_view descriptionOf(Kind kind) {
  switch (kind) {
    case Kind::Race:
      return "Two threads access the same bytes, one of them writes, with no barrier between.";
    case Kind::DivergentBarrier:
      return "Some threads of the block do not reach the barrier.";
    case Kind::BarrierCount:
      return "Two instructions give one named barrier different numbers of threads.";
    case Kind::Deadlock:
      return "Threads wait for others that never arrive.";
    case Kind::MissingFence:
      return "There is no fence between data and the flag that says it is stored.";
    case Kind::MissingProxyFence:
      return "There is no fence.proxy.async between a store and the bulk copy that reads it.";
    case Kind::MissingWait:
      return "What an asynchronous copy writes is read before a wait for the copy.";
    case Kind::Uninitialised:
      return "Shared memory is read before anything has written it.";
    case Kind::InactiveLane:
      return "A shuffle reads from a lane that does not take part.";
  }
  return {};
}

std::string_view spelling(Certainty certainty) {
  return certainty == Certainty::Certain ? "certain" : "possible";
}

std::string_view spelling(Replay replay) {
  switch (replay) {
    case Replay::NotRun:
      return "not-run";
    case Replay::NotSeen:
      return "not-seen";
    case Replay::Seen:
      return "seen";
  }
  return {};
}

}  // namespace ptxopt::check
