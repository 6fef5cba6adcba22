// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One access as the auditor sees it.
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
  // Of global and constant memory, as it is one; of shared memory the cluster, of local memory the
  // thread, both by number in the grid.
  std::uint64_t owner = 0;
  const Segment* segment = nullptr;  // null: memory of the thread, or parameters
  std::uint64_t address = 0;         // in its own space; shared: with the rank of the CTA
  std::uint64_t size = 0;
  // Of local memory, where it is known: the function whose frame it is in, and the offset in it.
  const Code* frameOf = nullptr;
  std::uint64_t frameOffset = 0;
  bool isOwnShared = false;  // of the CTA of the thread

  bool reads = false;
  bool writes = false;
  // Of a warp together: which of its threads touches the bytes is open.
  bool isCollective = false;
  // Of a copy that goes on after it: a barrier orders it after what others did above, but orders
  // nothing below it (docs/soundness/ C4.5, C5.2).
  bool isIssue = false;
  const ThreadClock* clock = nullptr;  // of the thread; null: order is not known

  // A number for what the bytes belong to; with the address it is that of a byte.
  std::uint64_t object() const { return static_cast<std::uint64_t>(region) << 56 | owner; }
  std::uint32_t warp() const { return thread / 32; }
};

// Threads, or warps in the place of one of their threads, of a CTA.
struct AuditAgent {
  std::uint32_t thread = 0;
  bool isWarp = false;

  std::uint32_t warp() const { return thread / 32; }
  // For certain.
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
