// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a PTX text smaller while preserving a property, for bug reports.
//
// Delta debugging (Zeller and Hildebrandt, IEEE TSE 2002) with one kind of simplification after the
// other, in chunks that halve, until no single one works any more.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "reduce/edits.h"

namespace ptxopt::reduce {

struct Reducer {
  // Whether the text still has the property.  Only called for texts that parse, that have no more
  // warnings, verifier problems and unresolved names than the original, and all its marks.
  std::function<bool(const MarkedText& candidate)> isInteresting;
  // Called with each text that is smaller than the previous one and has the property.
  std::function<void(const std::string& text, std::string_view simplification)> onProgress;

  Keep keep;
  std::uint64_t attempts = 0;  // calls of isInteresting

  // `text` must parse and have the property; its marks are starts of statements that must stay. The
  // result depends only on it and on isInteresting. No single simplification of edits.h can make it
  // smaller.  About O(n log n) attempts for n statements if much can be removed, O(n) in the last
  // iteration.
  std::string run(MarkedText text);
};

}  // namespace ptxopt::reduce
