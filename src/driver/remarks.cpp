// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/remarks.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/remark_text.h"
#include "driver/source_files.h"

namespace ptxopt::driver {

namespace {

using Json = nlohmann::ordered_json;

// Removes a number from the front of `text`, with any blanks before it.
std::optional<std::uint32_t> takeNumber(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// Formats positions in source files as JSON objects.
class SourcePlaces {
 public:
  explicit SourcePlaces(const ir::Module& module) : files_(module) {}

  Json place(std::uint32_t file, std::uint32_t line, std::uint32_t column) const {
    Json place = Json::object();
    const std::string_view name = files_.name(file);
    if (!name.empty()) place["file"] = std::string(name);
    place["line"] = line;
    place["column"] = column;
    return place;
  }

  Json place(const ir::Location& location) const {
    Json result = place(location.file, location.line, location.column);
    constexpr std::string_view kWord = "inlined_at";
    const std::size_t word = location.rest.find(kWord);
    if (word != std::string_view::npos) {
      std::string_view numbers = location.rest.substr(word + kWord.size());
      const auto file = takeNumber(numbers);
      const auto line = takeNumber(numbers);
      const auto column = takeNumber(numbers);
      if (file && line && column) result["inlinedAt"] = place(*file, *line, *column);
    }
    return result;
  }

 private:
  SourceFiles files_;
};

std::string_view word(passes::RemarkKind kind) {
  switch (kind) {
    case passes::RemarkKind::Passed:
      return "passed";
    case passes::RemarkKind::Missed:
      return "missed";
    case passes::RemarkKind::Analysis:
      break;
  }
  return "analysis";
}

// Adds an event with the prefix `name`: its PTX text as `name_ptx` and so on.
void addEvent(const ir::Module& module, const char* name, const passes::BarrierEvent& event,
              Json& details) {
  const auto add = [&](const char* what, std::string value) {
    if (!value.empty()) details[std::string(name) + what] = std::move(value);
  };
  const SourceText& text = module.source();
  add("", event.what);
  if (event.place.valid()) {
    add("_ptx", fmt::format("{}:{}", text.name(), text.lineColumn(event.place.begin).line));
    add("_text", std::string(text.slice(event.place)));
  }
  if (event.source != nullptr) add("_source_line", std::to_string(event.source->line));
  add("_space", event.space);
  add("_address", event.address);
}

void addConflict(const ir::Module& module, const passes::BarrierConflict& conflict, Json& details) {
  addEvent(module, "above", conflict.above, details);
  addEvent(module, "below", conflict.below, details);
  if (!conflict.example) {
    if (!conflict.mayAlias.empty()) details["example"] = conflict.mayAlias;
    return;
  }
  const passes::ConflictExample& example = *conflict.example;
  details["above_thread"] = example.above.thread;
  details["above_bytes"] = example.above.bytes;
  details["below_thread"] = example.below.thread;
  details["below_bytes"] = example.below.bytes;
  details["certain"] = example.isCertain ? "true" : "false";
  if (!example.given.empty()) details["given"] = example.given;
  details["example"] = example.text;
}

void addVerdict(const ir::Module& module, const passes::BarrierVerdict& verdict, Json& details) {
  details["outcome"] = passes::spelling(verdict.outcome);
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) details[name] = value;
  };
  add("rule", verdict.rule);
  add("precision", verdict.precision);
  if (verdict.counts) {
    const auto& [above, below] = *verdict.counts;
    add("read_above", countText(above.reads));
    add("write_above", countText(above.writes));
    add("read_below", countText(below.reads));
    add("write_below", countText(below.writes));
  }
  if (verdict.loopDepth) details["loop_depth"] = std::to_string(*verdict.loopDepth);
  if (verdict.pin) addEvent(module, "pin", *verdict.pin, details);
  if (verdict.conflict) addConflict(module, *verdict.conflict, details);
}

}  // namespace

std::string remarkLines(const ir::Module& module, std::span<const passes::Remark> remarks) {
  if (remarks.empty()) return {};
  const SourcePlaces files(module);
  std::string lines;
  for (const passes::Remark& remark : remarks) {
    Json line;
    line["pass"] = std::string(remark.pass);
    line["kind"] = std::string(word(remark.kind));
    line["function"] =
        remark.function != nullptr ? Json(std::string(remark.function->nameText())) : Json();
    Json& ptx = line["ptx"];
    ptx["file"] = module.source().name();
    if (remark.place.valid()) {
      const LineColumn place = module.source().lineColumn(remark.place.begin);
      ptx["line"] = place.line;
      ptx["column"] = place.column;
    }
    line["source"] = remark.source != nullptr ? files.place(*remark.source) : Json();
    line["message"] = messageOf(remark);
    line["assumptions"] = remark.assumptions;
    Json& details = line["details"] = Json::object();
    if (remark.barrier) addVerdict(module, *remark.barrier, details);
    for (const auto& [key, value] : remark.details) details[key] = value;
    // Names in PTX may hold any bytes; JSON must be UTF-8.
    lines += line.dump(-1, ' ', false, Json::error_handler_t::replace);
    lines += '\n';
  }
  return lines;
}

}  // namespace ptxopt::driver
