// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/sarif.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "driver/remark_text.h"
#include "passes/registry.h"
#include "support/version.h"

namespace ptxopt::driver {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

std::string_view word(SarifLevel level) {
  switch (level) {
    case SarifLevel::Note:
      return "note";
    case SarifLevel::Warning:
      return "warning";
    case SarifLevel::Error:
      break;
  }
  return "error";
}

// RFC 3986: what may stand in a path as it is.
bool isPlain(unsigned char c) {
  return std::isalnum(c) != 0 ||
         std::string_view("-._~/!$&'()*+,;=@").find(static_cast<char>(c)) != std::string_view::npos;
}

std::string uriOf(const std::string& file) {
  std::error_code error;
  std::filesystem::path path(file);
  if (path.is_absolute()) {
    const std::filesystem::path relative =
        path.lexically_relative(std::filesystem::current_path(error));
    if (!error && !relative.empty() && *relative.begin() != "..") path = relative;
  }
  std::string uri = path.is_absolute() ? "file://" : "";
  for (const char c : path.generic_string()) {
    const auto byte = static_cast<unsigned char>(c);
    uri += isPlain(byte) ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

Json locationOf(const SarifPlace& place) {
  Json physical = {{"artifactLocation", {{"uri", uriOf(place.file)}}}};
  if (place.line != 0) {
    physical["region"] = {{"startLine", place.line}};
    if (place.column != 0) physical["region"]["startColumn"] = place.column;
  }
  Json location = {{"physicalLocation", std::move(physical)}};
  if (!place.message.empty()) location["message"] = {{"text", place.message}};
  return location;
}

Json resultOf(const SarifResult& result, std::size_t rule) {
  Json json = {{"ruleId", result.rule},
               {"ruleIndex", rule},
               {"level", word(result.level)},
               {"message", {{"text", result.message}}},
               {"locations", Json::array()}};
  for (const SarifPlace& place : result.places) {
    const bool isFirst = json["locations"].empty();
    json[isFirst ? "locations" : "relatedLocations"].push_back(locationOf(place));
  }
  if (!result.kind.empty()) json["properties"] = {{"kind", result.kind}};
  return json;
}

std::string nameOf(const ir::SourcePlace& place, const ir::Module& module) {
  return std::string(place.file.empty() ? std::string_view(module.source().name()) : place.file);
}

SarifResult resultOf(const ir::Module& module, const ir::SourceLines& lines,
                     const passes::Remark& remark) {
  SarifResult result;
  result.rule = std::string(remark.pass);
  if (const passes::PassInfo* pass = passes::findPass(remark.pass)) {
    result.description = std::string(pass->description);
  }
  result.kind = passes::spelling(remark.kind);
  result.message = messageOf(remark);
  result.places = sarifPlaces(module, lines, remark.place, remark.source);
  return result;
}

}  // namespace

std::vector<SarifPlace> sarifPlaces(const ir::Module& module, const ir::SourceLines& lines,
                                    SourceRange place, const ir::Location* location) {
  std::vector<SarifPlace> places;
  const auto written = location != nullptr ? lines.written(*location) : std::nullopt;
  if (written) {
    places.push_back({nameOf(*written, module), written->line, written->column, ""});
    for (const ir::SourcePlace& inlined : lines.chain(*location)) {
      if (inlined.file == written->file && inlined.line == written->line) continue;
      places.push_back({nameOf(inlined, module), inlined.line, inlined.column, "inlined code"});
    }
  }
  SarifPlace ptx = {module.source().name(), 0, 0, written ? "in the PTX" : ""};
  if (place.valid()) {
    const LineColumn at = module.source().lineColumn(place.begin);
    ptx.line = at.line;
    ptx.column = at.column;
  }
  places.push_back(std::move(ptx));
  return places;
}

std::vector<SarifResult> sarifResults(const ir::Module& module,
                                      std::span<const passes::Remark> remarks) {
  const ir::SourceLines lines(module);
  std::vector<SarifResult> results;
  results.reserve(remarks.size());
  for (const passes::Remark& remark : remarks) results.push_back(resultOf(module, lines, remark));
  return results;
}

std::string sarifLog(std::string_view tool, std::span<const SarifResult> results) {
  std::map<std::string_view, std::size_t> numbers;
  Json rules = Json::array();
  Json list = Json::array();
  for (const SarifResult& result : results) {
    const auto [known, isNew] = numbers.emplace(result.rule, numbers.size());
    if (isNew) {
      Json rule = {{"id", result.rule}};
      if (!result.description.empty()) rule["shortDescription"] = {{"text", result.description}};
      rules.push_back(std::move(rule));
    }
    list.push_back(resultOf(result, known->second));
  }
  Json run = {
      {"tool", {{"driver", {{"name", tool}, {"version", version()}, {"rules", std::move(rules)}}}}},
      {"columnKind", "utf16CodeUnits"},
      {"results", std::move(list)}};
  const Json log = {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", {std::move(run)}}};
  // Names in PTX may hold any bytes; JSON must be UTF-8.
  return log.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace ptxopt::driver
