// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operations on one mbarrier, and which accesses to tensor memory, conflict across a barrier:
// docs/soundness/ G4, G7.
#pragma once

#include "analysis/memory/memory_effects.h"

namespace ptxopt::analysis {

// What is known of the asynchronous operations of a kernel, besides that all threads walk through
// the phases of each mbarrier.
struct AsyncProtocol {
  // Each mbarrier is initialised with 1, so that a phase has one arrival.
  bool hasOneArrival = false;
  // Whoever expects or copies has himself seen the phase before complete, and each phase expects
  // what is copied in it.
  bool observesPhases = false;
  // Between a wait and a copy there is a barrier of all threads, on every path, and the sizes of
  // all copies are known.
  bool separatesCopies = false;
  // The block has four warps at most, so that each has lanes of tensor memory of its own.
  bool hasOwnLanes = false;
};

// `above` before the barrier and `below` after it, each one of kMbarrierKinds, by different threads
// and on one object.  A copy is never above (Ordered::AsLower).
bool mbarrierConflict(AccessKinds above, AccessKinds below, const AsyncProtocol& protocol);

// The same for two classes of Domain::Tensor.
bool tensorConflict(AccessKinds above, AccessKinds below, const AsyncProtocol& protocol);

}  // namespace ptxopt::analysis
