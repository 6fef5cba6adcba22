// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptxreduce_finding.h"

#include <nlohmann/json.hpp>

namespace ptxopt::ptxreduce {

namespace {

using Json = nlohmann::json;

LineColumn placeIn(const Json& finding, const char* name) {
  const auto place = finding.find(name);
  if (place == finding.end() || !place->is_object()) return {};
  return {place->value("line", 0u), place->value("column", 0u)};
}

bool equals(LineColumn one, LineColumn other) {
  return one.line == other.line && one.column == other.column;
}

}  // namespace

std::optional<std::vector<PlacedFinding>> readFindings(std::string_view json) {
  try {
    const Json document = Json::parse(json);
    const Json launches =
        document.contains("launches") ? document.at("launches") : Json::array({document});
    std::vector<PlacedFinding> findings;
    for (const Json& launch : launches) {
      for (const Json& finding : launch.at("findings")) {
        findings.push_back({finding.at("kind").get<std::string>(), placeIn(finding, "place"),
                            placeIn(finding, "other")});
      }
    }
    return findings;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

bool isSame(const PlacedFinding& one, const PlacedFinding& other) {
  return one.kind == other.kind &&
         ((equals(one.place, other.place) && equals(one.other, other.other)) ||
          (equals(one.place, other.other) && equals(one.other, other.place)));
}

}  // namespace ptxopt::ptxreduce
