// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.shift (PTX ISA 9.7.18.9.3): 32 bytes of each of 32 lanes go to the next lane; those of
// the last lane are lost, and the first lane keeps its own.
#include <algorithm>

#include "interp/machine_tensor_core.h"

namespace ptxopt::interp {

namespace {

constexpr std::uint32_t kShiftedLanes = 32;
constexpr std::uint32_t kShiftedBytes = 32;

}  // namespace

void Machine::TensorCores::issueShift(Thread& thread, const Op& op, const TensorCoreForm& form) {
  const TensorWord first =
      TensorWord::at(static_cast<std::uint32_t>(form.address.in(thread.frame)));
  if (first.lane % kShiftedLanes != 0) {
    machine_->fault(FindingKind::Misaligned, op,
                    "a shift of lanes from lane " + std::to_string(first.lane) +
                        " of tensor memory on, which must be a multiple of 32, by " +
                        describe(machine_->nameOf(thread)));
  }
  const std::vector<Cta*> ctas = pairOf(thread, op, form.ctas);
  Issuer& issuer = takeOver(thread);
  begin(thread, issuer.shifts, {&issuer.sources});
  inherit(issuer, issuer.shifts, {&Handover::sources});
  for (Cta* const cta : ctas) {
    Segment& words = memoryOf(*cta).words.segment();
    for (std::uint32_t lane = 0; lane < kShiftedLanes; ++lane) {
      const TensorWord word{first.lane + lane, first.column};
      checkAllocated(thread, op, *cta, word, kShiftedBytes / TensorMemory::kWordBytes, "shift");
      const std::uint64_t offset = TensorMemory::offsetOf(word);
      if (lane + 1 < kShiftedLanes) {
        record(thread, op, issuer.shifts, {&words, offset, kShiftedBytes, false});
      }
      if (lane != 0) record(thread, op, issuer.shifts, {&words, offset, kShiftedBytes, true});
    }
  }
  Operation operation;
  operation.perform = [this, ctas, first] {
    for (Cta* const cta : ctas) shift(*cta, first);
  };
  enqueue(thread, std::move(operation));
}

void Machine::TensorCores::shift(Cta& cta, const TensorWord& first) {
  Segment& segment = memoryOf(cta).words.segment();
  for (std::uint32_t lane = kShiftedLanes - 1; lane > 0; --lane) {
    const std::uint64_t to = TensorMemory::offsetOf({first.lane + lane, first.column});
    const std::uint64_t from = TensorMemory::offsetOf({first.lane + lane - 1, first.column});
    const auto begin = segment.bytes.begin() + static_cast<std::ptrdiff_t>(from);
    std::copy_n(begin, kShiftedBytes, segment.bytes.begin() + static_cast<std::ptrdiff_t>(to));
    for (std::uint32_t k = 0; k < kShiftedBytes && !segment.written.empty(); ++k) {
      if (segment.written.test(from + k)) {
        segment.written.set(to + k, 1);
        continue;
      }
      segment.written.reset(to + k);
      const auto why = machine_->undefinedBytes_.find({&segment, from + k});
      if (why != machine_->undefinedBytes_.end()) {
        machine_->undefinedBytes_[{&segment, to + k}] = why->second;
      } else {
        machine_->undefinedBytes_.erase({&segment, to + k});
      }
    }
  }
}

}  // namespace ptxopt::interp
