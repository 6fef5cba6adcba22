// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/digraph.h"

#include <algorithm>
#include <cassert>

namespace ptxopt {

Digraph::Digraph(std::uint32_t vertexCount, std::vector<Arc> arcs)
    : outOffsets_(vertexCount + std::size_t{1}), inOffsets_(vertexCount + std::size_t{1}) {
  const auto bySource = [](const Arc& a, const Arc& b) { return a.source < b.source; };
  if (!std::is_sorted(arcs.begin(), arcs.end(), bySource)) {
    std::stable_sort(arcs.begin(), arcs.end(), bySource);
  }

  sources_.reserve(arcs.size());
  targets_.reserve(arcs.size());
  for (const Arc& arc : arcs) {
    assert(arc.source < vertexCount && arc.target < vertexCount);
    sources_.push_back(arc.source);
    targets_.push_back(arc.target);
    ++outOffsets_[arc.source + std::size_t{1}];
    ++inOffsets_[arc.target + std::size_t{1}];
  }
  for (std::size_t v = 0; v < vertexCount; ++v) {
    outOffsets_[v + 1] += outOffsets_[v];
    inOffsets_[v + 1] += inOffsets_[v];
  }

  inEdges_.resize(arcs.size());
  inSources_.resize(arcs.size());
  std::vector<std::uint32_t> free(inOffsets_.begin(), inOffsets_.end() - 1);
  for (EdgeId edge = 0; edge < arcs.size(); ++edge) {
    const std::uint32_t slot = free[targets_[edge]]++;
    inEdges_[slot] = edge;
    inSources_[slot] = sources_[edge];
  }
}

}  // namespace ptxopt
