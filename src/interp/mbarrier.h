// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An mbarrier object, and what it has been through (PTX ISA 9.7.15.16).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "interp/race.h"

namespace ptxopt::interp {

struct Op;

// How this implementation uses the opaque 64 bits.
struct MbarrierObject {
  static constexpr std::uint32_t kBytes = 8;
  static constexpr std::uint64_t kCountMask = (1u << 20) - 1;  // also the largest count
  static constexpr std::uint64_t kTransactionMask = (1u << 22) - 1;
  std::uint64_t expected = 0;      // arrivals of a phase, bits 0 to 19
  std::uint64_t pending = 0;       // of this phase, bits 20 to 39
  std::uint64_t transactions = 0;  // modulo 2^22, bits 40 to 61
  bool phase = false;              // bit 63

  explicit MbarrierObject(std::uint64_t bits)
      : expected(bits & kCountMask),
        pending(bits >> 20 & kCountMask),
        transactions(bits >> 40 & kTransactionMask),
        phase(bits >> 63 != 0) {}
  std::uint64_t bits() const {
    return expected | pending << 20 | (transactions & kTransactionMask) << 40 |
           std::uint64_t{phase} << 63;
  }
  std::int32_t transactionCount() const;
  bool isComplete() const { return pending == 0 && transactionCount() == 0; }
};

// The state that an arrival returns.  The pending count stands where that of the object does.
struct MbarrierToken {
  static constexpr std::uint64_t kPhases = std::uint64_t{1} << 20;
  std::uint64_t phase = 0;    // modulo kPhases, since the beginning; bits 0 to 19
  std::uint64_t pending = 0;  // bits 20 to 39
  std::uint64_t place = 0;    // of the object in shared memory, in units of its size; bits 40 to 61
  bool parity = false;        // bit 63

  explicit MbarrierToken(std::uint64_t bits)
      : phase(bits & (kPhases - 1)),
        pending(bits >> 20 & MbarrierObject::kCountMask),
        place(bits >> 40 & MbarrierObject::kTransactionMask),
        parity(bits >> 63 != 0) {}
  static std::uint64_t make(const MbarrierObject& object, std::uint32_t phase,
                            std::uint64_t offset) {
    return (phase & (kPhases - 1)) | object.pending << 20 |
           (offset / MbarrierObject::kBytes & MbarrierObject::kTransactionMask) << 40 |
           std::uint64_t{object.phase} << 63;
  }
};

using SeenSnapshots = std::array<std::vector<Snapshot>, kScopeLevels>;

// Phases have numbers: those that are complete since the beginning.
struct MbarrierPhases {
  std::vector<Snapshot> pending;  // of who arrived in the current phase
  Snapshot completed;             // of all who arrived in the one before it
  // Threads with relaxed waits, which order nothing: the number of phases of which they know.
  std::map<AgentId, std::uint32_t> seen;
  std::uint32_t phases = 0;      // that are complete: the number of the current one
  std::uint32_t firstPhase = 0;  // the current one at mbarrier.init
  AgentId agent = 0;             // of the bulk copies that complete on it; 0 before the first one
  // Of the phases themselves: its clock is their number.  0: nobody looks for races.
  AgentId phaseAgent = 0;
  std::uint64_t bits = 0;    // of the object, after the last operation on it
  const Op* init = nullptr;  // the mbarrier.init; null: there is no object
  const Op* last = nullptr;  // the last operation that a thread executed on it
  bool isObserved = false;   // a wait has seen that the phase before is complete
  bool hasLayout1 = false;   // .layout::v1
  // What relaxed arrivals behind a tcgen05.fence pass on, in the current phase and in the one
  // before.
  std::vector<ClockRef> pendingFenced;
  std::vector<ClockRef> completedFenced;
  // What strong reads of copies that completed in the current phase, or in the one before, have
  // seen, by the level of the fence that acquires it.
  SeenSnapshots pendingSeen;
  SeenSnapshots completedSeen;
  // clusterlaunchcontrol.try_cancel that failed, in the same phases; null: none.
  const Op* failedRequest = nullptr;
  const Op* completedFailure = nullptr;

  // The number of the phase for which a thread waits that names this parity: of the last phase that
  // it knows to be complete, or of the next one, since no other phase may be current or the last
  // one before it (PTX ISA 9.7.15.16.16).
  std::int64_t phaseOf(bool parity, const ThreadClock& known) const;
  bool isFirst() const { return phases == firstPhase; }
};

}  // namespace ptxopt::interp
