// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/launch_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "isa/block.h"

namespace ptxopt::driver {

namespace {

using LaunchJson = nlohmann::json;

[[noreturn]] void refuse(const std::string& message) {
  throw std::invalid_argument(message);
}

// For messages: short, whatever it is.
std::string shown(const LaunchJson& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  std::string text = value.dump();
  constexpr std::size_t kMost = 40;
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

std::uint32_t countOf(const LaunchJson& value, std::uint64_t least) {
  const bool isCount = value.is_number_unsigned();
  const std::uint64_t count = isCount ? value.get<std::uint64_t>() : 0;
  if (!isCount || count < least || count > std::numeric_limits<std::int32_t>::max()) {
    refuse(fmt::format("{} is not a number from {} to 2147483647", shown(value), least));
  }
  return static_cast<std::uint32_t>(count);
}

// 256, or [16, 16], or [16, 16, 4].
passes::Extents extentsOf(const LaunchJson& value) {
  passes::Extents extents{1, 1, 1};
  if (value.is_number()) {
    extents[0] = countOf(value, 1);
    return extents;
  }
  if (!value.is_array() || value.empty() || value.size() > 3) {
    refuse(fmt::format("{} is not a list of one to three numbers", shown(value)));
  }
  for (std::size_t k = 0; k < value.size(); ++k) extents[k] = countOf(value[k], 1);
  return extents;
}

void refuseLargeBlock(const passes::Extents& block) {
  bool isLarge = std::uint64_t{block[0]} * block[1] > isa::kMostThreads ||
                 std::uint64_t{block[0]} * block[1] * block[2] > isa::kMostThreads;
  for (std::size_t k = 0; k < 3; ++k) isLarge |= block[k] > isa::kMostExtents[k];
  if (isLarge) refuse(fmt::format("no device has a block of {}", passes::textOf(block)));
}

// 1024, -1, 0.5, or "0x3f800000" for the bits.
passes::LaunchNumber numberOf(const LaunchJson& value) {
  if (value.is_number_unsigned()) return passes::LaunchNumber(value.get<std::uint64_t>());
  if (value.is_number_integer()) return passes::LaunchNumber(value.get<std::int64_t>());
  if (value.is_number_float()) return passes::LaunchNumber(value.get<double>());
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    passes::LaunchNumber::Bits bits;
    const char* const end = text.data() + text.size();
    const bool isLong = text.starts_with("0x") && text.size() > 2;
    const auto parsed = isLong ? std::from_chars(text.data() + 2, end, bits.bits, 16)
                               : std::from_chars_result{text.data(), std::errc::invalid_argument};
    if (parsed.ec == std::errc() && parsed.ptr == end) return passes::LaunchNumber(bits);
  }
  refuse(fmt::format("{} is not a number, nor bits as in \"0x3f800000\"", shown(value)));
}

// [null, null, 1024]: null for what differs; or {"arg2": 1024, "n": 1024}.
void addArguments(passes::KernelFacts& facts, const LaunchJson& value) {
  if (!value.is_array() && !value.is_object()) {
    refuse("\"args\" is not a list with an entry for each parameter, nor an object of names");
  }
  std::size_t next = 0;
  for (const auto& [key, argument] : value.items()) {
    const auto index = value.is_array() ? std::optional(next++) : std::nullopt;
    const std::string name = index ? fmt::format("arg{}", *index) : key;
    if (!argument.is_null()) facts.parameters.push_back({index, name, numberOf(argument)});
  }
}

passes::KernelFacts factsOf(const std::string& kernel, const LaunchJson& value) {
  if (!value.is_object()) refuse("it is not an object");
  passes::KernelFacts facts;
  facts.kernel = kernel;
  for (const auto& [key, fact] : value.items()) {
    if (key == "block") {
      facts.block = extentsOf(fact);
      refuseLargeBlock(*facts.block);
    } else if (key == "max_threads") {
      facts.mostThreads = countOf(fact, 1);
    } else if (key == "grid") {
      facts.grid = extentsOf(fact);
    } else if (key == "shared") {
      facts.dynamicShared = countOf(fact, 0);
    } else if (key == "args") {
      addArguments(facts, fact);
    } else if (key == "distinct") {
      if (!fact.is_boolean()) refuse("\"distinct\" is neither true nor false");
      facts.hasDistinctPointers = fact.get<bool>();
    } else if (key != "launches" && key != "comment") {
      refuse(
          fmt::format("there is no fact \"{}\"; there are block, max_threads, grid, shared, args, "
                      "distinct, and "
                      "launches and comment, which say nothing to ptxopt",
                      key));
    }
  }
  return facts;
}

}  // namespace

bool isInLines(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || text[first] != '{';
}

passes::LaunchFacts parseLaunchFacts(std::string_view text) {
  passes::LaunchFacts facts;
  LaunchJson file;
  try {
    file = LaunchJson::parse(text);
  } catch (const LaunchJson::exception& error) {
    const auto* const syntax = dynamic_cast<const LaunchJson::parse_error*>(&error);
    const std::size_t byte = syntax != nullptr && syntax->byte > 0 ? syntax->byte - 1 : 0;
    const std::size_t at = std::min(byte, text.size());
    std::string message = error.what();
    const std::string_view before = syntax != nullptr ? ": " : "] ";
    message.erase(0, std::min(message.rfind(before) + before.size(), message.size()));
    throw LaunchFileError(static_cast<Offset>(at), "not JSON: " + message);
  }
  if (file.size() != 1 || !file.contains("kernels") || !file["kernels"].is_object()) {
    throw LaunchFileError(0, "it is not an object {\"kernels\": {NAME: {...}, ...}}");
  }
  for (const auto& [name, value] : file["kernels"].items()) {
    try {
      facts.kernels.push_back(factsOf(name, value));
    } catch (const std::invalid_argument& problem) {
      const std::size_t at = text.find(LaunchJson(name).dump());
      throw LaunchFileError(at == std::string_view::npos ? 0 : static_cast<Offset>(at),
                            fmt::format("kernel '{}': {}", name, problem.what()));
    }
  }
  return facts;
}

}  // namespace ptxopt::driver
