#include "passes/kept_barriers.h"

#include <algorithm>
#include <charconv>

namespace ptxopt::passes {

namespace {

// The line of text in which `offset` stands, without its end.
std::string_view lineAt(std::string_view text, std::size_t offset) {
  const std::size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, std::min(text.find('\n', offset), text.size()) - begin);
}

// A comment on the barrier's line says `ptxopt: keep`, or one above it with nothing between them
// but comments: compilers put some of their own around inline assembly.
bool isKeptByComment(std::string_view text, std::size_t offset) {
  const auto asks = [](std::string_view part) {
    return part.find("ptxopt: keep") != std::string_view::npos;
  };
  std::string_view line = lineAt(text, offset);
  if (asks(line)) return true;
  while (line.data() != text.data()) {
    line = lineAt(text, static_cast<std::size_t>(line.data() - text.data()) - 1);
    const std::string_view word = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool isComment = word.starts_with("//") || word.starts_with("/*");
    if (!isComment && !word.starts_with(".loc")) return false;
    if (isComment && asks(word)) return true;
  }
  return false;
}

}  // namespace

std::optional<KeptBarriers> KeptBarriers::parse(std::string_view text, std::string& error) {
  KeptBarriers kept;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t colon = part.find(':');
    Entry entry = {std::string(part.substr(0, colon)), std::nullopt};
    if (colon != std::string_view::npos) {
      const std::string_view number = part.substr(colon + 1);
      std::uint32_t line = 0;
      const auto [end, problem] =
          std::from_chars(number.data(), number.data() + number.size(), line);
      if (problem != std::errc() || end != number.data() + number.size()) {
        error = "keep: '" + std::string(number) + "' is no line";
        return std::nullopt;
      }
      entry.line = line;
    }
    kept.entries_.push_back(std::move(entry));
  }
  return kept;
}

const char* KeptBarriers::whyKept(const ir::Function& function,
                                  const ir::Instruction& barrier) const {
  if (!barrier.source.valid()) return nullptr;
  const SourceText& source = function.module().source();
  if (isKeptByComment(source.text(), barrier.source.begin)) {
    return "a comment asks for it (ptxopt: keep)";
  }
  for (const Entry& entry : entries_) {
    if (entry.function != function.nameText()) continue;
    if (!entry.line || *entry.line == source.lineColumn(barrier.source.begin).line) {
      return "the command line asks for it (--keep-barriers)";
    }
  }
  return nullptr;
}

}  // namespace ptxopt::passes
