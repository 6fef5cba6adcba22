// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.cp (PTX ISA 9.7.18.9).
#include <algorithm>

#include "interp/machine_tensor_core.h"
#include "support/hexadecimal.h"

namespace ptxopt::interp {

void Machine::TensorCores::record(Thread& thread, const Op& op, const ThreadClock& agent,
                                  const Touch& touch) const {
  if (touch.segment->shadow == nullptr) return;
  Access access;
  access.agent = agent.agent();
  access.clock = agent.own();
  access.site = op.number;
  access.scope = scopeOf(op);
  access.writes = touch.writes;
  // Shared memory is only read.
  const bool isShared = touch.segment->isShared;
  if (isShared) access.proxy = Proxy::AsyncShared;
  const ThreadClock& view = isShared ? machine_->viewOf(thread, access.proxy) : agent;
  Race race;
  if (!touch.segment->shadow->access(touch.offset, touch.bytes, view, access, race)) return;
  const Place place{touch.segment->bytes.data() + touch.offset, touch.segment, touch.offset};
  machine_->reportRace(thread, op, place, touch.bytes, access, race);
}

MatrixDescriptor Machine::TensorCores::matrixAt(const Thread& thread, const Op& op,
                                                std::uint32_t slot) const {
  const auto matrix = MatrixDescriptor::ofTensorCore(thread.frame[slot]);
  if (matrix) return *matrix;
  machine_->fault(
      FindingKind::Unsupported, op,
      "a matrix descriptor with an absolute leading dimension, or a swizzle mode of 3, 5 "
      "or 7, is not supported");
}

void Machine::TensorCores::checkShared(const Thread& thread, const Op& op, const Cta& cta,
                                       std::uint64_t offset, const char* what) const {
  if (offset < cta.shared.bytes.size() && offset + kPieceBytes <= cta.shared.bytes.size()) return;
  machine_->fault(FindingKind::OutOfBounds, op,
                  std::string("read ") + what + "at " + hexadecimal(offset + kSharedBase) + ", " +
                      machine_->sharedBounds(cta.shared) + ", by " +
                      describe(machine_->nameOf(thread)));
}

void Machine::TensorCores::checkAllocated(const Thread& thread, const Op& op, const Cta& cta,
                                          const TensorWord& word, std::uint32_t columns,
                                          const char* access) {
  const TensorMemory& words = memoryOf(cta).words;
  std::uint32_t column = word.column;
  while (column < word.column + columns && words.isAllocated(column)) ++column;
  if (word.lane < TensorMemory::kLanes && column == word.column + columns) return;
  machine_->fault(FindingKind::OutOfBounds, op,
                  std::string(access) + " of lane " + std::to_string(word.lane) + ", column " +
                      std::to_string(column) + " of tensor memory, which is not allocated, by " +
                      describe(machine_->nameOf(thread)));
}

// All that it reads and writes is checked at the issue; it happens later, piece by piece.
void Machine::TensorCores::issueCopy(Thread& thread, const Op& op, const TensorCoreForm& form) {
  const MatrixDescriptor matrix = matrixAt(thread, op, form.descriptor);
  if (matrix.chunkBytes != kPieceBytes) {
    machine_->fault(FindingKind::Unsupported, op,
                    "a copy of a matrix with a swizzle in chunks of 32 bytes is not supported");
  }
  const TensorWord first =
      TensorWord::at(static_cast<std::uint32_t>(form.address.in(thread.frame)));
  Issuer& issuer = takeOver(thread);
  ThreadClock& agent = issuer.copies;
  begin(thread, agent, {&issuer.sources});
  inherit(issuer, agent, {&Handover::sources});
  if (form.copy.lanes == 1) {  // .4x256b is also in order with shifts before it
    begin(thread, agent, {&issuer.shifts});
    inherit(issuer, agent, {&Handover::shifts});
  }
  std::vector<CopiedPiece> pieces;
  for (Cta* const cta : pairOf(thread, op, form.ctas)) {
    Segment& words = memoryOf(*cta).words.segment();
    for (std::uint32_t at = 0; at < 4 * form.copy.lanes * form.copy.pieces; ++at) {
      const std::uint32_t group = at / form.copy.pieces / form.copy.lanes;
      const std::uint32_t lane = at / form.copy.pieces % form.copy.lanes;
      const std::uint32_t k = at % form.copy.pieces;
      const std::uint64_t from =
          addressOfPiece(matrix, true, form.copy.firstRow[group] + lane, k) - kSharedBase;
      const TensorWord to{first.lane + 32 * group + lane, first.column + k * kPieceColumns};
      checkShared(thread, op, *cta, from, "");
      checkAllocated(thread, op, *cta, to, kPieceColumns, "write");
      record(thread, op, agent, {&cta->shared, from, kPieceBytes, false});
      record(thread, op, agent, {&words, TensorMemory::offsetOf(to), kPieceBytes, true});
      const Place place{cta->shared.bytes.data() + from, &cta->shared, from};
      const bool isUndefined = machine_->isUndefined(place, kPieceBytes);
      pieces.push_back(
          {cta, from, to,
           isUndefined ? &machine_->originOf(thread, op, place, kPieceBytes) : nullptr});
    }
  }
  Operation operation;
  operation.perform = [this, pieces = std::move(pieces)] {
    for (const CopiedPiece& piece : pieces) copyPiece(piece);
  };
  enqueue(thread, std::move(operation));
}

void Machine::TensorCores::copyPiece(const CopiedPiece& piece) {
  Cta& cta = *piece.cta;
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
