// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/strong_components.h"

#include <boost/graph/strong_components.hpp>

namespace ptxopt {

StrongComponents::StrongComponents(const Digraph& graph) : component(graph.vertexCount()) {
  if (graph.vertexCount() == 0) return;
  const auto index = get(boost::vertex_index, graph);
  count = static_cast<std::uint32_t>(
      boost::strong_components(graph, boost::make_iterator_property_map(component.begin(), index)));
}

}  // namespace ptxopt
