// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instruction is to asynchronous operations and to mbarrier objects: docs/soundness/ G1.
//
// A role is given to spellings that the contract names, qualifier by qualifier.  Everything else of
// these families is Other, so that a new qualifier is never taken for an old form.
#pragma once

#include <cstdint>

#include "isa/isa.h"

namespace ptxopt::isa {

enum class AsyncRole : std::uint8_t {
  None,          // of another family
  Neutral,       // no access: wgmma.fence, commits of groups, fence.mbarrier_init
  Init,          // mbarrier.init and .inval: a plain write of the object
  Wait,          // mbarrier.test_wait and .try_wait with a parity, acquire
  Arrive,        // mbarrier.arrive
  ArriveExpect,  // mbarrier.arrive.expect_tx
  Expect,        // mbarrier.expect_tx alone
  CopyIn,        // a bulk or tensor copy to shared memory that completes at an mbarrier
  CopyOut,       // a bulk or tensor copy or reduction to global memory, of a bulk group
  BulkWait,      // cp.async.bulk.wait_group
  Product,       // wgmma.mma_async
  ProductWait,   // wgmma.wait_group
  ProxyFence,    // fence.proxy.async, of both directions
  // tcgen05, of one CTA
  TensorAlloc,
  TensorDealloc,
  TensorRelinquish,  // the permit to allocate
  TensorLoad,
  TensorStore,
  TensorWait,     // wait::ld and wait::st
  TensorProduct,  // mma, cp and shift
  TensorCommit,
  TensorBefore,  // fence::before_thread_sync
  TensorAfter,   // fence::after_thread_sync
  Other,         // of these families, and not in the model
};

// It is on an mbarrier in use, or signals one; not init and inval.
constexpr bool isOnMbarrier(AsyncRole role) {
  switch (role) {
    case AsyncRole::Wait:
    case AsyncRole::Arrive:
    case AsyncRole::ArriveExpect:
    case AsyncRole::Expect:
    case AsyncRole::CopyIn:
    case AsyncRole::TensorCommit:
      return true;
    default:
      return false;
  }
}

inline AsyncRole asyncRoleOf(const InstructionDesc& desc) {
  return desc.asyncRole;
}

// For classify(), when the rest is known.  O(qualifiers).
AsyncRole findAsyncRole(const InstructionDesc& desc);

}  // namespace ptxopt::isa
