// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The original code of a kernel as a second path of it: --dispatch (C10.15).
#pragma once

#include <string>

#include "ir/module.h"

namespace ptxopt::passes {

// What in the body cannot be there twice: "a variable in a nested scope".  Empty: nothing.
// O(statements).
std::string cannotBeCopied(const ir::Function& kernel);

// Appends a copy of the body, with registers and labels of its own; the variables at the top of the
// body are those of both.  Returns the label of the copy, to which nothing leads yet.
// O(statements + names of the module).
ir::SymbolId appendCopyOfBody(ir::Function& kernel);

}  // namespace ptxopt::passes
