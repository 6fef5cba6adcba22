// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flow graphs for tests: random ones, large regular ones, and reachability by definition.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "analysis/flow/flow_graph.h"

namespace ptxopt::test {

using analysis::BlockId;
using analysis::EdgeKind;
using analysis::FlowEdge;
using analysis::FlowGraph;

inline FlowGraph flowGraph(std::uint32_t blocks,
                           const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  std::vector<FlowEdge> all;
  for (const auto& [source, target] : edges) {
    all.push_back({BlockId{source}, BlockId{target}, EdgeKind::Taken});
  }
  return FlowGraph(blocks, std::move(all));
}

// Up to `maximalBlocks` blocks with up to three edges each, some of them to the exit, unreachable
// blocks and endless loops among them.
inline FlowGraph randomFlowGraph(std::mt19937& random, std::uint32_t maximalBlocks) {
  const auto below = [&](std::uint32_t bound) {
    return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random);
  };
  const std::uint32_t blocks = 1 + below(maximalBlocks);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const std::uint32_t count = below(10) == 0 ? below(4) : 1 + below(2);
    for (std::uint32_t k = 0; k < count; ++k) edges.emplace_back(b, below(blocks + 1));
  }
  return flowGraph(blocks, edges);
}

inline constexpr std::uint32_t kManyBlocks = 50'000;

// 0 -> 1 -> 2 -> ...
inline FlowGraph chain(std::uint32_t blocks = kManyBlocks) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t b = 0; b < blocks; ++b) edges.emplace_back(b, b + 1);
  return flowGraph(blocks, edges);
}

// Every block goes on to the next one or the one after it.
inline FlowGraph ladder(std::uint32_t blocks = kManyBlocks) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    edges.emplace_back(b, b + 1);
    edges.emplace_back(b, b + 2 < blocks ? b + 2 : blocks);
  }
  return flowGraph(blocks, edges);
}

// Loops inside of each other, each with a header and a latch: headers 0 .. n-1, latches n .. 2n-1.
inline FlowGraph nest(std::uint32_t blocks = kManyBlocks) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  const std::uint32_t depth = blocks / 2;
  for (std::uint32_t header = 0; header < depth; ++header) {
    edges.emplace_back(header, header + 1);
    const std::uint32_t latch = 2 * depth - 1 - header;
    edges.emplace_back(latch, header);
    edges.emplace_back(latch, latch + 1);
  }
  return flowGraph(2 * depth, edges);
}

// The vertices that `from` reaches without passing `avoided`; none where it is `avoided` itself.
inline BitSet reachableFrom(const FlowGraph& graph, BlockId from, BlockId avoided = BlockId::None,
                            Direction direction = Direction::Forward) {
  BitSet seen(graph.vertexCount());
  std::vector<BlockId> stack;
  const auto visit = [&](BlockId b) {
    if (b != avoided && seen.set(b)) stack.push_back(b);
  };
  visit(from);
  while (!stack.empty()) {
    const BlockId b = stack.back();
    stack.pop_back();
    for (const BlockId next : graph.next(b, direction)) visit(next);
  }
  return seen;
}

// The blocks that each block dominates: every path from `root` goes through it, and there is one.
inline IdVector<BlockId, BitSet> dominanceByDefinition(const FlowGraph& graph, BlockId root,
                                                       Direction direction) {
  const BitSet reached = reachableFrom(graph, root, BlockId::None, direction);
  IdVector<BlockId, BitSet> dominance;
  for (const BlockId a : graph.blocksAndExit()) {
    BitSet row(graph.vertexCount());
    if (reached.test(a)) {
      row = reached;
      row.subtract(reachableFrom(graph, root, a, direction));
    }
    dominance.push_back(std::move(row));
  }
  return dominance;
}

}  // namespace ptxopt::test
