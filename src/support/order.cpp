// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/order.h"

#include <algorithm>

namespace ptxopt {

std::vector<Vertex> postorder(const Digraph& graph, std::span<const Vertex> roots,
                              Direction direction) {
  struct Frame {
    Vertex vertex;
    std::uint32_t nextChild;
  };
  std::vector<Vertex> order;
  order.reserve(graph.vertexCount());
  BitSet seen(graph.vertexCount());
  std::vector<Frame> stack;
  stack.reserve(graph.vertexCount());
  const auto enter = [&](Vertex v) {
    if (seen.set(v)) stack.push_back({v, 0});
  };

  for (const Vertex root : roots) {
    enter(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      const std::span<const Vertex> children = graph.next(top.vertex, direction);
      if (top.nextChild < children.size()) {
        enter(children[top.nextChild++]);
      } else {
        order.push_back(top.vertex);
        stack.pop_back();
      }
    }
  }
  return order;
}

BitSet reachableFrom(const Digraph& graph, Vertex root, Direction direction) {
  BitSet reached(graph.vertexCount());
  std::vector<Vertex> work;
  work.reserve(graph.vertexCount());
  const auto reach = [&](Vertex v) {
    if (reached.set(v)) work.push_back(v);
  };
  reach(root);
  while (!work.empty()) {
    const Vertex v = work.back();
    work.pop_back();
    for (const Vertex next : graph.next(v, direction)) reach(next);
  }
  return reached;
}

ReversePostorder::ReversePostorder(const Digraph& graph, Vertex root, Direction direction)
    : vertices_(postorder(graph, {&root, 1}, direction)), positions_(graph.vertexCount(), kNone) {
  std::reverse(vertices_.begin(), vertices_.end());
  for (std::uint32_t k = 0; k < vertices_.size(); ++k) positions_[vertices_[k]] = k;
}

}  // namespace ptxopt
