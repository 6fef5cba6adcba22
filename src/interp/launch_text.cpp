// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launch descriptions and scenarios: JSON.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "interp/launch.h"

namespace ptxopt::interp {

std::optional<Dim3> parseDim3(std::string_view text) {
  const std::vector<std::string_view> words = split(text, ',');
  std::array<std::uint32_t, 3> values{1, 1, 1};
  if (words.size() > 3) return std::nullopt;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto number = parseNumber(words[k]);
    if (!number || *number == 0 || *number > 0x7fffffff) return std::nullopt;
    values[k] = static_cast<std::uint32_t>(*number);
  }
  return Dim3{values[0], values[1], values[2]};
}

namespace {

// "3:14: error: MESSAGE", of a place in a text.
std::string errorAt(std::string_view text, std::size_t at, const std::string& message) {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t column = at - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  return std::to_string(line) + ":" + std::to_string(column) + ": error: " + message;
}

// The message of a problem without what the JSON library puts before it.
std::string messageOf(const std::exception& problem) {
  std::string message = problem.what();
  if (!message.starts_with("[json.exception.")) return message;
  message.erase(0, message.find("] ") + 2);
  constexpr std::string_view kWhere = "parse error at line ";
  if (message.starts_with(kWhere)) message.erase(0, message.find(": ") + 2);
  return message;
}

// Of JSON that begins at `begin` of a text.
std::string errorOf(std::string_view text, std::size_t begin, const std::string& what,
                    const std::exception& problem) {
  const auto* syntax = dynamic_cast<const nlohmann::json::parse_error*>(&problem);
  const std::size_t at = syntax != nullptr && syntax->byte > 0 ? syntax->byte - 1 : 0;
  return errorAt(text, std::min(begin + at, text.size()),
                 what + " is wrong: " + messageOf(problem));
}

Dim3 parseDimensions(const nlohmann::json& value) {
  if (value.is_number_unsigned()) return Dim3{value.get<std::uint32_t>()};
  const auto numbers = value.get<std::vector<std::uint32_t>>();
  Dim3 result;
  if (!numbers.empty()) result.x = numbers[0];
  if (numbers.size() > 1) result.y = numbers[1];
  if (numbers.size() > 2) result.z = numbers[2];
  return result;
}

// An object {"tensormap": "&in", "type": "f16", "dims": [64, 32], ...} as the text of an argument;
// the same for "texture" and "surface", and {"multicast": ["&a", "&b"]}.
std::string objectOf(const nlohmann::json& object) {
  const auto textOf = [](const nlohmann::json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return std::string(value.get<bool>() ? "1" : "0");
    std::string text;
    for (const auto& element : value.is_array() ? value : nlohmann::json::array({value})) {
      text += text.empty() ? "" : ",";
      text += element.is_string() ? element.get<std::string>()
                                  : std::to_string(element.get<std::int64_t>());
    }
    return text;
  };
  if (object.contains("multicast")) {
    if (object.size() != 1) throw std::runtime_error("a multicast object with other keys");
    return "multicast:" + textOf(object["multicast"]);
  }
  std::string text = "tensormap";
  for (const char* const kind : {"texture", "surface"}) {
    if (object.contains(kind)) text = kind;
  }
  const std::string kind = text;
  for (const std::string& key : {kind, std::string("type"), std::string("dims")}) {
    if (!object.contains(key)) {
      const std::string what = kind == "tensormap" ? "tensor map" : kind;
      throw std::runtime_error("a " + what + " without '" + key + "'");
    }
    text += ":" + textOf(object[key]);
  }
  for (const auto& [key, value] : object.items()) {
    if (key == kind || key == "type" || key == "dims") continue;
    text += ":" + key + "=" + textOf(value);
  }
  return text;
}

Argument argumentOf(const nlohmann::json& value) {
  std::string problem;
  auto parsed =
      parseArgument(value.is_object() ? objectOf(value) : value.get<std::string>(), problem);
  if (!parsed) throw std::runtime_error(problem);
  return std::move(*parsed);
}

using NamedArguments = std::vector<std::pair<std::string, Argument>>;

NamedArguments namedArguments(const nlohmann::json& value) {
  NamedArguments result;
  for (const auto& [name, content] : value.items()) result.emplace_back(name, argumentOf(content));
  return result;
}

std::vector<FindingKind> findingKinds(const nlohmann::json& value) {
  std::vector<FindingKind> kinds;
  for (const auto& element : value) {
    const auto kind = parseFindingKind(element.get<std::string>());
    if (!kind || *kind == FindingKind::Unsupported) {
      throw std::runtime_error("unknown finding " + element.dump());
    }
    kinds.push_back(*kind);
  }
  return kinds;
}

Launch launchOf(const nlohmann::json& description) {
  Launch launch;
  for (const auto& [key, value] : description.items()) {
    if (key == "kernel") {
      launch.kernel = value.get<std::string>();
    } else if (key == "grid") {
      launch.grid = parseDimensions(value);
    } else if (key == "block") {
      launch.block = parseDimensions(value);
    } else if (key == "cluster") {
      launch.cluster = parseDimensions(value);
    } else if (key == "shared") {
      launch.dynamicShared = value.get<std::uint64_t>();
    } else if (key == "print") {
      launch.printed = value.get<std::vector<std::string>>();
    } else if (key == "repeat") {
      launch.repeat = value.get<std::uint32_t>();
    } else if (key == "dependent") {
      launch.isDependent = value.get<bool>();
    } else if (key == "args") {
      for (const auto& element : value) launch.arguments.push_back(argumentOf(element));
    } else if (key == "set") {
      launch.globals = namedArguments(value);
    } else if (key == "buffers") {
      launch.buffers = namedArguments(value);
    } else if (key == "expect" || key == "broken") {
      launch.isBroken = launch.isBroken || key == "broken";
      launch.expected = findingKinds(value);
    } else {
      throw std::runtime_error("unknown key '" + key + "'");
    }
  }
  return launch;
}

Expectation expectationOf(const nlohmann::json& description) {
  Expectation expectation;
  for (const auto& [key, value] : description.items()) {
    if (key == "of") {
      expectation.name = value.get<std::string>();
    } else if (key == "is") {
      const Argument content = argumentOf(value);
      if (!content.addresses.empty()) throw std::runtime_error("an address in 'is'");
      expectation.bytes = content.bytes;
      if (content.type != isa::Type::None) expectation.type = content.type;
    } else if (key == "tolerance") {
      expectation.tolerance = value.get<double>();
    } else {
      throw std::runtime_error("unknown key '" + key + "' of an expectation");
    }
  }
  if (expectation.name.empty()) throw std::runtime_error("an expectation without 'of'");
  return expectation;
}

}  // namespace

