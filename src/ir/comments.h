// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comments in the text that are meant for tools: `// ptxopt: keep`.
#pragma once

#include <string_view>

#include "ir/module.h"

namespace ptxopt::ir {

// Statements without effect between a comment and the instruction below it: compilers put comments
// of their own around inline assembly, and braces, labels and .loc in between.
bool isTransparent(const Statement& statement);

// A comment with these words is on a line of the instruction, or above it, after the line of the
// previous statement with an effect.  O(text back to that statement).
bool hasComment(const Function& function, const Instruction& instruction, std::string_view words);

}  // namespace ptxopt::ir
