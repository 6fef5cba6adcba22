// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depth-first orders, and what a vertex reaches.
//
// Iterative: a deep graph costs heap, not stack.  O(V + E) time.
#pragma once

#include <span>
#include <vector>

#include "support/bit_set.h"
#include "support/digraph.h"

namespace ptxopt {

// The vertices reachable from `roots`, in the order in which a depth-first search leaves them.
// Roots and neighbours are visited in the given order.
std::vector<Vertex> postorder(const Digraph& graph, std::span<const Vertex> roots,
                              Direction direction = Direction::Forward);

// The vertices that `root` reaches, itself among them.
BitSet reachableFrom(const Digraph& graph, Vertex root, Direction direction = Direction::Forward);

// In an acyclic graph every vertex comes before those that are reachable from it.
class ReversePostorder {
 public:
  ReversePostorder(const Digraph& graph, Vertex root, Direction direction = Direction::Forward);

  std::span<const Vertex> vertices() const { return vertices_; }
  // kNone for a vertex that is not reachable from the root.
  std::uint32_t position(Vertex v) const { return positions_[v]; }
  bool contains(Vertex v) const { return positions_[v] != kNone; }

 private:
  std::vector<Vertex> vertices_;
  std::vector<std::uint32_t> positions_;
};

}  // namespace ptxopt
