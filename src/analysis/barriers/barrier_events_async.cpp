// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The events of asynchronous operations that stay in the CTA: docs/soundness/ G1, G2, G4.
#include <algorithm>

#include "analysis/async/mbarrier_operand.h"
#include "analysis/barriers/barrier_events.h"
#include "ir/module.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;

constexpr AccessKinds kAsyncRead = kRead | kAsync;
constexpr AccessKinds kAsyncWrite = kWrite | kAsync;

AccessKinds kindOf(isa::AsyncRole role) {
  switch (role) {
    case isa::AsyncRole::Wait:
      return kMbarrierWait;
    case isa::AsyncRole::Arrive:
      return kMbarrierArrive;
    case isa::AsyncRole::ArriveExpect:
      return kMbarrierArriveExpect;
    case isa::AsyncRole::Expect:
      return kMbarrierExpect;
    case isa::AsyncRole::CopyIn:
      return kMbarrierCopy;
    case isa::AsyncRole::TensorCommit:
      return kMbarrierArrive;
    default:
      // mbarrier.init and .inval; strong, so that no bar.warp.sync is left to order them (G5).
      return kRead | kWrite | kStrongWrite;
  }
}

// The operands of a bulk or tensor copy in memory.  A tensor is a list, and has no address.
struct CopyOperands {
  const Operand* destination = nullptr;
  const Operand* source = nullptr;
};

// What a bulk copy or reduction does to its destination.
AccessKinds changesOf(const Instruction& copy) {
  return copy.desc->has(".reduce") ? kAsyncWrite | kRead : kAsyncWrite;
}

CopyOperands operandsOf(const Instruction& copy) {
  const auto addressAt = [&](std::size_t k) {
    const Operand* const operand = copy.operand(k);
    const bool isOne = operand != nullptr && operand->kind == ir::OperandKind::Address;
    return isOne ? operand : nullptr;
  };
  return {addressAt(0), addressAt(1)};
}

}  // namespace

void BarrierEvents::addAsync(std::uint32_t body, const Instruction& instruction,
                             isa::AsyncRole role) {
  switch (role) {
    case isa::AsyncRole::Neutral:
      return;
    case isa::AsyncRole::ProxyFence:
      // One that all execute is on every path on which it was (G6.2).
      if (!async_->isExecutedByAll(instruction) && !addSync(body, instruction, Ordered::Both)) {
        addMarks(body, instruction, kOpaqueSync, Ordered::Both);
      }
      return;
    case isa::AsyncRole::CopyIn:
    case isa::AsyncRole::CopyOut:
      addBulkCopy(body, instruction, role);
      return;
    case isa::AsyncRole::BulkWait:
      if (completesNothing(body, instruction)) return;
      addCompletion(body, instruction, completed_.bulkReads, Ordered::AsUpper);
      if (!instruction.desc->has(".read")) {
        addCompletion(body, instruction, completed_.bulkWrites, Ordered::AsUpper);
      }
      return;
    case isa::AsyncRole::Product:
      addAccess(body, instruction, kAsyncRead, {Domain::Shared}, Ordered::AsLower);
      return;
    case isa::AsyncRole::ProductWait:
      if (completesNothing(body, instruction)) return;
      addAccess(body, instruction, kAsyncRead, {Domain::Shared}, Ordered::AsUpper);
      return;
    case isa::AsyncRole::TensorAlloc:
    case isa::AsyncRole::TensorDealloc:
    case isa::AsyncRole::TensorRelinquish:
    case isa::AsyncRole::TensorLoad:
    case isa::AsyncRole::TensorStore:
    case isa::AsyncRole::TensorWait:
    case isa::AsyncRole::TensorProduct:
    case isa::AsyncRole::TensorBefore:
    case isa::AsyncRole::TensorAfter:
      addOnTensorMemory(body, instruction, role);
      return;
    default:
      addOnMbarrier(body, instruction, role);
  }
}

