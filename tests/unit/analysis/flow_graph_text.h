// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The edges of a flow graph in one line.
#pragma once

#include <string>

#include "analysis/flow/flow_graph.h"

namespace ptxopt::test {

// "0-taken->2 0-fallthrough->1 2-return->x", x being the exit.
inline std::string edges(const analysis::FlowGraph& graph) {
  std::string text;
  for (EdgeId edge = 0; edge < graph.edgeCount(); ++edge) {
    const analysis::BlockId target = graph.target(edge);
    if (!text.empty()) text += ' ';
    text += std::to_string(indexOf(graph.source(edge))) + '-';
    text += analysis::spelling(graph.kind(edge));
    text += "->" + (target == graph.exit() ? "x" : std::to_string(indexOf(target)));
  }
  return text;
}

}  // namespace ptxopt::test
