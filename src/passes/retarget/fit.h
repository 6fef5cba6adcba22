// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What in a module does not fit a version and a target, and what can take its place.
#pragma once

#include <string>
#include <vector>

#include "analysis/needs/needs.h"
#include "ir/module.h"

namespace ptxopt::passes {

// A version with a target, as a module states them.
struct Stated {
  isa::Version version;
  isa::Target target;
};

struct Change {
  ir::Function* function;    // null: `statement` is one of the module
  ir::Statement* statement;  // null: the attribute that `need` names goes
  std::string text;          // in its place; empty: the statement goes
  analysis::Need need;
};

struct Problem {
  analysis::Need need;
  std::string why;  // "needs PTX 8.0 and sm_90"
};

struct Fit {
  std::vector<Change> changes;
  std::vector<Problem> problems;
};

// Changes nothing yet.  What the module states already is not in question, whatever the tables say.
// O(statements).
Fit fit(ir::Module& module, const Stated& wanted);

// Only the printer understands what was changed afterwards.
void apply(ir::Module& module, const Change& change);

}  // namespace ptxopt::passes
