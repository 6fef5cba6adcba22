// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies, and the mbarriers on which they complete.
#include <algorithm>

#include "interp/decode/decoder.h"
#include "interp/decode/words.h"

namespace ptxopt::interp {

using isa::Opcode;
using isa::Space;
using isa::Type;

void Decoder::decodeCopyAsync(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.has(".bulk")) return decodeBulk(instruction, op);
  if (desc.has(".mbarrier")) {
    op.action = Action::ArriveAsync;
    op.a = address(operand(instruction, 0), op, op.immediate);
    if (desc.has(".noinc")) op.flags |= kSecond;
    return emit(op);
  }
  if (desc.has(".commit_group")) {
    op.action = Action::CommitAsync;
    return emit(op);
  }
  if (desc.has(".wait_group") || desc.has(".wait_all")) {
    op.action = Action::WaitAsync;
    op.a = desc.has(".wait_all") ? constant(0) : source(operand(instruction, 0), Type::U32);
    if (desc.has(".wait_all")) op.flags |= kSecond;  // also waits for copies in no group yet
    return emit(op);
  }
  // [d], [a], n{, src}: d is in shared memory, a in global memory.  lists: the offset of a.
  op.action = Action::CopyAsync;
  Op ignored = op;
  std::int64_t sourceOffset = 0;
  op.a = address(operand(instruction, 0), op, op.immediate);
  op.b = address(operand(instruction, 1), ignored, sourceOffset);
  if (sourceOffset != 0) op.index = constant(static_cast<std::uint64_t>(sourceOffset));
  op.c = source(operand(instruction, 2), Type::U32);
  op.e = op.c;
  // A fourth operand is the number of source bytes to read, unless it is the cache policy, or a
  // predicate to read none.
  const ir::Operand* fourth = instruction.operand(3);
  const std::size_t extra = desc.shape.size() - (desc.has(".L2::cache_hint") ? 1 : 0);
  if (fourth != nullptr && extra == 4) {
    const bool isPredicate = fourth->kind == ir::OperandKind::Register &&
                             function_->rangeOf(fourth->reg()).type == Type::Pred;
    if (isPredicate) {
      Op choose = prototype_;
      choose.compute = [](Frame r, const Op& o) { r[o.d] = r[o.a] != 0 ? 0 : r[o.b]; };
      choose.a = source(*fourth, Type::Pred);
      choose.b = op.c;
      choose.d = temporary();
      emit(choose);
      op.e = choose.d;
    } else {
      op.e = source(*fourth, Type::U32);
    }
  }
  emit(op);
}

AddressOperand Decoder::reference(const ir::Operand& operand) {
  Op trial;
  AddressOperand result;
  result.slot = address(operand, trial, result.offset);
  result.is32 = trial.is(kAddress32);
  return result;
}

void Decoder::emitBulk(Op op, BulkForm bulk) {
  op.action = Action::Bulk;
  op.index = static_cast<std::uint32_t>(code_->bulks.size());
  code_->bulks.push_back(std::move(bulk));
  emit(op);
}

// cp.async.bulk, cp.reduce.async.bulk: [d], [a], n{, [bar]}{, mask}{, policy}.
void Decoder::decodeBulk(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.has(".commit_group")) {
    op.action = Action::CommitBulk;
    return emit(op);
  }
  if (desc.has(".wait_group")) {
    op.action = Action::WaitBulk;
    op.a = source(operand(instruction, 0), Type::U32);
    if (desc.has(".read")) op.flags |= kSecond;
    return emit(op);
  }
  if (desc.has(".tensor")) return decodeTensorCopy(instruction, op);
  if (desc.has(".prefetch")) {
    op.action = Action::Nothing;
    return emit(op);
  }
  for (const std::string_view word : {".ignore_oob", ".cp_mask", ".relaxed", ".b128"}) {
    if (desc.has(word)) throw Problem{"bulk copies with " + std::string(word)};
  }
  BulkForm bulk;
  bulk.to = reference(operand(instruction, 0));
  bulk.from = reference(operand(instruction, 1));
  bulk.size = source(operand(instruction, 2), Type::U32);
  const bool toGlobal = desc.space == Space::Global;
  bulk.toSpace = toGlobal ? Space::Global : Space::SharedCluster;
  const bool fromShared = toGlobal || (desc.has(".shared::cluster") && desc.has(".shared::cta"));
  bulk.fromSpace = fromShared ? Space::SharedCluster : Space::Global;
  if (!desc.has(".bulk_group")) {
    bulk.barrier = reference(operand(instruction, 3));
    bulk.barrierSpace = Space::SharedCluster;
    if (desc.has(".multicast::cluster")) bulk.mask = source(operand(instruction, 4), Type::B16);
  }
  if (desc.has(".reduce")) {
    const AtomicOperation* operation = findWord(desc, kAtomicOperations);
    if (operation == nullptr) throw Problem{"this form is not implemented"};
    bulk.operation = *operation;
    bulk.type = op.type;
  }
  emitBulk(op, std::move(bulk));
}

