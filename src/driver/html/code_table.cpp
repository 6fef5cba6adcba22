// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/html/code_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "driver/html/markup.h"

namespace ptxopt::driver {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

std::string_view withoutNewline(std::string_view line) {
  return line.substr(0, line.find_last_not_of("\r\n") + 1);
}

// A number 0 is left out.
std::string row(std::string_view kind, std::size_t oldLine, std::size_t newLine,
                std::string_view text, std::string_view place) {
  const auto number = [](std::size_t line) { return line == 0 ? "" : std::to_string(line); };
  return fmt::format(
      "<tr{}{}><td class='n'>{}</td><td class='n'>{}</td><td>{}</td><td class='of'>{}</td></tr>\n",
      kind.empty() ? "" : fmt::format(" class='{}'", kind),
      oldLine == 0 ? "" : fmt::format(" id='l{}'", oldLine), number(oldLine), number(newLine),
      escaped(withoutNewline(text)), place);
}

}  // namespace

CodeTable::CodeTable(const ir::Module& module, const print::Output& output)
    : module_(module),
      sources_(module),
      files_(module.source().name()),
      changes_(lineChanges(module.source().text(), output)) {
  const std::string_view text = module.source().text();
  std::ptrdiff_t shift = 0;
  for (const LineChange& change : changes_) {
    shift_.push_back(shift);
    const std::string_view old = text.substr(change.oldBegin, change.oldEnd - change.oldBegin);
    shift += std::ssize(splitLines(change.text)) - std::ssize(splitLines(old));
  }
  shift_.push_back(shift);
}

std::string CodeTable::placeAt(std::size_t offset, std::string_view line, std::string& last) {
  const std::string_view code = trimmed(line);
  if (code.empty() || code.starts_with(".loc")) return {};
  const auto place = sources_.written(static_cast<Offset>(offset + line.find(code.front())));
  if (!place) return {};
  std::string where = ir::shortText(*place);
  if (where == last) return {};
  last = std::move(where);
  return fmt::format("<b>{}</b> {}", escaped(last),
                     escaped(trimmed(files_.line(place->file, place->line))));
}

std::string CodeTable::of(const ir::Function& function) {
  const std::string_view text = module_.source().text();
  const SourceRange range = function.item->source;
  const std::size_t begin = lineBegin(text, range.begin);
  const std::size_t end = range.end > begin ? lineEnd(text, range.end - 1) : begin;
  auto change = std::ranges::lower_bound(changes_, begin, {}, &LineChange::oldBegin);
  if (change != changes_.begin() && std::prev(change)->oldEnd > begin) --change;

  std::string rows;
  std::string last;
  bool hasPlaces = false;
  std::size_t line = module_.source().lineColumn(range.begin).line;
  const auto newLine = [&] {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(line) +
                                    shift_[static_cast<std::size_t>(change - changes_.begin())]);
  };
  const auto linesBetween = [&](std::size_t from, std::size_t to) {
    return splitLines(text.substr(from, to - from)).size();
  };
  // The lines of the change, which began so many lines above.
  const auto addNew = [&](std::size_t above) {
    std::size_t number = newLine() - above;
    for (const std::string_view added : splitLines(change->text)) {
      rows += row("came", 0, number++, added, {});
    }
  };
  for (std::size_t at = begin; at < end;) {
    const bool isGone = change != changes_.end() && change->oldBegin <= at && at < change->oldEnd;
    const bool isHere = change != changes_.end() && change->oldBegin == at;
    if (isHere && !isGone) {  // only added
      addNew(0);
      ++change;
      continue;
    }
    const std::size_t next = lineEnd(text, at);
    const std::string_view old = text.substr(at, next - at);
    const std::string place = placeAt(at, old, last);
    hasPlaces |= !place.empty();
    rows += row(isGone ? "gone" : "", line, isGone ? 0 : newLine(), old, place);
    at = next;
    ++line;
    if (isGone && (at >= change->oldEnd || at >= end)) {
      if (change->oldBegin >= begin) addNew(linesBetween(change->oldBegin, at));
      ++change;
    }
  }
  return fmt::format("<div class='scroll'><table class='code{}'>\n{}</table></div>\n",
                     hasPlaces ? "" : " bare", rows);
}

}  // namespace ptxopt::driver
