// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/async_protocol.h"

namespace ptxopt::analysis {

// docs/soundness/ G4.2
bool mbarrierConflict(AccessKinds above, AccessKinds below, const AsyncProtocol& protocol) {
  // A phase has one arrival, which expects bytes, and who comes to it has waited for the phase
  // before: nobody can come too early, and the phase is open until all of its copies are done.
  const bool isOpenUntilCopied = protocol.hasOneArrival && protocol.observesPhases;
  if (below == kMbarrierWait) return false;  // walked by all: the wait waits
  switch (above) {
    case kMbarrierWait:
      // The phase must not end before all threads have tested the one before it.
      return below != kMbarrierArriveExpect || !isOpenUntilCopied || !protocol.separatesCopies;
    case kMbarrierArrive:
      return below == kMbarrierExpect || below == kMbarrierCopy;
    case kMbarrierArriveExpect:
      return below == kMbarrierExpect || (below == kMbarrierCopy && !isOpenUntilCopied);
    default:
      return true;
  }
}

// docs/soundness/ G7.3
bool tensorConflict(AccessKinds above, AccessKinds below, const AsyncProtocol& protocol) {
  if (below == kTensorAfter) return above == kTensorBefore;
  if (((above | below) & (kTensorBefore | kTensorAfter)) != 0) return false;
  const bool areAllocations = (above & below & kTensorAllocation) != 0;
  if (areAllocations) return true;
  // A permit that is given up touches no memory.
  if (above == kTensorAllocation || below == kTensorAllocation) return false;
  const bool areOfWarps = (above & below & kTensorLanes) != 0;
  if (areOfWarps && protocol.hasOwnLanes) return false;
  return ((above | below) & kWrite) != 0;
}

}  // namespace ptxopt::analysis