// docs/soundness/ G7
void BarrierEvents::addOnTensorMemory(std::uint32_t body, const Instruction& instruction,
                                      isa::AsyncRole role) {
  const auto add = [&](AccessKinds kinds, Ordered ordered = Ordered::Both,
                       const Access* executor = nullptr) {
    addAccess(body, instruction, kinds, {Domain::Tensor}, ordered, executor);
  };
  const isa::InstructionDesc& desc = *instruction.desc;
  switch (role) {
    case isa::AsyncRole::TensorAlloc:
    case isa::AsyncRole::TensorDealloc:
      add(kTensorAllocation | kAsyncRead | kAsyncWrite);
      break;
    case isa::AsyncRole::TensorRelinquish:
      return add(kTensorAllocation);
    case isa::AsyncRole::TensorLoad:
      return add(kTensorLanes | kAsyncRead);
    case isa::AsyncRole::TensorStore:
      return add(kTensorLanes | kAsyncWrite);
    case isa::AsyncRole::TensorWait:
      if (completesNothing(body, instruction)) return;
      return add(kTensorLanes | (desc.has(".wait::ld") ? kAsyncRead : kAsyncWrite),
                 Ordered::AsUpper);
    case isa::AsyncRole::TensorProduct: {
      const Addresses* const addresses = bodies_[body].addresses;
      add(kAsyncRead | kAsyncWrite, Ordered::Both,
          addresses == nullptr ? nullptr : addresses->executorOf(instruction));
      if (desc.has(".shift")) return;
      return addAccess(body, instruction, kAsyncRead, {Domain::Shared}, Ordered::AsLower);
    }
    case isa::AsyncRole::TensorBefore:
      return add(kTensorBefore);
    default:
      return add(kTensorAfter);
  }
  if (role != isa::AsyncRole::TensorAlloc) return;
  // The address that it writes to shared memory.
  const Operand* const address = instruction.operand(0);
  const Domain domain = desc.space == isa::Space::None ? Domain::Any : Domain::Shared;
  addAccess(body, instruction, kAsyncWrite, placeOf(body, {0, domain, address, Ordered::Both}),
            Ordered::Both, accessOf(body, instruction, address));
}

// What the copy does to memory counts where it is issued, as a lower member.  Where it is seen to
// be complete it counts for the waits of its group; all threads wait at an mbarrier themselves
// (G2).
void BarrierEvents::addBulkCopy(std::uint32_t body, const Instruction& copy, isa::AsyncRole role) {
  const auto place = [&](const Operand* address, Domain domain) {
    return placeOf(body, {0, domain, address, Ordered::AsLower});
  };
  const auto [destination, source] = operandsOf(copy);
  const bool isIn = role == isa::AsyncRole::CopyIn;
  const Domain from = isIn && copy.desc->has(".global") ? Domain::Global : Domain::Shared;
  const Domain to = isIn ? Domain::Shared : Domain::Global;
  addAccess(body, copy, kAsyncRead, place(source, from), Ordered::AsLower,
            accessOf(body, copy, source));
  addAccess(body, copy, changesOf(copy), place(destination, to), Ordered::AsLower,
            accessOf(body, copy, destination));
  if (isIn) addOnMbarrier(body, copy, role);
}

void BarrierEvents::addOnMbarrier(std::uint32_t body, const Instruction& instruction,
                                  isa::AsyncRole role) {
  const Operand* const object = mbarrierOperand(instruction, role);
  const bool isGeneric =
      role != isa::AsyncRole::CopyIn && instruction.desc->space == isa::Space::None;
  const Place place =
      placeOf(body, {0, isGeneric ? Domain::Any : Domain::Shared, object, Ordered::Both});
  // A later issue is only a slower copy (C4.5).
  const Ordered ordered = role == isa::AsyncRole::CopyIn ? Ordered::AsLower : Ordered::Both;
  addAccess(body, instruction, kindOf(role), place, ordered, accessOf(body, instruction, object));
}

void BarrierEvents::findBulkCopies() {
  for (std::uint32_t k = 0; k < bodies_.size(); ++k) {
    const Cfg& cfg = *bodies_[k].cfg;
    for (const BlockId b : cfg.blocks()) {
      for (const Instruction& copy : cfg.instructions(b)) {
        if (isa::asyncRoleOf(*copy.desc) != isa::AsyncRole::CopyOut) continue;
        const auto [destination, source] = operandsOf(copy);
        completed_.bulkReads.add(kAsyncRead,
                                 placeOf(k, {0, Domain::Shared, source, Ordered::AsUpper}),
                                 accessOf(k, copy, source));
        completed_.bulkWrites.add(changesOf(copy),
                                  placeOf(k, {0, Domain::Global, destination, Ordered::AsUpper}),
                                  accessOf(k, copy, destination));
      }
    }
  }
}

}  // namespace ptxopt::analysis
