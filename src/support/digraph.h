// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A directed graph in flat arrays, and a model of the Boost.Graph concepts.
//
// Vertices are 0 .. vertexCount()-1.  Edges are numbered by source; edges of one source keep the
// order in which they were given.  Parallel edges and self-loops are allowed.  Both directions are
// stored (compressed sparse rows), so that every neighbour list is a contiguous slice.
//
// Cost: building is O(V + E), E log E if the arcs are unsorted; 16 bytes an edge and 8 a vertex.
// The graph is immutable.
//
// Boost.Graph: Digraph and every class derived from it is a VertexListGraph, a BidirectionalGraph
// and an EdgeListGraph with an internal vertex_index; boost::make_reverse_graph() gives the
// reversed view.  Our own algorithms take a Direction instead, which needs no adaptor.
#pragma once

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/property_map/property_map.hpp>
#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ptxopt {

using Vertex = std::uint32_t;
using EdgeId = std::uint32_t;
inline constexpr std::uint32_t kNone = ~0u;  // no vertex, no edge, no position

enum class Direction : bool { Forward, Backward };
constexpr Direction opposite(Direction direction) {
  return direction == Direction::Forward ? Direction::Backward : Direction::Forward;
}

struct Arc {
  Vertex source = 0;
  Vertex target = 0;
};

class Digraph {
 public:
  Digraph() : Digraph(0, {}) {}
  // Both ends of every arc must be below `vertexCount`.
  Digraph(std::uint32_t vertexCount, std::vector<Arc> arcs);

  std::uint32_t vertexCount() const { return static_cast<std::uint32_t>(outOffsets_.size()) - 1; }
  std::uint32_t edgeCount() const { return static_cast<std::uint32_t>(targets_.size()); }

  Vertex source(EdgeId edge) const { return sources_[edge]; }
  Vertex target(EdgeId edge) const { return targets_[edge]; }
  // Edges out of v are firstOutEdge(v) .. firstOutEdge(v + 1) - 1.
  EdgeId firstOutEdge(Vertex v) const { return outOffsets_[v]; }
  auto outEdges(Vertex v) const {
    using Iterator = boost::counting_iterator<EdgeId>;
    return std::pair(Iterator(outOffsets_[v]), Iterator(outOffsets_[v + 1]));
  }
  std::span<const EdgeId> inEdges(Vertex v) const {
    return {inEdges_.data() + inOffsets_[v], inEdges_.data() + inOffsets_[v + 1]};
  }

  // Parallel edges count separately.
  std::span<const Vertex> successors(Vertex v) const {
    return {targets_.data() + outOffsets_[v], targets_.data() + outOffsets_[v + 1]};
  }
  std::span<const Vertex> predecessors(Vertex v) const {
    return {inSources_.data() + inOffsets_[v], inSources_.data() + inOffsets_[v + 1]};
  }
  std::span<const Vertex> next(Vertex v, Direction direction) const {
    return direction == Direction::Forward ? successors(v) : predecessors(v);
  }
  std::span<const Vertex> previous(Vertex v, Direction direction) const {
    return next(v, opposite(direction));
  }

  // ---- required by boost::graph_traits --------------------------------------------------------
  using vertex_descriptor = Vertex;
  using edge_descriptor = EdgeId;
  using directed_category = boost::bidirectional_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  struct traversal_category : boost::bidirectional_graph_tag,
                              boost::adjacency_graph_tag,
                              boost::vertex_list_graph_tag,
                              boost::edge_list_graph_tag {};
  using vertices_size_type = std::uint32_t;
  using edges_size_type = std::uint32_t;
  using degree_size_type = std::uint32_t;
  using vertex_iterator = boost::counting_iterator<Vertex>;
  using edge_iterator = boost::counting_iterator<EdgeId>;
  using out_edge_iterator = boost::counting_iterator<EdgeId>;
  using in_edge_iterator = const EdgeId*;
  using adjacency_iterator = const Vertex*;
  static constexpr Vertex null_vertex() { return kNone; }

 private:
  std::vector<std::uint32_t> outOffsets_;  // vertexCount + 1
  std::vector<Vertex> sources_;            // by edge
  std::vector<Vertex> targets_;            // by edge
  std::vector<std::uint32_t> inOffsets_;   // vertexCount + 1
  std::vector<EdgeId> inEdges_;            // by target, then by edge
  std::vector<Vertex> inSources_;          // sources_[inEdges_[k]]
};

// ---- Boost.Graph: found by argument-dependent lookup -------------------------------------------

inline auto vertices(const Digraph& g) {
  return std::pair(Digraph::vertex_iterator(0), Digraph::vertex_iterator(g.vertexCount()));
}
inline auto edges(const Digraph& g) {
  return std::pair(Digraph::edge_iterator(0), Digraph::edge_iterator(g.edgeCount()));
}
inline std::uint32_t num_vertices(const Digraph& g) {
  return g.vertexCount();
}
inline std::uint32_t num_edges(const Digraph& g) {
  return g.edgeCount();
}
inline Vertex source(EdgeId edge, const Digraph& g) {
  return g.source(edge);
}
inline Vertex target(EdgeId edge, const Digraph& g) {
  return g.target(edge);
}
inline auto out_edges(Vertex v, const Digraph& g) {
  return g.outEdges(v);
}
inline auto in_edges(Vertex v, const Digraph& g) {
  const std::span<const EdgeId> in = g.inEdges(v);
  return std::pair(in.data(), in.data() + in.size());
}
inline auto adjacent_vertices(Vertex v, const Digraph& g) {
  const std::span<const Vertex> next = g.successors(v);
  return std::pair(next.data(), next.data() + next.size());
}
inline std::uint32_t out_degree(Vertex v, const Digraph& g) {
  return static_cast<std::uint32_t>(g.successors(v).size());
}
inline std::uint32_t in_degree(Vertex v, const Digraph& g) {
  return static_cast<std::uint32_t>(g.predecessors(v).size());
}
inline std::uint32_t degree(Vertex v, const Digraph& g) {
  return in_degree(v, g) + out_degree(v, g);
}
inline boost::typed_identity_property_map<Vertex> get(boost::vertex_index_t, const Digraph&) {
  return {};
}
inline Vertex get(boost::vertex_index_t, const Digraph&, Vertex v) {
  return v;
}

}  // namespace ptxopt

namespace boost {

template <std::derived_from<ptxopt::Digraph> Graph>
struct property_map<Graph, vertex_index_t> {
  using type = typed_identity_property_map<ptxopt::Vertex>;
  using const_type = type;
};

}  // namespace boost
