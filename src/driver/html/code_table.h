// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines of a function before and after, beside those of the program that they come from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "driver/diff.h"
#include "driver/html/source_files.h"
#include "ir/source_lines.h"

namespace ptxopt::driver {

class CodeTable {
 public:
  // `module` is the input before the passes, `output` what came of it.  O(size of the input).
  CodeTable(const ir::Module& module, const print::Output& output);

  // A <table>.  A line of the input has its number as its id, "l12".  O(lines of the function).
  std::string of(const ir::Function& function);

 private:
  // The place of the program that begins at this line of the PTX, if another one held before.
  std::string placeAt(std::size_t offset, std::string_view line, std::string& last);

  const ir::Module& module_;
  ir::SourceLines sources_;
  SourceFiles files_;
  std::vector<LineChange> changes_;
  std::vector<std::ptrdiff_t> shift_;  // before each change: lines added by those before it
};

}  // namespace ptxopt::driver
