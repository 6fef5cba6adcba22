// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Remarks as JSON lines: --remarks.
#pragma once

#include <span>
#include <string>

#include "passes/engine/pass.h"

namespace ptxopt::driver {

// One line for each remark:
//   {"pass": "basic-dbe", "kind": "passed" | "missed" | "analysis", "function": "_Z1kPi",
//    "ptx": {"file": "k.ptx", "line": 12, "column": 2},
//    "source": {"file": "k.cu", "line": 5, "column": 3},
//    "inlined": [{"file": "lib.h", "line": 98, "column": 1, "function": "f()"}, ...],
//    "message": "...", "details": {"...": "..."}}
// A remark about a function, or about a statement that a pass made, has the `ptx` of the function;
// one about the module has only the file.  `source` is the line that the user wrote, null without a
// .loc; `inlined` is there for inlined code only: the chain of places from the innermost one to the
// kernel (ir/source_lines.h).
std::string remarkLines(const ir::Module& module, std::span<const passes::Remark> remarks);

}  // namespace ptxopt::driver
