// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instructions a directive applies to, for those who ask about many of them, or change
// directives.
#pragma once

#include <unordered_set>

#include "ir/function.h"

namespace ptxopt::ir {

// Instructions that read memory and for which isBelowDirective() holds.  Folding or removing other
// loads changes nothing about these.  O(statements).
std::unordered_set<const Instruction*> loadsBelowDirectives(const Function& function);

// isBelowDirective(), where the statements in `gone` do not count.
bool isBelowDirective(const Instruction& instruction,
                      const std::unordered_set<const Statement*>& gone);

// The pragma is a hint about its block or about the next load, not about the statement below it
// (docs/soundness/ A5.5).
bool isAboutOthers(const Pragma& pragma);

// The first of the directives right above the statement that may be about it, or the statement
// itself.  What comes before it leaves them in their place before the statement (docs/soundness/
// A7.5).
Statement* aboveDirectives(Statement& statement);
// There are such directives: without the statement, they would stand before another one.
bool hasDirectiveAbove(const Statement& statement);

}  // namespace ptxopt::ir
