// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strongly connected components, by Tarjan's algorithm as Boost.Graph has it (iterative there).
//
// O(V + E) time, O(V) memory.
#pragma once

#include <vector>

#include "support/digraph.h"

namespace ptxopt {

struct StrongComponents {
  explicit StrongComponents(const Digraph& graph);

  // By vertex.  A component has a smaller number than those that reach it: 0, 1, 2, ... visits
  // callees before callers in a call graph.
  std::vector<std::uint32_t> component;
  std::uint32_t count = 0;
};

}  // namespace ptxopt