std::vector<Launch> findLaunches(std::string_view source, std::string& error) {
  constexpr std::string_view kMark = "// LAUNCH";
  std::vector<Launch> launches;
  error.clear();
  for (std::size_t at = source.find(kMark); at != std::string_view::npos;
       at = source.find(kMark, at + 1)) {
    if (at != 0 && source[at - 1] != '\n') continue;
    std::size_t begin = at + kMark.size();
    std::string_view text = source.substr(begin, source.find('\n', begin) - begin);
    const std::size_t word = text.find_first_not_of(" \t");
    if (word != std::string_view::npos && text[word] == '{') {
      error = errorAt(source, begin, "a colon is missing: // LAUNCH: {...}");
      return {};
    }
    if (!text.starts_with(':')) continue;  // a comment about something else
    text.remove_prefix(1);
    ++begin;
    try {
      launches.push_back(launchOf(nlohmann::json::parse(text)));
    } catch (const std::exception& problem) {
      error = errorOf(source, begin, "the launch description", problem);
      return {};
    }
  }
  return launches;
}

std::optional<Launch> findLaunch(std::string_view source, std::string_view kernel,
                                 std::string& error) {
  std::vector<Launch> launches = findLaunches(source, error);
  if (launches.size() > 1 && kernel.empty()) {
    error = "1:1: error: several launches are described: name a kernel";
    for (const Launch& launch : launches) error += ", " + launch.kernel;
    return std::nullopt;
  }
  for (Launch& launch : launches) {
    if (kernel.empty() || launch.kernel.empty() || launch.kernel == kernel) {
      return std::move(launch);
    }
  }
  return std::nullopt;
}

std::optional<Scenario> parseScenario(std::string_view text, std::string& error) {
  try {
    Scenario scenario;
    const nlohmann::json description = nlohmann::json::parse(text);
    for (const auto& [key, value] : description.items()) {
      if (key == "buffers") {
        scenario.buffers = namedArguments(value);
      } else if (key == "set") {
        scenario.globals = namedArguments(value);
      } else if (key == "launches") {
        for (const auto& element : value) scenario.launches.push_back(launchOf(element));
      } else if (key == "expect") {
        for (const auto& element : value) scenario.expectations.push_back(expectationOf(element));
      } else {
        throw std::runtime_error("unknown key '" + key + "'");
      }
    }
    for (const auto& [name, buffer] : scenario.buffers) {
      if (!buffer.isBuffer && !buffer.texture && !buffer.multicast)
        throw std::runtime_error("'" + name + "' is no buffer");
    }
    for (const Launch& launch : scenario.launches) {
      if (launch.buffers.empty() && launch.globals.empty()) continue;
      throw std::runtime_error("'buffers' and 'set' of a launch: they belong to the scenario");
    }
    if (scenario.launches.empty()) throw std::runtime_error("no launches");
    return scenario;
  } catch (const std::exception& problem) {
    error = errorOf(text, 0, "the scenario", problem);
    return std::nullopt;
  }
}

}  // namespace ptxopt::interp
