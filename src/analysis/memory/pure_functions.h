// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions whose results depend only on their arguments, and that have no side effects.
//
// The body of a pure function cannot be replaced by a linker.  It computes, reads constants and its
// own parameters, branches and returns.  It accesses no writable memory, executes nothing
// convergent, reads nothing that changes while the thread runs, and never ends the thread.  It
// calls only pure functions, and is not recursive (docs/soundness/ D3.7).
//
// Cost: O(statements of functions that are not kernels).
#pragma once

#include <vector>

#include "analysis/flow/call_graph.h"

namespace ptxopt::analysis {

class PureFunctions {
 public:
  explicit PureFunctions(const CallGraph& graph);

  bool isPure(Vertex v) const { return pure_[v]; }
  // A direct call of a pure function, not through an alias.
  bool isPureCall(const ir::Function& caller, const ir::Instruction& call) const;

 private:
  const CallGraph* graph_;
  std::vector<bool> pure_;  // by vertex
};

}  // namespace ptxopt::analysis
