// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a PTX text smaller while it keeps a property, for reports of bugs.
//
// Delta debugging (Zeller and Hildebrandt, IEEE TSE 2002) over one kind of simplification after
// another, in chunks that halve, until no single one works any more.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ptxopt::reduce {

struct Reducer {
  // Does the text still have the property?  Called only with texts that parse, and that have no
  // more warnings, problems for the verifier and unresolved names than the first one.
  std::function<bool(const std::string& text)> isInteresting;
  // Called with each text that is smaller than the one before and has the property.
  std::function<void(const std::string& text, std::string_view simplification)> onProgress;

  std::uint64_t attempts = 0;  // calls of isInteresting

  // `text` parses and has the property.  The result depends on nothing but it and isInteresting;
  // no simplification of edits.h that can be made at one place makes it smaller.  About
  // O(n log n) attempts for n statements where much can go, O(n) in the last round.
  std::string run(std::string text);
};

}  // namespace ptxopt::reduce
