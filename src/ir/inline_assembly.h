// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which code a compiler made of its own language, and which a person wrote in PTX, as far as the
// comments of the compiler say so.
#pragma once

#include <vector>

#include "ir/module.h"
#include "ir/statement.h"
#include "support/source.h"

namespace ptxopt::ir {

// The text up to `.version` says that libNVVM generated the module: the back end of nvcc, and of
// others that write NVVM IR.  O(header).
bool isGeneratedByNvvm(const Module& module);

// The code of a function between "// begin inline asm" and "// end inline asm", which LLVM and
// libNVVM write around it.  After a beginning without an end, all that follows; if there is an end
// without a beginning, all of the function.
class InlineAssembly {
 public:
  // Of a function with a body.  O(text of the body).
  explicit InlineAssembly(const Function& function);

  // Whether it contains the statement of the function.  Also true for a statement that a pass made.
  // O(log n).
  bool contains(const Statement& statement) const;

 private:
  std::vector<Offset> edges_;  // ascending: a beginning, its end, the next beginning, ...
};

}  // namespace ptxopt::ir
