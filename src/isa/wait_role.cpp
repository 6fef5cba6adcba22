// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa/wait_role.h"

#include "isa/async_role.h"

namespace ptxopt::isa {

namespace {

WaitRole ofCopy(const InstructionDesc& desc) {
  const bool isBulk = desc.has(".bulk");
  if (desc.has(".commit_group")) return isBulk ? WaitRole::BulkCommit : WaitRole::CopyCommit;
  if (desc.has(".wait_all")) return WaitRole::CopyWaitAll;
  if (desc.has(".wait_group")) {
    if (!isBulk) return WaitRole::CopyWait;
    return desc.has(".read") ? WaitRole::BulkReadWait : WaitRole::BulkWait;
  }
  return desc.effect == Effect::AsyncCopy ? WaitRole::CopyIssue : WaitRole::None;
}

WaitRole ofFence(const InstructionDesc& desc) {
  if (desc.has(".mbarrier_init")) return WaitRole::InitFence;
  if (asyncRoleOf(desc) == AsyncRole::ProxyFence) return WaitRole::ProxyFence;
  const bool isPlain = desc.scope != Scope::None && !desc.has(".proxy") &&
                       desc.qualifiers.size() == (desc.semantics == Semantics::None ? 1u : 2u);
  return isPlain ? WaitRole::MemoryFence : WaitRole::None;
}

WaitRole ofWgmma(const InstructionDesc& desc) {
  if (desc.has(".mma_async")) return WaitRole::ProductIssue;
  if (desc.has(".commit_group")) return WaitRole::ProductCommit;
  if (desc.has(".wait_group")) return WaitRole::ProductWait;
  return desc.has(".fence") ? WaitRole::ProductFence : WaitRole::None;
}

WaitRole ofTcgen05(const InstructionDesc& desc) {
  if (desc.has(".wait::ld")) return WaitRole::TensorLoadWait;
  if (desc.has(".wait::st")) return WaitRole::TensorStoreWait;
  switch (asyncRoleOf(desc)) {
    case AsyncRole::TensorLoad:
      return WaitRole::TensorLoad;
    case AsyncRole::TensorStore:
      return WaitRole::TensorStore;
    case AsyncRole::TensorBefore:
      return WaitRole::TensorBefore;
    case AsyncRole::TensorAfter:
      return WaitRole::TensorAfter;
    default:
      return WaitRole::None;
  }
}

}  // namespace

WaitRole findWaitRole(const InstructionDesc& desc) {
  if (!desc.known()) return WaitRole::None;
  switch (desc.opcode) {
    case Opcode::Cp:
      if (const WaitRole role = ofCopy(desc); role != WaitRole::None) return role;
      break;
    case Opcode::Fence:
    case Opcode::Membar:
      return ofFence(desc);
    case Opcode::Wgmma:
      return ofWgmma(desc);
    case Opcode::Tcgen05:
      return ofTcgen05(desc);
    case Opcode::Mbarrier:
      return asyncRoleOf(desc) == AsyncRole::Wait ? WaitRole::PhaseWait : WaitRole::None;
    case Opcode::Barrier:
      if (!desc.has(".cluster")) return WaitRole::None;
      return desc.has(".arrive") ? WaitRole::ClusterArrive : WaitRole::ClusterWait;
    case Opcode::Griddepcontrol:
      return desc.has(".wait") ? WaitRole::GridWait : WaitRole::None;
    default:
      if (desc.effect == Effect::WarpBarrier) return WaitRole::WarpBarrier;
      break;
  }
  return desc.has(".bulk_group") ? WaitRole::BulkIssue : WaitRole::None;
}

Semantics orderOfFence(const InstructionDesc& fence) {
  if (fence.semantics != Semantics::None) return fence.semantics;
  return fence.opcode == Opcode::Membar ? Semantics::Sc : Semantics::AcqRel;
}

}  // namespace ptxopt::isa