// st.async, red.async: [a], b, [bar].
void Decoder::decodeStoreAsync(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (!desc.has(".mbarrier::complete_tx::bytes")) {
    throw Problem{"asynchronous stores without an mbarrier are not implemented"};
  }
  BulkForm bulk;
  bulk.to = reference(operand(instruction, 0));
  bulk.values = elements(operand(instruction, 1), op.type, false);
  bulk.barrier = reference(operand(instruction, 2));
  bulk.toSpace = op.space;
  bulk.barrierSpace = op.space;
  bulk.type = op.type == Type::B128 ? Type::B64 : op.type;
  if (desc.opcode == Opcode::Red) {
    const AtomicOperation* operation = findWord(desc, kAtomicOperations);
    if (operation == nullptr) throw Problem{"this form is not implemented"};
    bulk.operation = *operation;
  }
  emitBulk(op, std::move(bulk));
}

void Decoder::decodeMbarrier(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  op.action = Action::Mbarrier;
  op.type = Type::B64;
  const auto isExtension = [](std::string_view word) {
    return word.starts_with(".layout") || word.starts_with(".multicast") ||
           word.starts_with(".phase_type");
  };
  if (std::any_of(desc.qualifiers.begin(), desc.qualifiers.end(), isExtension)) {
    throw Problem{"this form is not implemented"};
  }
  const auto put = [&](MbarrierKind kind) { op.detail = static_cast<std::uint8_t>(kind); };
  const auto at = [&](std::size_t k) { op.a = address(operand(instruction, k), op, op.immediate); };
  const bool expects = desc.has(".expect_tx");
  if (desc.has(".init")) {
    put(MbarrierKind::Init);
    at(0);
    op.b = source(operand(instruction, 1), Type::U32);
  } else if (desc.has(".inval")) {
    put(MbarrierKind::Invalidate);
    at(0);
  } else if (desc.has(".pending_count")) {
    put(MbarrierKind::PendingCount);
    op.d = destination(operand(instruction, 0));
    op.b = source(operand(instruction, 1), Type::B64);
  } else if (desc.has(".arrive") || desc.has(".arrive_drop")) {
    const bool drops = desc.has(".arrive_drop");
    put(drops     ? (expects ? MbarrierKind::ArriveDropExpect : MbarrierKind::ArriveDrop)
        : expects ? MbarrierKind::ArriveExpect
                  : MbarrierKind::Arrive);
    if (desc.has(".noComplete")) op.flags |= kSecond;
    op.d = destination(operand(instruction, 0));
    at(1);
    const ir::Operand* count = instruction.operand(2);
    op.b = count != nullptr ? source(*count, Type::U32) : constant(1);
  } else if (expects || desc.has(".complete_tx")) {
    put(expects ? MbarrierKind::ExpectTransactions : MbarrierKind::CompleteTransactions);
    at(0);
    op.b = source(operand(instruction, 1), Type::U32);
  } else if (desc.has(".test_wait") || desc.has(".try_wait")) {
    if (instruction.operand(0)->kind == ir::OperandKind::Pair) {
      throw Problem{"this form is not implemented"};
    }
    put(desc.has(".parity") ? MbarrierKind::TestParity : MbarrierKind::Test);
    op.d = destination(operand(instruction, 0));
    at(1);
    op.b = source(operand(instruction, 2), desc.has(".parity") ? Type::U32 : Type::B64);
  } else {
    throw Problem{"this form is not implemented"};
  }
  emit(op);
}

}  // namespace ptxopt::interp
