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
  const auto isReport = [](std::string_view word) {
    return word.starts_with(".mbarrier::report") && word != ".mbarrier::report::disabled";
  };
  if (std::any_of(desc.qualifiers.begin(), desc.qualifiers.end(), isReport)) {
    throw Problem{"bulk copies with a report are not implemented"};
  }
  BulkForm bulk;
  bulk.to = reference(operand(instruction, 0));
  bulk.from = reference(operand(instruction, 1));
  bulk.size = source(operand(instruction, 2), Type::U32);
  bulk.isMultimem = instruction.is(Opcode::Multimem);
  const bool toGlobal = desc.space == Space::Global;
  bulk.toSpace = toGlobal ? Space::Global : Space::SharedCluster;
  const bool fromShared = toGlobal || (desc.has(".shared::cluster") && desc.has(".shared::cta"));
  bulk.fromSpace = fromShared ? Space::SharedCluster : Space::Global;
  std::size_t next = 3;
  if (desc.has(".ignore_oob")) {
    bulk.ignoredLeft = source(operand(instruction, next++), Type::U32);
    bulk.ignoredRight = source(operand(instruction, next++), Type::U32);
  }
  if (!desc.has(".bulk_group")) {
    bulk.barrier = reference(operand(instruction, next++));
    bulk.barrierSpace = Space::SharedCluster;
    const bool isWide = desc.has(".multicast::cluster::32b");
    if (isWide || desc.has(".multicast::cluster") || desc.has(".multicast::cluster::16b")) {
      bulk.mask = source(operand(instruction, next), isWide ? Type::B32 : Type::B16);
    }
  } else if (desc.has(".cp_mask")) {
    // After the cache policy.
    if (desc.has(".L2::cache_hint")) ++next;
    bulk.byteMask = source(operand(instruction, next), Type::B16);
  }
  if (desc.has(".reduce")) {
    const AtomicOperation* operation = findWord(desc, kAtomicOperations);
    if (operation == nullptr) throw Problem{"this form is not implemented"};
    bulk.operation = *operation;
    bulk.type = op.type;
  }
  emitBulk(op, std::move(bulk));
}

// st.async, red.async: [a], b, [bar], or with .release [a], b.
void Decoder::decodeStoreAsync(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  BulkForm bulk;
  bulk.to = reference(operand(instruction, 0));
  bulk.values = elements(operand(instruction, 1), op.type, false);
  bulk.toSpace = op.space;
  bulk.isMultimem = instruction.is(Opcode::Multimem);
  if (desc.has(".release")) {
    bulk.releases = true;
  } else {
    bulk.barrier = reference(operand(instruction, 2));
    bulk.barrierSpace = op.space;
  }
  bulk.type = op.type == Type::B128 ? Type::B64 : op.type;
  if (desc.opcode == Opcode::Red || desc.has(".red")) {
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
  const auto put = [&](MbarrierKind kind) { op.detail = static_cast<std::uint8_t>(kind); };
  const auto at = [&](std::size_t k) { op.a = address(operand(instruction, k), op, op.immediate); };
  const bool expects = desc.has(".expect_tx");
  const bool isMulticast = desc.has(".multicast::cluster::32b");
  // The mask comes last.
  if (isMulticast) op.c = source(operand(instruction, desc.shape.size() - 1), Type::B32);
  if (desc.has(".layout::v1")) op.flags |= kSecond;
  if (desc.has(".init")) {
    put(MbarrierKind::Init);
    at(0);
    op.b = source(operand(instruction, 1), Type::U32);
  } else if (desc.has(".check_layout")) {
    put(MbarrierKind::CheckLayout);
    op.d = destination(operand(instruction, 0));
    at(1);
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
    const bool counts = desc.shape.size() == (isMulticast ? 4 : 3);
    op.b = counts ? source(operand(instruction, 2), Type::U32) : constant(1);
  } else if (expects || desc.has(".complete_tx")) {
    put(expects ? MbarrierKind::ExpectTransactions : MbarrierKind::CompleteTransactions);
    at(0);
    op.b = source(operand(instruction, 1), Type::U32);
  } else if (desc.has(".test_wait") || desc.has(".try_wait")) {
    decodeMbarrierTest(instruction, op);
  } else {
    throw Problem{"this form is not implemented"};
  }
  emit(op);
}

// done{|report}{, value}, [bar], state or parity{, limit}.  No operation reports, so the
// conditional phase completes with the primary one, and the report and its value are zero, as with
// layout v0.
void Decoder::decodeMbarrierTest(const ir::Instruction& instruction, Op& op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  op.detail = static_cast<std::uint8_t>(desc.has(".parity") ? MbarrierKind::TestParity
                                                            : MbarrierKind::Test);
  const ir::Operand& done = operand(instruction, 0);
  std::size_t next = 1;
  const auto clear = [&](const ir::Operand& report) {
    if (report.kind == ir::OperandKind::Sink) return;
    Op zero = prototype_;
    zero.guard = op.guard;
    zero.guardExpected = op.guardExpected;
    zero.compute = [](Frame r, const Op& o) { r[o.d] = 0; };
    zero.d = destination(report);
    emit(zero);
  };
  const bool isPair = done.kind == ir::OperandKind::Pair;
  op.d = destination(isPair ? (&done)[1] : done);
  if (isPair) clear((&done)[2]);
  if (operand(instruction, next).kind != ir::OperandKind::Address)
    clear(operand(instruction, next++));
  op.a = address(operand(instruction, next), op, op.immediate);
  op.b = source(operand(instruction, next + 1), desc.has(".parity") ? Type::U32 : Type::B64);
}

// A response has 1, x, y and z of the first CTA of the cluster, or zeros.
void Decoder::decodeLaunchControl(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.has(".try_cancel")) {
    constexpr std::uint64_t kBytes = 16;
    BulkForm bulk;
    bulk.isRequest = true;
    bulk.isForAll = desc.has(".multicast::cluster::all");
    bulk.to = reference(operand(instruction, 0));
    bulk.barrier = reference(operand(instruction, 1));
    bulk.toSpace = bulk.barrierSpace = bulk.isForAll ? Space::SharedCluster : op.space;
    bulk.size = constant(kBytes);
    return emitBulk(op, std::move(bulk));
  }
  const std::vector<std::uint32_t> halves = elements(operand(instruction, 1), Type::B128, false);
  const auto word = [&](std::uint32_t to, std::uint64_t index) {
    Op take = op;
    take.action = Action::Pure;
    take.compute = [](Frame r, const Op& o) { r[o.d] = r[o.a] >> o.immediate & 0xffffffff; };
    take.a = halves[index / 2];
    take.d = to;
    take.immediate = index % 2 == 0 ? 0 : 32;
    emit(take);
  };
  const ir::Operand& result = operand(instruction, 0);
  if (desc.has(".is_canceled")) return word(destination(result), 0);
  const std::uint32_t isCancelled = temporary();
  word(isCancelled, 0);
  std::vector<std::uint32_t> to = elements(result, Type::B32, true);
  std::uint64_t index = 1;
  if (to.size() == 1) {
    index = desc.has(".get_first_ctaid::x") ? 1 : desc.has(".get_first_ctaid::y") ? 2 : 3;
  }
  // The fourth element has no meaning.
  to.resize(std::min<std::size_t>(to.size(), 3));
  for (const std::uint32_t slot : to) word(slot, index++);
  op.action = Action::CheckCancelled;
  op.a = isCancelled;
  op.count = static_cast<std::uint8_t>(to.size());
  op.index = addList(to);
  emit(op);
}

}  // namespace ptxopt::interp
