// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small changes that simplify a PTX text, as replacements of parts of the text.
//
// This code does not check whether the result is meaningful: the reducer tests it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "support/source.h"

namespace ptxopt::reduce {

struct Edit {
  SourceRange range;
  std::string replacement;
  // If the replacement is a part of the range: where that part begins.
  Offset keptFrom = kNoOffset;
};

// What no simplification may remove.
struct Keep {
  bool lines = false;  // each remaining instruction has the source line that it had
};

// One kind of simplification, and all positions in a module where it applies: in the order of the
// text, without overlaps.  It may change the module temporarily.
struct Simplification {
  std::string_view name;  // "remove statements"
  std::vector<Edit> (*find)(ir::Module& module, const Keep& keep);
};

// From coarse to fine: in this order they remove most with the fewest attempts.
const std::vector<Simplification>& simplifications();

// A text, and positions in it that edits move with the characters there.
struct MarkedText {
  std::string text;
  std::vector<Offset> marks;  // kNoOffset: the character was removed
};

// Applies the edits.  A line that becomes empty by a removal is removed too.  A mark at the start
// of a replaced range stays there.
MarkedText applyEdits(const MarkedText& from, const std::vector<const Edit*>& edits);

}  // namespace ptxopt::reduce
