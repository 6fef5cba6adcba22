// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The unified diff of an input and its output.
#pragma once

#include <string>
#include <string_view>

#include "print/printer.h"

namespace ptxopt::driver {

struct DiffStyle {
  std::string oldName;
  std::string newName;
  unsigned context = 3;  // unchanged lines around a change
  bool color = false;
};

// Empty if nothing differs; otherwise a diff that `patch` understands.  The output knows which
// slices of the source it kept, so lines are compared only in the other regions: O(size of the
// source), plus O(lines * differences) within each rewritten region (Myers, "An O(ND) Difference
// Algorithm and Its Variations", 1986).  A region with very many differences is shown as replaced.
std::string unifiedDiff(std::string_view source, const print::Output& output,
                        const DiffStyle& style);

}  // namespace ptxopt::driver
