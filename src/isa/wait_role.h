// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instruction is to the waits and fences of docs/soundness/ H: CTA barriers apart, all
// statements that only synchronise, and what waits for groups wait for.
//
// A spelling that is not in the instruction table has no role.
#pragma once

#include <cstdint>

#include "isa/isa.h"

namespace ptxopt::isa {

enum class WaitRole : std::uint8_t {
  None,
  // Of groups (H1): what is issued into one, what ends one, and what waits for them.
  CopyIssue,  // cp.async
  CopyCommit,
  CopyWait,     // cp.async.wait_group N
  CopyWaitAll,  // cp.async.wait_all
  BulkIssue,    // a bulk operation with .bulk_group
  BulkCommit,
  BulkWait,      // cp.async.bulk.wait_group N
  BulkReadWait,  // the same with .read
  ProductIssue,  // wgmma.mma_async
  ProductCommit,
  ProductWait,  // wgmma.wait_group N
  // tcgen05 (H2)
  TensorLoad,
  TensorStore,
  TensorLoadWait,
  TensorStoreWait,
  // Fences
  ProductFence,  // wgmma.fence
  ProxyFence,    // fence.proxy.async of both directions
  InitFence,     // fence.mbarrier_init
  MemoryFence,   // membar and fence, of a scope and without a restriction
  TensorBefore,  // tcgen05.fence::before_thread_sync
  TensorAfter,   // tcgen05.fence::after_thread_sync
  // Barriers of other groups of threads, and of grids
  WarpBarrier,    // bar.warp.sync
  ClusterArrive,  // barrier.cluster.arrive
  ClusterWait,    // barrier.cluster.wait
  GridWait,       // griddepcontrol.wait
  // mbarriers
  PhaseWait,  // mbarrier.test_wait and .try_wait with a parity, acquire
};
inline constexpr int kWaitRoleCount = static_cast<int>(WaitRole::PhaseWait) + 1;

// None for an instruction without a row.
inline WaitRole waitRoleOf(const InstructionDesc& desc) {
  return desc.waitRole;
}

// For classify(), when the rest is known, the AsyncRole included.  O(qualifiers).
WaitRole findWaitRole(const InstructionDesc& desc);

// Of a MemoryFence: Acquire, Release, AcqRel or Sc.  membar is fence.sc of its level, and a fence
// without a word is acq_rel (PTX ISA 9.7.15.4).
Semantics orderOfFence(const InstructionDesc& fence);

constexpr bool isCommit(WaitRole role) {
  return role == WaitRole::CopyCommit || role == WaitRole::BulkCommit ||
         role == WaitRole::ProductCommit;
}
constexpr bool isGroupWait(WaitRole role) {
  return role == WaitRole::CopyWait || role == WaitRole::CopyWaitAll ||
         role == WaitRole::BulkWait || role == WaitRole::BulkReadWait ||
         role == WaitRole::ProductWait;
}
constexpr bool isTensorWait(WaitRole role) {
  return role == WaitRole::TensorLoadWait || role == WaitRole::TensorStoreWait;
}

// A statement that does nothing but synchronise, and may be one that orders nothing.
constexpr bool isOnlySynchronization(WaitRole role) {
  switch (role) {
    case WaitRole::None:
    case WaitRole::CopyIssue:
    case WaitRole::BulkIssue:
    case WaitRole::ProductIssue:
    case WaitRole::TensorLoad:
    case WaitRole::TensorStore:
      return false;
    default:
      return true;
  }
}

// A set of roles.
class WaitRoles {
 public:
  void add(WaitRole role) { bits_ |= bit(role); }
  bool contains(WaitRole role) const { return (bits_ & bit(role)) != 0; }
  // O(roles there are).
  template <class Predicate>
  bool hasAny(Predicate&& predicate) const {
    for (int role = 0; role < kWaitRoleCount; ++role) {
      if (contains(WaitRole(role)) && predicate(WaitRole(role))) return true;
    }
    return false;
  }

 private:
  static_assert(kWaitRoleCount <= 32);
  static constexpr std::uint32_t bit(WaitRole role) { return 1u << static_cast<unsigned>(role); }

  std::uint32_t bits_ = 0;
};

}  // namespace ptxopt::isa
