// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells the auditor about Audit ops, and about the bytes that the next op accesses.
#include <algorithm>

#include "interp/auditor.h"
#include "interp/machine.h"

namespace ptxopt::interp {

namespace {

using isa::Space;

constexpr std::uint32_t kMbarrierBytes = 8;

}  // namespace

void Machine::startAudit() {
  auditor_ = std::make_unique<Auditor>(
      *program_, *memory_, parameters_, threadsPerCta_,
      [this](std::uint64_t cta, std::uint32_t thread) {
        return ThreadName{geometry_.grid.at(cta), geometry_.block.at(thread)};
      });
}

const AuditCounts* Machine::auditCounts() const {
  return auditor_ != nullptr ? &auditor_->counts() : nullptr;
}

void Machine::finishAudit() {
  auditor_->finish(completed_);
  const std::vector<Finding>& more = auditor_->findings();
  findings_.insert(findings_.end(), more.begin(), more.end());
}

void Machine::audit(Thread& thread, const Op& op) {
  const AuditStep& step = thread.code->audits[op.index];
  const AuditedThread who{thread.cta->index, thread.linear, thread.frame};
  switch (step.kind) {
    case AuditStep::Kind::Check:
    case AuditStep::Kind::Reached:
    case AuditStep::Kind::Dead:
      return auditor_->check(who, step, op);
    case AuditStep::Kind::Access:
      return auditAccess(thread, step, thread.code->ops[thread.pc + 1]);
    case AuditStep::Kind::Arguments: {
      auditor_->callBegins(agentOf(thread), alignUp(thread.localTop, 256));
      const CallSite& site = thread.code->calls[thread.code->ops[thread.pc + 1].index];
      return auditTransfers(thread, step, op, site.arguments);
    }
    case AuditStep::Kind::Results:
      return auditTransfers(thread, step, op, thread.code->results);
    case AuditStep::Kind::Enter:
      return auditor_->enter(who, step.claim, thread.localBase,
                             valuesOf(thread, thread.code->parameters));
    case AuditStep::Kind::Leave:
      return auditor_->leave(who, step.claim, op, valuesOf(thread, thread.code->results));
  }
}

// The bytes of arguments or results.
std::string Machine::valuesOf(Thread& thread, const std::vector<Transfer>& transfers) {
  std::string bytes;
  for (const Transfer& transfer : transfers) {
    if (transfer.inMemory) {
      const std::uint64_t address = thread.localBase + transfer.offset;
      const std::uint8_t* from = localBytes(thread, address, transfer.size);
      bytes.append(from, from + transfer.size);
    } else {
      const Slot value = thread.frame[transfer.slot];
      for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(value >> shift);
    }
  }
  return bytes;
}

void Machine::auditTransfers(Thread& thread, const AuditStep& step, const Op& op,
                             const std::vector<Transfer>& transfers) {
  for (const Transfer& transfer : transfers) {
    if (!transfer.inMemory) continue;
    AuditedBytes bytes;
    bytes.space = Space::Local;
    bytes.address = thread.localBase + transfer.offset;
    bytes.size = transfer.size;
    bytes.reads = true;
    auditBytes(thread, step, op, bytes);
  }
}

// Tells the auditor about bytes that the thread accesses.  Does nothing if the address is invalid:
// then the machine reports it.
void Machine::auditBytes(Thread& thread, const AuditStep& step, const Op& op,
                         const AuditedBytes& bytes) {
  if (bytes.size == 0) return;
  AuditAccess access;
  access.instruction = op.origin;
  access.cta = thread.cta->index;
  access.thread = thread.linear;
  access.size = bytes.size;
  access.reads = bytes.reads;
  access.writes = bytes.writes;
  access.isCollective = bytes.isCollective;
  access.isIssue = bytes.isIssue;
  access.isOnPhase = bytes.isOnPhase;
  if (options_.detectsRaces) access.clock = &thread.clock;
  std::uint64_t address = bytes.address;
  const Space space = leaveWindow(bytes.space, address);
  access.address = address;
  switch (space) {
    case Space::Global:
    case Space::Const:
      access.segment = memory_->find(address, bytes.size);
      if (access.segment == nullptr) return;
      access.region =
          access.segment->isReadOnly ? AuditAccess::Region::Constant : AuditAccess::Region::Global;
      break;
    case Space::Shared:
    case Space::SharedCluster: {
      const std::uint64_t rank = address >> kRankShift;
      if (rank >= thread.cta->cluster->ctas.size()) return;
      const Cta& cta = *thread.cta->cluster->ctas[rank];
      if (!cta.shared.contains(address, bytes.size)) return;
      access.region = AuditAccess::Region::Shared;
      access.segment = &cta.shared;
      access.owner = thread.cta->cluster->ctas.front()->index;
      access.isOwnShared = &cta == thread.cta;
      break;
    }
    case Space::Local:
      access.region = AuditAccess::Region::Local;
      access.owner = agentOf(thread);
      findFrame(thread, access);
      break;
    case Space::ParamEntry:
      access.region = AuditAccess::Region::Parameter;
      break;
    default:
      return;
  }
  auditor_->access({thread.cta->index, thread.linear, thread.frame}, step, bytes.operand, access);
}

// Finds the frame that contains the local memory.
void Machine::findFrame(const Thread& thread, AuditAccess& access) {
  const Code* code = thread.code;
  std::uint64_t base = thread.localBase;
  for (std::size_t k = thread.calls.size(); access.address < base && k-- > 0;) {
    code = thread.calls[k].code;
    base = thread.calls[k].localBase;
  }
  if (access.address < base) return;
  access.frameOf = code;
  access.frameOffset = access.address - base;
}

// The bytes that `op` is about to access, for each address operand.
void Machine::auditAccess(Thread& thread, const AuditStep& step, const Op& op) {
  const Frame r = thread.frame;
  AuditedBytes bytes;
  bytes.space = op.space;
  bytes.operand = 0;
  const auto touch = [&](std::uint64_t address, std::uint64_t size) {
    bytes.address = address;
    bytes.size = size;
    auditBytes(thread, step, op, bytes);
  };
  const auto elementBytes = static_cast<std::uint64_t>(isa::bitWidth(op.type)) / 8;
  switch (op.action) {
    case Action::Load:
      bytes.reads = true;
      return touch(addressOf(thread, op), elementBytes * op.count);
    case Action::Store:
      bytes.writes = true;
      return touch(addressOf(thread, op), elementBytes * op.count);
    case Action::Atomic: {
      bytes.reads = bytes.writes = true;
      const bool isWide = op.type == isa::Type::B128;
      return touch(addressOf(thread, op), elementBytes * (isWide ? 1 : op.count));
    }
    case Action::Fill:
      bytes.writes = true;
      return touch(addressOf(thread, op), r[op.c]);
    case Action::Mbarrier:
    case Action::ArriveAsync:
      bytes.reads = bytes.writes = true;
      bytes.isOnPhase = !op.origin->desc->has(".init") && !op.origin->desc->has(".inval");
      return touch(addressOf(thread, op), kMbarrierBytes);
    case Action::CopyAsync: {
      const std::uint64_t size = r[op.c];
      bytes.isIssue = true;
      bytes.space = Space::Shared;
      bytes.writes = true;
      touch(addressOf(thread, op), size);
      bytes.operand = 1;
      bytes.space = Space::Global;
      bytes.writes = false;
      bytes.reads = true;
      return touch(r[op.b] + (op.index != 0 ? r[op.index] : 0), std::min(size, r[op.e]));
    }
    case Action::WaitAsync:
      return auditWait(thread, step, op);
    case Action::Bulk:
      return thread.code->bulks[op.index].tensor ? auditTensor(thread, step, op)
                                                 : auditBulk(thread, step, op);
    case Action::ReplaceField:
      bytes.reads = bytes.writes = true;
      return touch(addressOf(thread, op), TensorMap::kBytes);
    case Action::Collective:
      return auditMatrix(thread, step, op);
    default:
      return;
  }
}

// The copies that this wait completes access their bytes now (docs/soundness/ C5.1).
void Machine::auditWait(Thread& thread, const AuditStep& step, const Op& op) {
  for (const PendingCopy& copy : thread.copies) {
    if (!isCompletedBy(thread, op, copy)) break;
    AuditedBytes bytes;
    bytes.operand = Auditor::kNoOperand;
    bytes.space = Space::Shared;
    bytes.address = copy.to.segment->base + copy.to.offset;
    bytes.size = copy.size;
    bytes.writes = true;
    auditBytes(thread, step, op, bytes);
    if (copy.sourceSize == 0) continue;
    bytes.space = Space::Global;
    bytes.address = copy.from.segment->base + copy.from.offset;
    bytes.size = copy.sourceSize;
    bytes.writes = false;
    bytes.reads = true;
    auditBytes(thread, step, op, bytes);
  }
}

void Machine::auditBulk(Thread& thread, const AuditStep& step, const Op& op) {
  const BulkForm& form = thread.code->bulks[op.index];
  const Frame r = thread.frame;
  const bool stores = !form.values.empty();
  const std::uint64_t size =
      stores ? form.values.size() * static_cast<std::uint64_t>(isa::bitWidth(form.type)) / 8
             : r[form.size];
  const auto touch = [&](std::uint32_t operand, Space space, std::uint64_t address,
                         std::uint64_t count, bool reads, bool writes, bool isOnPhase = false) {
    auditBytes(thread, step, op,
               {.operand = operand,
                .space = space,
                .address = address,
                .size = count,
                .reads = reads,
                .writes = writes,
                .isIssue = true,
                .isOnPhase = isOnPhase});
  };
  const std::uint32_t barrierOperand = stores ? 1 : 2;
  const auto touchTargets = [&](std::uint64_t to, std::uint64_t barrier, bool areNamed) {
    const auto named = [&](std::uint32_t operand) {
      return areNamed ? operand : Auditor::kNoOperand;
    };
    touch(named(0), form.toSpace, to, size, form.operation.has_value(), true);
    if (form.barrier.slot == 0) return;
    touch(named(barrierOperand), form.barrierSpace, barrier, kMbarrierBytes, true, true, true);
  };
  if (!stores) {
    touch(1, form.fromSpace, form.from.in(r), size, true, false);
  }
  const std::uint64_t to = form.to.in(r);
  const std::uint64_t barrier = form.barrier.in(r);
  if (form.mask == 0) return touchTargets(to, barrier, true);
  // The operands name addresses in this CTA.  Those in other CTAs are accessed too, but no operand
  // names them.
  for (std::uint64_t rank = 0; rank < thread.cta->cluster->ctas.size(); ++rank) {
    if ((r[form.mask] >> rank & 1) == 0) continue;
    const bool isOwn = rank == thread.cta->rank;
    touchTargets(inRank(to, rank), inRank(barrier, rank), isOwn);
  }
}

// A load names its destination and its mbarrier, a store its source.  Nothing names the map and
// what lies in global memory.
void Machine::auditTensor(Thread& thread, const AuditStep& step, const Op& op) {
  const BulkForm& form = thread.code->bulks[op.index];
  const bool toShared = form.barrier.slot != 0;
  const auto touch = [&](std::uint32_t operand, Space space, std::uint64_t address,
                         std::uint64_t size, bool reads, bool writes, bool isOnPhase = false) {
    auditBytes(thread, step, op,
               {.operand = operand,
                .space = space,
                .address = address,
                .size = size,
                .reads = reads,
                .writes = writes,
                .isIssue = true,
                .isOnPhase = isOnPhase});
  };
  const std::uint64_t mapAddress = form.tensor->map.in(thread.frame);
  touch(Auditor::kNoOperand, Space::None, mapAddress, TensorMap::kBytes, true, false);
  Place place;
  const TensorMap map = readTensorMap(thread, op, mapAddress, place);
  const std::uint64_t named = (toShared ? form.to : form.from).in(thread.frame);
  const TensorPlan plan = planTensor(thread, op, map, named);
  for (const TensorPiece& piece : plan.pieces) {
    if (!piece.isInside) continue;
    touch(Auditor::kNoOperand, Space::Global, piece.global, piece.size,
          toShared || form.operation.has_value(), !toShared);
  }
  if (!toShared) return touch(0, form.fromSpace, named, plan.extent, true, false);
  for (const TensorTarget& target : targetsOf(thread, op, form)) {
    const bool isNamed = form.mask == 0;
    touch(isNamed ? 0 : Auditor::kNoOperand, form.toSpace, target.shared, plan.extent, false, true);
    touch(isNamed ? 1 : Auditor::kNoOperand, form.barrierSpace, target.barrier, kMbarrierBytes,
          true, true, true);
  }
}

void Machine::auditMapCopy(Thread& thread, const AuditStep& step, const Op& op,
                           AuditedBytes bytes) {
  bytes.size = TensorMap::kBytes;
  bytes.space = Space::Global;
  bytes.reads = false;
  bytes.writes = true;
  auditBytes(thread, step, op, bytes);
  bytes.operand = 1;
  bytes.space = Space::Shared;
  bytes.address = thread.frame[op.b];
  bytes.reads = true;
  bytes.writes = false;
  auditBytes(thread, step, op, bytes);
}

// Each lane reports the rows whose addresses it provides; for a fragment one lane reports all.
void Machine::auditMatrix(Thread& thread, const AuditStep& step, const Op& op) {
  constexpr std::uint32_t kRowBytes = 16;
  const auto kind = static_cast<CollectiveKind>(op.detail);
  AuditedBytes bytes;
  bytes.space = op.space;
  bytes.operand = 0;
  bytes.isCollective = true;
  bytes.writes = kind == CollectiveKind::MatrixStore || kind == CollectiveKind::FragmentStore;
  bytes.reads = !bytes.writes;
  bytes.address = addressOf(thread, op);
  if (kind == CollectiveKind::MatrixLoad || kind == CollectiveKind::MatrixStore) {
    const MatrixForm& form = thread.code->matrices[op.index];
    const std::size_t matrices = form.slotsOf(MatrixRole::D).size() / form.tile.registers();
    if (thread.lane() >= matrices * form.tile.rows()) return;
    bytes.size = kRowBytes;
    return auditBytes(thread, step, op, bytes);
  }
  if (thread.lane() != 0) return;
  if (kind == CollectiveKind::TensorMapCopy) return auditMapCopy(thread, step, op, bytes);
  const FragmentLines lines = linesOf(thread, op);
  bytes.size = lines.bytes;
  for (std::uint32_t line = 0; line < lines.count; ++line, bytes.address += lines.stride) {
    auditBytes(thread, step, op, bytes);
  }
}

}  // namespace ptxopt::interp
