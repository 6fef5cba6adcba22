// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bulk copies in flight.  Internal to Machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "interp/machine.h"

namespace ptxopt::interp {

// Of clusterlaunchcontrol.try_cancel.
struct LaunchResponse {
  bool isDecided = false;
  bool hasFailed = false;
  // As decodeLaunchControl() has it: 1, x, y and z of the first CTA; or zeros.
  std::array<std::uint32_t, 4> words{};
};

// What an asynchronous operation with strong accesses (.relaxed, .release) knows: its write takes
// part in patterns when it happens, and with what its thread knew at the issue.
struct Machine::StrongWrite {
  StrongWrite(Machine& machine, Thread& thread, const Bulk& bulk, AgentId writer);
  void read(const Bulk& bulk);
  void write(Machine& machine, const Bulk& bulk);
  // To who observes that the operation is complete.
  void passSeen(SeenSnapshots& seen) const;

  ThreadClock view;  // `released`: what its write publishes; `seen`: what its reads have seen
  Access access;
  Home home;
};

// A bulk copy, a reduction or an asynchronous store.  It reads its source, and writes later.  It
// belongs to an mbarrier or, if `barrier` is null, to a bulk group of its thread, or to nothing if
// it is a store that releases.
struct Machine::Bulk {
  Thread* issuer = nullptr;
  const Op* op = nullptr;
  const BulkForm* form = nullptr;
  Place to;
  Place from;
  std::uint32_t size = 0;
  std::unique_ptr<TensorTransfer> tensor;  // of a tensor copy; `to` or `from` is empty then
  std::vector<std::uint8_t> data;          // set once the source has been read
  bool isRead = false;
  bool landed = false;
  std::uint16_t byteMask = kAllBytes;  // .cp_mask: those of each 16 bytes that are copied
  // .ignore_oob: bytes at the beginning and at the end that need not be in the source.  `from` is
  // what is between.
  std::uint32_t ignoredLeft = 0;
  std::uint32_t ignoredRight = 0;
  std::unique_ptr<StrongWrite> strong;       // null: weak
  std::shared_ptr<LaunchResponse> response;  // of clusterlaunchcontrol.try_cancel, for all its CTAs
  Cta* barrier = nullptr;                    // the CTA whose shared memory contains the mbarrier
  std::uint64_t barrierOffset = 0;
  std::uint32_t clock = 0;
  bool committed = false;
  std::uint32_t group = 0;

  static constexpr std::uint32_t kUnit = 16;  // bytes: of a size, and of .cp_mask
  static constexpr std::uint16_t kAllBytes = 0xffff;
  bool ignores() const { return (ignoredLeft | ignoredRight) != 0; }

  // visit(offset, size) for the pieces of `total` bytes that are copied.
  template <class Visit>
  void forCopied(std::uint32_t total, Visit visit) const {
    if (byteMask == kAllBytes) return visit(std::uint32_t{0}, total);
    for (std::uint32_t at = 0; at < total;) {
      std::uint32_t end = at;
      while (end < total && (byteMask >> end % kUnit & 1) != 0) ++end;
      if (end != at) visit(at, end - at);
      at = std::max(end, at + 1);
    }
  }
};

}  // namespace ptxopt::interp
