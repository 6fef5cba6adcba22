// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/html/flow_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/flow/cfg.h"
#include "analysis/flow/regions.h"
#include "driver/html/markup.h"
#include "ir/module.h"

namespace ptxopt::driver {

namespace {

using analysis::Cfg;
using ir::BlockId;

constexpr std::size_t kMostBlocks = 500;
constexpr std::uint32_t kMostChips = 6;  // regions that a block names
constexpr std::uint32_t kColors = 8;     // classes r0 .. r7 of the style sheet
// Pixels.
constexpr int kWidth = 340, kHeight = 46, kGap = 22, kLane = 12, kChip = 26;

struct Box {
  std::string title;
  Offset begin = 0;                           // of its first statement that has a text
  std::uint32_t firstLine = 0, lastLine = 0;  // 0: none
  std::vector<std::uint32_t> regions;
  std::size_t removed = 0;
};

struct Edge {
  int from, to;  // rows; the end is the one behind the last block
  std::string_view kind;
  auto operator<=>(const Edge&) const = default;
  bool isForward() const { return to > from; }
  int length() const { return std::abs(to - from); }
};

Box boxOf(const Cfg& cfg, BlockId b, analysis::Regions& regions) {
  const ir::Module& module = cfg.function().module();
  Box box;
  box.title = fmt::format("block {}", indexOf(b));
  for (const ir::Statement& statement : cfg.statements(b)) {
    if (const auto* label = statement.as<ir::Label>()) {
      box.title += ' ';
      box.title += module.text(cfg.function().symbolAt(label->symbol).name);
    }
    if (!statement.source.valid()) continue;
    const std::uint32_t line = module.source().lineColumn(statement.source.begin).line;
    if (box.firstLine == 0) {
      box.firstLine = line;
      box.begin = statement.source.begin;
    }
    box.lastLine = line;
  }
  if (!regions.any() || !cfg.isReachable(b)) return box;
  for (std::uint32_t k = 0; k < std::min(regions.pieces(b), kMostChips); ++k) {
    box.regions.push_back(regions.of(b, k));
  }
  return box;
}

// A removed statement counts for the last block that begins above it.
void countRemoved(std::vector<Box>& boxes, std::span<const Offset> removed) {
  std::vector<Box*> byBegin;
  for (Box& box : boxes) {
    if (box.firstLine != 0) byBegin.push_back(&box);
  }
  std::ranges::sort(byBegin, {}, &Box::begin);
  if (byBegin.empty()) return;
  for (const Offset offset : removed) {
    const auto above = std::ranges::upper_bound(byBegin, offset, {}, &Box::begin);
    ++(above == byBegin.begin() ? byBegin.front() : *std::prev(above))->removed;
  }
}

int topOf(int row) {
  return row * (kHeight + kGap);
}

// A lane for each edge, so that no two of one lane overlap; short edges are nearest to the blocks.
std::vector<std::pair<Edge, int>> lanesOf(std::vector<Edge> edges) {
  std::ranges::sort(edges, {}, [](const Edge& e) { return std::tuple(e.length(), e); });
  std::vector<std::vector<std::pair<int, int>>> lanes;
  std::vector<std::pair<Edge, int>> placed;
  for (const Edge& edge : edges) {
    const auto [low, high] = std::minmax(edge.from, edge.to);
    const auto isFree = [low = low, high = high](const auto& lane) {
      return std::ranges::all_of(
          lane, [&](const auto& taken) { return high < taken.first || taken.second < low; });
    };
    auto lane = std::ranges::find_if(lanes, isFree);
    if (lane == lanes.end()) lane = lanes.emplace(lanes.end());
    lane->emplace_back(low, high);
    placed.emplace_back(edge, static_cast<int>(lane - lanes.begin()));
  }
  return placed;
}

int widthOf(const std::vector<std::pair<Edge, int>>& placed) {
  int lanes = 0;
  for (const auto& [edge, lane] : placed) lanes = std::max(lanes, lane + 1);
  return kLane * lanes;
}

std::string straight(const Edge& edge, int left) {
  const int x = left + 30;
  const int y = topOf(edge.from) + kHeight;
  return fmt::format(
      "<path class='edge' marker-end='url(#tip)' d='M{} {}V{}'/><text x='{}' y='{}'>{}</text>\n", x,
      y, topOf(edge.to) - 1, x + 6, y + 15, escaped(edge.kind));
}

std::string aside(const Edge& edge, int lane, int left) {
  const int right = left + kWidth;
  const int x = edge.isForward() ? right : left;
  const int far = edge.isForward() ? right + 14 + kLane * lane : left - 8 - kLane * lane;
  return fmt::format(
      "<path class='edge{}' marker-end='url(#tip)' d='M{} {}H{}V{}H{}'><title>{}</title></path>\n",
      edge.isForward() ? "" : " back", x, topOf(edge.from) + kHeight - 12, far, topOf(edge.to) + 12,
      edge.isForward() ? x + 1 : x - 1, escaped(edge.kind));
}

std::string chip(std::uint32_t region, int x, int top) {
  return fmt::format(
      "<g class='region r{}'><rect x='{}' y='{}' width='{}' height='17' rx='4'/><text x='{}' "
      "y='{}' "
      "text-anchor='middle'>{}</text><title>region {}</title></g>",
      region % kColors, x, top + 22, kChip - 3, x + 11, top + 35, region, region);
}

std::string drawn(const Box& box, int row, int left) {
  const int top = topOf(row);
  std::string lines;
  if (box.firstLine != 0) {
    lines = box.firstLine == box.lastLine ? fmt::format("line {}", box.firstLine)
                                          : fmt::format("lines {}–{}", box.firstLine, box.lastLine);
  }
  if (box.removed != 0) lines += fmt::format(", {} removed", box.removed);
  std::string text = fmt::format(
      "<rect class='box' x='{}' y='{}' width='{}' height='{}' rx='6'/><text class='name' x='{}' "
      "y='{}'>{}</text><text x='{}' y='{}'>{}</text>",
      left, top, kWidth, kHeight, left + 10, top + 18, escaped(box.title), left + 10, top + 36,
      lines);
  int x = left + kWidth - 10 - kChip * static_cast<int>(box.regions.size());
  for (const std::uint32_t region : box.regions) {
    text += chip(region, x, top);
    x += kChip;
  }
  return box.firstLine == 0 ? text + '\n'
                            : fmt::format("<a href='#l{}'>{}</a>\n", box.firstLine, text);
}

}  // namespace

std::string flowDrawing(ir::Function& function, std::span<const Offset> removed) {
  const Cfg cfg(function);
  if (cfg.blockCount() > kMostBlocks) {
    return fmt::format("<p>It has {} blocks; a graph is drawn of up to {}.</p>\n", cfg.blockCount(),
                       kMostBlocks);
  }
  analysis::Regions regions(cfg);
  std::vector<Box> boxes;
  for (const BlockId b : cfg.blocks()) boxes.push_back(boxOf(cfg, b, regions));
  countRemoved(boxes, removed);
  const auto rowOf = [&](BlockId b) {
    return static_cast<int>(b == cfg.exit() ? boxes.size() : indexOf(b));
  };
  std::vector<Edge> edges;
  for (EdgeId e = 0; e < cfg.edgeCount(); ++e) {
    edges.push_back({rowOf(cfg.source(e)), rowOf(cfg.target(e)), analysis::spelling(cfg.kind(e))});
  }
  std::ranges::sort(edges);
  edges.erase(std::ranges::unique(edges).begin(), edges.end());

  std::vector<Edge> next, forward, back;
  for (const Edge& edge : edges) {
    (edge.to == edge.from + 1 ? next : edge.isForward() ? forward : back).push_back(edge);
  }
  const auto right = lanesOf(forward);
  const auto behind = lanesOf(back);
  const int left = 16 + widthOf(behind);
  const int width = left + kWidth + 68 + widthOf(right);
  const int rows = static_cast<int>(boxes.size());
  std::string text = fmt::format(
      "<div class='scroll flow'><svg viewBox='0 0 {} {}' style='width:{}px' role='img' "
      "aria-label='control-flow graph, blocks: {}, edges: {}'><defs>"
      "<marker id='tip' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' "
      "orient='auto'><path d='M0 0L8 4L0 8z' class='tip'/></marker></defs>\n",
      width, topOf(rows + 1), width, boxes.size(), edges.size());
  for (const Edge& edge : next) text += straight(edge, left);
  for (const auto& [edge, lane] : right) text += aside(edge, lane, left);
  for (const auto& [edge, lane] : behind) text += aside(edge, lane, left);
  for (int row = 0; row < rows; ++row)
    text += drawn(boxes[static_cast<std::size_t>(row)], row, left);
  return text + fmt::format("<text class='name' x='{}' y='{}'>end</text></svg></div>\n", left + 10,
                            topOf(rows) + 22);
}

}  // namespace ptxopt::driver
