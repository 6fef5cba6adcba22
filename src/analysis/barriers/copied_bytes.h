// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What asynchronous copies read and write, as a wait for them sees it: by kind, by object, and in
// the object by a few stretches of bytes.
//
// A wait does not know which copies it completes, so the bytes are those of all copies over all
// executions (docs/soundness/ G1.2).
//
// Cost: O(objects times Limit::CopyStretches) for each copy.
#pragma once

#include <cstddef>
#include <deque>

#include "analysis/addresses/address.h"
#include "analysis/memory/address_objects.h"
#include "analysis/memory/memory_effects.h"

namespace ptxopt::analysis {

class CopiedBytes {
 public:
  struct Part {
    AccessKinds kinds = 0;
    Place place;
    // Of no thread (C8.1), with bytes relative to its only base; null: anywhere in the place.
    const Access* bytes = nullptr;
  };

  // `access` is null where the address was not looked at.  Its forms must outlive the object.
  void add(AccessKinds kinds, const Place& place, const Access* access);
  const std::deque<Part>& parts() const { return parts_; }
  // Of a part with known bytes, as the wait of `executor` sees them: a wait for groups is of the
  // thread that has issued the copies (G2.3).  It lives as long as the object.
  const Access& seenBy(const Access& executor, const Part& part);

 private:
  std::deque<Part> parts_;
  std::deque<Access> stretches_;
  std::deque<Access> seen_;
};

}  // namespace ptxopt::analysis
