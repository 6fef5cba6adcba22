// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/remarks.h"

#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/addresses/access_classes.h"
#include "driver/barrier_text.h"
#include "driver/content_text.h"
#include "driver/remark_text.h"
#include "ir/source_lines.h"
#include "support/demangle.h"

namespace ptxopt::driver {

namespace {

using Json = nlohmann::ordered_json;

Json jsonOf(const ir::SourcePlace& place) {
  Json result = Json::object();
  if (!place.file.empty()) result["file"] = std::string(place.file);
  result["line"] = place.line;
  result["column"] = place.column;
  if (!place.function.empty()) result["function"] = demangled(place.function);
  return result;
}

void addSource(const ir::SourceLines& lines, const ir::Location* location, Json& line) {
  const auto written = location != nullptr ? lines.written(*location) : std::nullopt;
  line["source"] = written ? jsonOf(*written) : Json();
  if (!written) return;
  const std::vector<ir::SourcePlace> chain = lines.chain(*location);
  if (chain.size() < 2) return;
  for (const ir::SourcePlace& place : chain) line["inlined"].push_back(jsonOf(place));
}

std::string_view word(analysis::Precision precision) {
  switch (precision) {
    case analysis::Precision::Flags:
      return "flags";
    case analysis::Precision::Objects:
      return "objects";
    case analysis::Precision::Affine:
      return "affine";
  }
  return {};
}

// Adds an event with the prefix `name`: its PTX text as `name_ptx` and so on.
void addEvent(const ir::Module& module, const char* name, const passes::BarrierEvent& event,
              Json& details) {
  const auto add = [&](const char* what, std::string value) {
    if (!value.empty()) details[std::string(name) + what] = std::move(value);
  };
  const SourceText& text = module.source();
  add("", kindText(event));
  if (const SourceRange place = event.instruction.place; place.valid()) {
    add("_ptx", fmt::format("{}:{}", text.name(), text.lineColumn(place.begin).line));
    add("_text", std::string(text.slice(place)));
  }
  if (const auto& source = event.instruction.source) {
    add("_source_file", std::string(source->file));
    add("_source_line", std::to_string(source->line));
  }
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
  details["above_bytes"] = bytesText(example.above);
  details["below_thread"] = example.below.thread;
  details["below_bytes"] = bytesText(example.below);
  details["certain"] = example.isCertain ? "true" : "false";
  if (!example.given.empty()) details["given"] = example.given;
  details["example"] = exampleText(example);
}

void addVerdict(const ir::Module& module, const passes::BarrierVerdict& verdict, Json& details) {
  details["outcome"] = passes::spelling(verdict.outcome);
  if (verdict.reason) details["reason"] = passes::spelling(verdict.reason->why);
  if (verdict.rule) details["rule"] = passes::spelling(*verdict.rule);
  if (verdict.precision) details["precision"] = word(*verdict.precision);
  if (verdict.counts) {
    const auto& [above, below] = *verdict.counts;
    details["read_above"] = countText(above.reads);
    details["write_above"] = countText(above.writes);
    details["read_below"] = countText(below.reads);
    details["write_below"] = countText(below.writes);
  }
  if (verdict.loopDepth) details["loop_depth"] = std::to_string(*verdict.loopDepth);
  if (verdict.pin) addEvent(module, "pin", *verdict.pin, details);
  if (verdict.conflict) addConflict(module, *verdict.conflict, details);
}

}  // namespace

std::string remarkLines(const ir::Module& module, std::span<const passes::Remark> remarks) {
  if (remarks.empty()) return {};
  const ir::SourceLines sources(module);
  std::string lines;
  for (const passes::Remark& remark : remarks) {
    Json line;
    line["pass"] = std::string(remark.pass);
    line["kind"] = std::string(passes::spelling(remark.kind));
    line["function"] =
        remark.function != nullptr ? Json(std::string(remark.function->nameText())) : Json();
    Json& ptx = line["ptx"];
    ptx["file"] = module.source().name();
    if (remark.place.valid()) {
      const LineColumn place = module.source().lineColumn(remark.place.begin);
      ptx["line"] = place.line;
      ptx["column"] = place.column;
    }
    addSource(sources, remark.source, line);
    line["message"] = messageOf(remark);
    line["assumptions"] = remark.assumptions;
    Json& details = line["details"] = Json::object();
    if (remark.barrier) addVerdict(module, *remark.barrier, details);
    for (const auto& [key, value] : contentDetails(remark)) details[key] = value;
    // Names in PTX may hold any bytes; JSON must be UTF-8.
    lines += line.dump(-1, ' ', false, Json::error_handler_t::replace);
    lines += '\n';
  }
  return lines;
}

}  // namespace ptxopt::driver
