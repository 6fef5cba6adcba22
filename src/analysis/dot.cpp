#include "analysis/dot.h"

#include <cctype>
#include <string_view>

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
  return b == cfg.exit() ? "exit" : "b" + std::to_string(b);
}

// "block 3, $L__BB0_2, lines 10-14"
std::string titleOf(const Cfg& cfg, BlockId b) {
  const ir::Function& function = cfg.function();
  const SourceText& source = function.module().source();
  std::string title = "block " + std::to_string(b);
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

}  // namespace

std::string shortText(const ir::Function& function, const ir::Instruction& instruction) {
  if (!instruction.source.valid() || instruction.changed) {
    return std::string(instruction.form->mnemonic);
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

std::string dot(const Cfg& cfg, const InstructionText& text) {
  const std::string name = quoted(cfg.function().nameText());
  std::string out = "digraph \"" + name + "\" {\n  label=\"" + name +
                    "\";\n  node [shape=box, fontname=monospace];\n";
  for (BlockId b = 0; b < cfg.blockCount(); ++b) {
    out += "  " + nodeName(cfg, b) + " [label=\"" + quoted(titleOf(cfg, b)) + "\\l";
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      out += quoted(text ? text(instruction) : shortText(cfg.function(), instruction)) + "\\l";
    }
    out += cfg.isReachable(b) ? "\"];\n" : "\", style=dashed];\n";
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
