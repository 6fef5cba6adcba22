// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions whose results depend on their arguments alone, and that do nothing else.
//
// Such a function has a body that cannot be replaced, which computes, reads constants and its own
// parameters, branches and returns: no memory that anybody can write, nothing convergent, nothing
// whose value changes while the thread runs, no end of the thread; and it calls only functions of
// that kind, never itself (docs/soundness/ D3.7).
//
// Cost: O(statements of functions that are no kernels).
#pragma once

#include <vector>

#include "analysis/flow/call_graph.h"

namespace ptxopt::analysis {

class PureFunctions {
 public:
  explicit PureFunctions(const CallGraph& graph);

  bool isPure(Vertex v) const { return pure_[v]; }
  // A direct call, not of an alias, to such a function.
  bool isPureCall(const ir::Function& caller, const ir::Instruction& call) const;

 private:
  const CallGraph* graph_;
  std::vector<bool> pure_;  // by vertex
};

}  // namespace ptxopt::analysis
