// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One access, as the auditor needs it.
#pragma once

#include <cstdint>

#include "interp/race.h"
#include "ir/statement.h"
#include "isa/isa.h"

namespace ptxopt::interp {

struct Segment;
struct Code;

struct AuditAccess {
  enum class Region : std::uint8_t { Global, Constant, Shared, Local, Parameter };

  const ir::Instruction* instruction = nullptr;
  std::uint64_t cta = 0;
  std::uint32_t thread = 0;  // in the CTA

  Region region = Region::Global;
  // Global and constant memory have one owner; the owner of shared memory is the cluster, that of
  // local memory the thread, by its number in the grid.
  std::uint64_t owner = 0;
  const Segment* segment = nullptr;  // null: memory of the thread, or parameters
  std::uint64_t address = 0;         // in its own space; shared: with the rank of the CTA
  std::uint64_t size = 0;
  // For local memory, if known: the function whose frame contains it, and the offset in the frame.
  const Code* frameOf = nullptr;
  std::uint64_t frameOffset = 0;
  bool isOwnShared = false;  // it belongs to the CTA of the thread

  bool reads = false;
  bool writes = false;
  // An access by a warp together: it is open which of its threads touches the bytes.
  bool isCollective = false;
  // The issue of a copy that continues in the background: a barrier orders it after accesses above,
  // but orders nothing below after it (docs/soundness/ C4.5, C5.2).
  bool isIssue = false;
  // By an operation on an mbarrier that is neither init nor inval: what it does to others of its
  // kind is a matter of phases, not of bytes (docs/soundness/ G4.1).
  bool isOnPhase = false;
  const ThreadClock* clock = nullptr;  // of the thread; null: the order is unknown

  // Identifies the object that the bytes belong to; together with the address it identifies a byte.
  std::uint64_t object() const { return static_cast<std::uint64_t>(region) << 56 | owner; }
  std::uint32_t warp() const { return thread / 32; }
};

// A thread of a CTA, or a whole warp, represented by one of its threads.
struct AuditAgent {
  std::uint32_t thread = 0;
  bool isWarp = false;

  std::uint32_t warp() const { return thread / 32; }
  // The two agents are certainly different.
  bool isOther(const AuditAgent& other) const {
    return isWarp || other.isWarp ? warp() != other.warp() : thread != other.thread;
  }
  friend bool operator==(const AuditAgent&, const AuditAgent&) = default;
};

inline AuditAgent agentOf(const AuditAccess& access) {
  return access.isCollective ? AuditAgent{access.warp() * 32, true}
                             : AuditAgent{access.thread, false};
}

}  // namespace ptxopt::interp
