// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small changes that make a PTX text simpler, as replacements of pieces of the text.
//
// Whether what comes out still means anything is not asked here: the reducer tries it.
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

// One way to make a text simpler, with all places of a module where it applies: in the order of the
// text, and without overlaps.  May change the module on the way, but leaves it as it was.
struct Simplification {
  std::string_view name;  // "remove statements"
  std::vector<Edit> (*find)(ir::Module& module);
};

// From the coarse to the fine: the order in which they do most for the fewest attempts.
const std::vector<Simplification>& simplifications();

// The text with the edits made.  A line that held nothing else than what is taken out goes too.
std::string applyEdits(std::string_view text, const std::vector<const Edit*>& edits);

}  // namespace ptxopt::reduce
