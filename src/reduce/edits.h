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
};

// One kind of simplification, and all positions in a module where it applies: in the order of the
// text, without overlaps.  It may change the module temporarily.
struct Simplification {
  std::string_view name;  // "remove statements"
  std::vector<Edit> (*find)(ir::Module& module);
};

// From coarse to fine: in this order they remove most with the fewest attempts.
const std::vector<Simplification>& simplifications();

// Applies the edits to the text.  A line that becomes empty by a removal is removed too.
std::string applyEdits(std::string_view text, const std::vector<const Edit*>& edits);

}  // namespace ptxopt::reduce
