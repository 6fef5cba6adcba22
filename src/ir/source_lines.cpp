// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/source_lines.h"

#include <algorithm>
#include <charconv>

namespace ptxopt::ir {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
// Chains are as deep as calls are inlined.
constexpr std::size_t kDeepestChain = 256;

void skipBlanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
}

// Removes the text up to the word and the word, if it is there.
bool skipPast(std::string_view& text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return false;
  text.remove_prefix(at + word.size());
  return true;
}

// Removes a number from the front, with any blanks before it.
std::optional<std::uint32_t> takeNumber(std::string_view& text) {
  skipBlanks(text);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// The string of the bytes `.b8 107,46,0` from the front of a section's text, after `skipped` bytes.
std::string stringOfBytes(std::string_view text, std::uint32_t skipped) {
  std::string result;
  while (skipPast(text, ".b8")) {
    while (const std::optional<std::uint32_t> byte = takeNumber(text)) {
      if (*byte == 0) return result.substr(std::min<std::size_t>(skipped, result.size()));
      result += static_cast<char>(*byte);
      skipBlanks(text);
      if (text.empty() || text.front() != ',') break;
      text.remove_prefix(1);
    }
  }
  return {};
}

}  // namespace

std::string shortText(const SourcePlace& place) {
  const std::string line = std::to_string(place.line);
  if (place.file.empty()) return "line " + line;
  std::string_view name = place.file;
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  return std::string(name) + ':' + line;
}

SourceLines::SourceLines(const Module& module) : module_(module) {
  for (const Function& function : module.functions()) add(function);
}

SourceLines::SourceLines(const Module& module, std::span<const Function* const> functions)
    : module_(module) {
  for (const Function* function : functions) add(*function);
  std::ranges::stable_sort(entries_, {}, &Entry::begin);
}

// The call of an inlined place is the nearest .loc above with that place: compilers print it before
// they print what is inlined there.
void SourceLines::add(const Function& function) {
  if (!function.hasBody()) return;
  entries_.push_back({function.bodySource.begin, nullptr});
  std::map<Numbers, const Location*> latest;
  for (const Statement& statement : function.body()) {
    const auto* location = statement.as<Location>();
    if (location == nullptr || !location->source.valid()) continue;
    entries_.push_back({location->source.begin, location});
    if (const std::optional<Step> inlined = inlinedAt(*location)) {
      const auto call = latest.find(inlined->at);
      if (call != latest.end()) callOf_.emplace(location, call->second);
    }
    latest[{location->file, location->line, location->column}] = location;
  }
}

const Location* SourceLines::at(Offset offset) const {
  const auto after = std::ranges::upper_bound(entries_, offset, {}, &Entry::begin);
  return after == entries_.begin() ? nullptr : std::prev(after)->location;
}

const Location* SourceLines::in(const Function& function, Offset offset) const {
  const SourceRange body = function.bodySource;
  const bool isInBody = offset >= body.begin && offset < body.end;
  if (const Location* found = isInBody ? at(offset) : nullptr) return found;
  for (auto entry = std::ranges::lower_bound(entries_, body.begin, {}, &Entry::begin);
       entry != entries_.end() && entry->begin < body.end; ++entry) {
    if (entry->location != nullptr && entry->location->line != 0) return entry->location;
  }
  return nullptr;
}

std::optional<SourceLines::Step> SourceLines::inlinedAt(const Location& location) {
  std::string_view text = location.rest;
  if (!skipPast(text, "inlined_at")) return std::nullopt;
  const auto file = takeNumber(text);
  const auto line = takeNumber(text);
  const auto column = takeNumber(text);
  if (!file || !line || !column) return std::nullopt;
  Step result{{*file, *line, *column}, {}};
  text = location.rest;
  if (skipPast(text, "function_name")) {
    skipBlanks(text);
    result.function = text.substr(0, text.find_first_of(", \t\r\n"));
  }
  return result;
}

std::vector<SourceLines::Step> SourceLines::steps(const Location& innermost) const {
  std::vector<Step> steps;
  const auto add = [&](const Numbers& numbers, std::string_view function) {
    if (numbers.line != 0) steps.push_back({numbers, function});
  };
  const Location* location = &innermost;
  for (std::size_t depth = 0; depth < kDeepestChain; ++depth) {
    const std::optional<Step> call = inlinedAt(*location);
    add({location->file, location->line, location->column}, call ? call->function : "");
    if (!call) break;
    const auto known = callOf_.find(location);
    if (known == callOf_.end()) {
      add(call->at, "");
      break;
    }
    location = known->second;
  }
  return steps;
}

std::vector<SourcePlace> SourceLines::chain(const Location& location) const {
  std::vector<SourcePlace> places;
  for (const Step& step : steps(location)) {
    places.push_back(place(step.at));
    places.back().function = functionName(step.function);
  }
  return places;
}

std::optional<SourcePlace> SourceLines::written(const Location& location) const {
  const std::vector<Step> all = steps(location);
  const auto isInFileOfKernel = [&](const Step& step) {
    return step.at.file == all.back().at.file;
  };
  const auto found = std::ranges::find_if(all, isInFileOfKernel);
  return found == all.end() ? std::nullopt : std::optional(place(found->at));
}

std::optional<SourcePlace> SourceLines::written(Offset offset) const {
  const Location* location = at(offset);
  return location == nullptr ? std::nullopt : written(*location);
}

SourcePlace SourceLines::place(const Numbers& numbers) const {
  return {fileName(numbers.file), numbers.line, numbers.column, {}};
}

// `.file 1 "kernel.cu"`, anywhere in the module: nvcc prints them at its end.
std::string_view SourceLines::fileName(std::uint32_t file) const {
  if (!files_) {
    files_.emplace();
    for (const Statement& item : module_.items()) {
      const auto* directive = item.as<Directive>();
      if (directive == nullptr || directive->which != DirectiveKind::File) continue;
      std::string_view text = directive->text;
      if (!skipPast(text, ".file")) continue;
      const std::optional<std::uint32_t> number = takeNumber(text);
      const std::size_t open = text.find('"');
      const std::size_t close = text.rfind('"');
      if (!number || open == std::string_view::npos || close == open) continue;
      files_->emplace(*number, text.substr(open + 1, close - open - 1));
    }
  }
  const auto found = files_->find(file);
  return found == files_->end() ? std::string_view() : found->second;
}

// The string at a label of a section: `$L__info_string0: .b8 95,90,...,0`.
std::string SourceLines::functionName(std::string_view label) const {
  const std::size_t plus = label.find('+');
  std::string_view number = label.substr(std::min(plus, label.size()));
  if (!number.empty()) number.remove_prefix(1);
  const std::uint32_t skipped = takeNumber(number).value_or(0);
  const std::string definition = std::string(label.substr(0, plus)) + ':';
  if (definition.size() == 1) return {};
  for (const Statement& item : module_.items()) {
    const auto* directive = item.as<Directive>();
    if (directive == nullptr || directive->which != DirectiveKind::Section) continue;
    std::string_view text = directive->text;
    if (skipPast(text, definition)) return stringOfBytes(text, skipped);
  }
  return {};
}

}  // namespace ptxopt::ir
