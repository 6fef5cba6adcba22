// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strongly connected components, by the (iterative) implementation of Tarjan's algorithm in
// Boost.Graph.
//
// O(V + E) time, O(V) memory.
#pragma once

#include <vector>

#include "support/digraph.h"

namespace ptxopt {

struct StrongComponents {
  explicit StrongComponents(const Digraph& graph);

  // By vertex.  A component has a smaller number than those that reach it: in a call graph, the
  // order 0, 1, 2, ... visits callees before callers.
  std::vector<std::uint32_t> component;
  std::uint32_t count = 0;
};

}  // namespace ptxopt
