// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/dot.h"

#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/flow/regions.h"
#include "ir/module.h"

namespace ptxopt::analysis {

namespace {

std::string quoted(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string nodeName(const Cfg& cfg, BlockId b) {
  return b == cfg.exit() ? "exit" : "b" + std::to_string(indexOf(b));
}

// "block 3, $L__BB0_2, lines 10-14"
std::string titleOf(const Cfg& cfg, BlockId b) {
  const ir::Function& function = cfg.function();
  const SourceText& source = function.module().source();
  std::string title = "block " + std::to_string(indexOf(b));
  std::uint32_t firstLine = 0;
  std::uint32_t lastLine = 0;
  for (const ir::Statement& statement : cfg.statements(b)) {
    if (const auto* label = statement.as<ir::Label>()) {
      title += ", ";
      title += function.module().text(function.symbolAt(label->symbol).name);
    }
    if (!statement.source.valid()) continue;
    if (firstLine == 0) firstLine = source.lineColumn(statement.source.begin).line;
    lastLine = source.lineColumn(statement.source.begin).line;
  }
  if (firstLine != 0) {
    title += ", lines " + std::to_string(firstLine) + "-" + std::to_string(lastLine);
  }
  return title;
}

std::string_view styleOf(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::Endless:
      return "dotted";
    case EdgeKind::Unknown:
    case EdgeKind::UnknownExit:
      return "dashed";
    default:
      return "solid";
  }
}

// "/set312/3:/set312/4": the colours of the regions of a block.
std::string colorsOf(Regions& regions, BlockId b) {
  constexpr std::uint32_t kColors = 12;
  std::string text;
  for (std::uint32_t k = 0; k < regions.pieces(b); ++k) {
    text +=
        (k == 0 ? "/set312/" : ":/set312/") + std::to_string(1 + (regions.of(b, k) - 1) % kColors);
  }
  return text;
}

// ---- removed statements ------------------------------------------------------------------------

// Placed after the instruction that preceded it in its block, or before the next one.
struct RemovedLines {
  std::multimap<const ir::Instruction*, std::string> before, after;
};

RemovedLines placed(const Cfg& cfg, const RemovedText& removed) {
  RemovedLines lines;
  auto next = removed.begin();
  const ir::Instruction* previous = nullptr;
  for (const ir::Statement& statement : cfg.function().body()) {
    if (!statement.source.valid()) continue;
    const auto* instruction = statement.as<ir::Instruction>();
    while (next != removed.end() && next->first < statement.source.begin) {
      if (previous == nullptr && instruction == nullptr) break;
      if (previous != nullptr) {
        lines.after.emplace(previous, next->second);
      } else {
        lines.before.emplace(instruction, next->second);
      }
      ++next;
    }
    const bool endsBlock =
        instruction != nullptr && cfg.block(instruction->block).terminator == instruction;
    if (instruction != nullptr) previous = endsBlock ? nullptr : instruction;
    if (statement.kind == ir::StatementKind::Label) previous = nullptr;
  }
  for (; next != removed.end() && previous != nullptr; ++next) {
    lines.after.emplace(previous, next->second);
  }
  return lines;
}

}  // namespace

std::string shortText(const ir::Function& function, const ir::Instruction& instruction) {
  if (!instruction.source.valid() || instruction.changed) {
    return std::string(instruction.desc->mnemonic);
  }
  std::string text;
  bool isBlank = false;
  for (const char c : function.module().source().slice(instruction.source)) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      isBlank = true;
      continue;
    }
    if (isBlank) text += ' ';
    isBlank = false;
    text += c;
  }
  return text;
}

std::string dot(const Cfg& cfg, const InstructionText& text, const RemovedText& removed) {
  const std::string name = quoted(cfg.function().nameText());
  std::string out = "digraph \"" + name + "\" {\n  label=\"" + name +
                    "\";\n  node [shape=box, fontname=monospace];\n";
  Regions regions(cfg);
  const RemovedLines lines = placed(cfg, removed);
  const auto addLines = [&](const auto& all, const ir::Instruction& at) {
    const auto [first, last] = all.equal_range(&at);
    for (auto line = first; line != last; ++line) out += quoted(line->second) + "\\l";
  };
  for (const BlockId b : cfg.blocks()) {
    std::uint32_t piece = 0;
    const auto addRegion = [&] {
      if (!regions.any() || !cfg.isReachable(b)) return;
      out += "-- region " + std::to_string(regions.of(b, piece++)) + " --\\l";
    };
    out += "  " + nodeName(cfg, b) + " [label=\"" + quoted(titleOf(cfg, b)) + "\\l";
    addRegion();
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      addLines(lines.before, instruction);
      out += quoted(text ? text(instruction) : shortText(cfg.function(), instruction)) + "\\l";
      addLines(lines.after, instruction);
      if (Regions::cuts(instruction)) addRegion();
    }
    if (!cfg.isReachable(b)) {
      out += "\", style=dashed];\n";
    } else if (regions.any()) {
      out += std::string("\", style=") + (regions.pieces(b) == 1 ? "filled" : "striped") +
             ", fillcolor=\"" + colorsOf(regions, b) + "\"];\n";
    } else {
      out += "\"];\n";
    }
  }
  out += "  exit [shape=ellipse];\n";
  for (EdgeId edge = 0; edge < cfg.edgeCount(); ++edge) {
    out += "  " + nodeName(cfg, cfg.source(edge)) + " -> " + nodeName(cfg, cfg.target(edge)) +
           " [label=\"";
    out += spelling(cfg.kind(edge));
    out += "\", style=";
    out += styleOf(cfg.kind(edge));
    out += "];\n";
  }
  return out + "}\n";
}

}  // namespace ptxopt::analysis
