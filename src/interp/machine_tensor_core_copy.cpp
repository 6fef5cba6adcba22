// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.cp (PTX ISA 9.7.18.9).
#include <algorithm>

#include "interp/machine_tensor_core.h"
#include "support/hexadecimal.h"

namespace ptxopt::interp {

namespace {

constexpr std::uint32_t kPieceBytes = MatrixDescriptor::kPieceBytes;
constexpr std::uint32_t kPieceColumns = kPieceBytes / TensorMemory::kWordBytes;

// The swizzle mode has three bits, 61 to 63; without the lowest they are those of wgmma.
constexpr std::uint64_t kWideAtom = std::uint64_t{1} << 61;
constexpr std::uint64_t kAbsoluteLeading = std::uint64_t{1} << 52;

}  // namespace

Machine::TensorCores::Views Machine::TensorCores::viewsOf(Thread& thread) {
  const AgentId agent = issuerOf(thread).agent;
  Views views;
  views.shared = machine_->viewOf(thread, Proxy::AsyncShared);
  views.shared.start(agent);
  views.memory.start(agent);
  views.memory.learn(thread.clock.release());
  return views;
}

void Machine::TensorCores::record(Thread& thread, const Op& op, const ThreadClock& view,
                                  std::uint32_t clock, const Touch& touch) const {
  if (touch.segment->shadow == nullptr) return;
  Access access;
  access.agent = view.agent();
  access.clock = clock;
  access.site = op.number;
  access.scope = scopeOf(op);
  access.writes = touch.writes;
  if (touch.segment->isShared) access.proxy = Proxy::AsyncShared;
  Race race;
  if (!touch.segment->shadow->access(touch.offset, touch.bytes, view, access, race)) return;
  const Place place{touch.segment->bytes.data() + touch.offset, touch.segment, touch.offset};
  machine_->reportRace(thread, op, place, touch.bytes, access, race);
}

// All that it reads and writes is checked at the issue; it happens later, piece by piece.
void Machine::TensorCores::issueCopy(Thread& thread, const Op& op, const TensorCoreForm& form) {
  const std::uint64_t bits = thread.frame[form.descriptor];
  if ((bits & (kWideAtom | kAbsoluteLeading)) != 0) {
    machine_->fault(FindingKind::Unsupported, op,
                    "a matrix descriptor with a swizzle of 32-byte atoms or an absolute leading "
                    "dimension is not supported");
  }
  const MatrixDescriptor matrix(bits);
  const TensorWord first =
      TensorWord::at(static_cast<std::uint32_t>(form.address.in(thread.frame)));
  Cta& cta = *thread.cta;
  Memory& memory = memoryOf(cta);
  const Views views = viewsOf(thread);
  const std::uint32_t clock = ++issuerOf(thread).clock;
  std::vector<CopiedPiece> pieces;
  for (std::uint32_t lane = 0; lane < TensorMemory::kLanes; ++lane) {
    for (std::uint32_t k = 0; k < form.copy.pieces; ++k) {
      const std::uint32_t row = form.copy.firstRow[lane / 32] + lane % 32;
      const std::uint64_t from = addressOfPiece(matrix, true, row, k) - kSharedBase;
      const TensorWord to{first.lane + lane, first.column + k * kPieceColumns};
      if (from + kPieceBytes > cta.shared.bytes.size()) {
        machine_->fault(FindingKind::OutOfBounds, op,
                        "read at " + hexadecimal(from + kSharedBase) + ", " +
                            machine_->sharedBounds(cta.shared) + ", by " +
                            describe(machine_->nameOf(thread)));
      }
      const bool isInside = to.lane < TensorMemory::kLanes && memory.words.isAllocated(to.column) &&
                            memory.words.isAllocated(to.column + kPieceColumns - 1);
      if (!isInside) {
        machine_->fault(FindingKind::OutOfBounds, op,
                        "write of lane " + std::to_string(to.lane) + ", column " +
                            std::to_string(to.column) +
                            " of tensor memory, which is not allocated, by " +
                            describe(machine_->nameOf(thread)));
      }
      record(thread, op, views.shared, clock, {&cta.shared, from, kPieceBytes, false});
      record(thread, op, views.memory, clock,
             {&memory.words.segment(), TensorMemory::offsetOf(to), kPieceBytes, true});
      const Place place{cta.shared.bytes.data() + from, &cta.shared, from};
      const bool isUndefined = machine_->isUndefined(place, kPieceBytes);
      pieces.push_back(
          {from, to, isUndefined ? &machine_->originOf(thread, op, place, kPieceBytes) : nullptr});
    }
  }
  Operation operation;
  operation.clock = clock;
  operation.perform = [this, &cta, pieces = std::move(pieces)] {
    for (const CopiedPiece& piece : pieces) copyPiece(cta, piece);
  };
  enqueue(thread, std::move(operation));
}

void Machine::TensorCores::copyPiece(Cta& cta, const CopiedPiece& piece) {
  Segment& segment = memoryOf(cta).words.segment();
  const std::uint64_t offset = TensorMemory::offsetOf(piece.to);
  const auto from = cta.shared.bytes.begin() + static_cast<std::ptrdiff_t>(piece.from);
  std::copy_n(from, kPieceBytes, segment.bytes.begin() + static_cast<std::ptrdiff_t>(offset));
  if (segment.written.empty()) return;
  segment.written.set(offset, kPieceBytes);
  if (piece.why == nullptr) return;
  for (std::uint32_t k = 0; k < kPieceBytes; ++k) {
    if (cta.shared.written.test(piece.from + k)) continue;
    segment.written.reset(offset + k);
    machine_->undefinedBytes_[{&segment, offset + k}] = piece.why;
  }
}

}  // namespace ptxopt::interp
