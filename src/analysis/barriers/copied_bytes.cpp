// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/copied_bytes.h"

#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

bool areKnown(const Access* access) {
  return access != nullptr && access->bases.size() == 1 &&
         access->bases[0].kind != MemoryBase::Kind::Unknown && access->bytes.isBounded() &&
         !access->bytes.isEmpty();
}

bool touch(Interval a, Interval b) {
  return !intersection(a + Interval{-1, 1}, b).isEmpty();
}

// The bytes alone, of no thread.
Access bytesOf(const Access& access) {
  Access bytes;
  bytes.origin = access.origin;
  bytes.instruction = access.instruction;
  bytes.operand = access.operand;
  bytes.spaces = access.spaces;
  bytes.bases = access.bases;
  bytes.size = access.size;
  bytes.isCollective = true;
  bytes.window = access.window;
  bytes.bytes = access.bytes;
  return bytes;
}

}  // namespace

void CopiedBytes::add(AccessKinds kinds, const Place& place, const Access* access) {
  if (!areKnown(access)) access = nullptr;
  Access* last = nullptr;
  std::size_t stretches = 0;
  std::size_t which = 0;
  for (const Part& part : parts_) {
    if (part.kinds == kinds && part.place == place) {
      if (part.bytes == nullptr && access == nullptr) return;
      if (part.bytes != nullptr && access != nullptr && part.bytes->bases == access->bases) {
        last = &stretches_[which];
        ++stretches;
        if (touch(last->bytes, access->bytes)) {
          last->bytes = hull(last->bytes, access->bytes);
          return;
        }
      }
    }
    which += std::size_t{part.bytes != nullptr};
  }
  if (access == nullptr) {
    parts_.push_back({kinds, place, nullptr});
  } else if (!reaches(stretches, Limit::CopyStretches)) {
    parts_.push_back({kinds, place, &stretches_.emplace_back(bytesOf(*access))});
  } else {
    last->bytes = hull(last->bytes, access->bytes);
  }
}

const Access& CopiedBytes::seenBy(const Access& executor, const Part& part) {
  Access& seen = seen_.emplace_back(executor);
  seen.instruction = part.bytes->instruction;
  seen.operand = part.bytes->operand;
  seen.spaces = part.bytes->spaces;
  seen.bases = part.bytes->bases;
  seen.size = part.bytes->size;
  seen.window = part.bytes->window;
  seen.bytes = part.bytes->bytes;
  return seen;
}

}  // namespace ptxopt::analysis
