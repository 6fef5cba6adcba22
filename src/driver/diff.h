// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines in which an input and its output differ, and their unified diff.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "print/printer.h"

namespace ptxopt::driver {

// Where the line that contains `at` begins, and where it ends, after its newline.
std::size_t lineBegin(std::string_view text, std::size_t at);
std::size_t lineEnd(std::string_view text, std::size_t at);
// Each with its newline; the last one may have none.
std::vector<std::string_view> splitLines(std::string_view text);

// Whole lines of the source, the bytes [oldBegin, oldEnd), became the whole lines `text`.
struct LineChange {
  std::size_t oldBegin;
  std::size_t oldEnd;
  std::string text;
};

// In the order of the source.  The output knows which slices of the source it kept, so lines are
// compared only in the other regions: O(size of the source), plus O(lines * differences) within
// each rewritten region (Myers, "An O(ND) Difference Algorithm and Its Variations", 1986).  A
// region with very many differences counts as replaced.
std::vector<LineChange> lineChanges(std::string_view source, const print::Output& output);

struct DiffStyle {
  std::string oldName;
  std::string newName;
  unsigned context = 3;  // unchanged lines around a change
  bool color = false;
};

// Empty if nothing differs; otherwise a diff that `patch` understands, of lineChanges().
std::string unifiedDiff(std::string_view source, const print::Output& output,
                        const DiffStyle& style);

}  // namespace ptxopt::driver
