// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/flow_graph.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

#include "support/strong_components.h"

namespace ptxopt::analysis {

namespace {

std::vector<Arc> arcsOf(const std::vector<FlowEdge>& edges) {
  std::vector<Arc> arcs;
  arcs.reserve(edges.size());
  for (const FlowEdge& edge : edges) arcs.push_back({indexOf(edge.source), indexOf(edge.target)});
  return arcs;
}

const std::vector<FlowEdge>& sortBySource(std::vector<FlowEdge>& edges) {
  const auto bySource = [](const FlowEdge& a, const FlowEdge& b) { return a.source < b.source; };
  if (!std::is_sorted(edges.begin(), edges.end(), bySource)) {
    std::stable_sort(edges.begin(), edges.end(), bySource);
  }
  return edges;
}

// One edge to `exit` from each terminal strongly connected component.
std::vector<FlowEdge> endlessEdges(const FlowGraph& graph) {
  const StrongComponents strong(graph);
  std::vector<bool> isLeft(strong.count);
  for (EdgeId edge = 0; edge < graph.edgeCount(); ++edge) {
    const std::uint32_t from = strong.component[indexOf(graph.source(edge))];
    if (from != strong.component[indexOf(graph.target(edge))]) isLeft[from] = true;
  }
  isLeft[strong.component[indexOf(graph.exit())]] = true;

  std::vector<FlowEdge> found;
  std::vector<Vertex> all(graph.vertexCount());
  std::iota(all.begin(), all.end(), 0);
  for (const Vertex v : postorder(graph, all)) {
    const std::uint32_t component = strong.component[v];
    if (isLeft[component]) continue;
    found.push_back({BlockId{v}, graph.exit(), EdgeKind::Endless});
    isLeft[component] = true;
  }
  return found;
}

}  // namespace

std::string_view spelling(EdgeKind kind) {
  constexpr std::array<std::string_view, 10> kNames = {
      "fallthrough", "taken", "indirect", "unknown",      "return",
      "exit",        "trap",  "noreturn", "unknown exit", "endless"};
  return kNames[static_cast<std::size_t>(kind)];
}

FlowGraph::FlowGraph(std::uint32_t blockCount, std::vector<FlowEdge> edges)
    : Digraph(blockCount + 1, arcsOf(sortBySource(edges))) {
  assert(blockCount > 0);
  if (reachableFrom(*this, indexOf(exit()), Direction::Backward).count() != vertexCount()) {
    const std::vector<FlowEdge> endless = endlessEdges(*this);
    edges.insert(edges.end(), endless.begin(), endless.end());
    Digraph::operator=(Digraph(blockCount + 1, arcsOf(sortBySource(edges))));
  }
  kinds_.reserve(edges.size());
  for (const FlowEdge& edge : edges) {
    assert(edge.source != exit());
    kinds_.push_back(edge.kind);
  }
  reachable_ = reachableFrom(*this, indexOf(entry()));
}

FlowGraph FlowGraph::without(const BitSet& removed) const {
  std::vector<FlowEdge> kept;
  kept.reserve(edgeCount());
  for (EdgeId edge = 0; edge < edgeCount(); ++edge) {
    if (removed.test(edge) || kind(edge) == EdgeKind::Endless) continue;
    kept.push_back({source(edge), target(edge), kind(edge)});
  }
  return FlowGraph(blockCount(), std::move(kept));
}

}  // namespace ptxopt::analysis
