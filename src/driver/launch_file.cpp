// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/launch_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isa/block.h"
#include "isa/isa.h"

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

// A power of two.
std::uint64_t factorOf(const LaunchJson& value) {
  const std::uint64_t factor = value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
  if (!std::has_single_bit(factor)) refuse(fmt::format("{} is not a power of two", shown(value)));
  return factor;
}

// Of memory.
std::uint64_t sizeOf(const LaunchJson& value) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 47;
  const std::uint64_t bytes = value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
  if (bytes == 0 || bytes > kMost) {
    refuse(fmt::format("{} is not a number of bytes from 1 to {}", shown(value), kMost));
  }
  return bytes;
}

passes::LaunchNumber boundOf(const LaunchJson& value) {
  if (value.is_number_float()) refuse(fmt::format("{} is not an integer", shown(value)));
  return numberOf(value);
}

// {"min": 1, "max": 4096, "multiple_of": 16}; "align" is another word for the last one.  Of a
// pointer also {"bytes": 4096}.
passes::LaunchRange rangeOf(const LaunchJson& value) {
  passes::LaunchRange range;
  for (const auto& [key, bound] : value.items()) {
    if (key == "min") {
      range.least = boundOf(bound);
    } else if (key == "max") {
      range.most = boundOf(bound);
    } else if (key == "multiple_of" || key == "align") {
      range.multipleOf = factorOf(bound);
    } else if (key == "bytes") {
      range.bytes = sizeOf(bound);
    } else {
      refuse(fmt::format(
          "there is no bound \"{}\"; there are min, max, multiple_of, align and bytes", key));
    }
  }
  return range;
}

// "+8:u32": a number of a structure, 8 bytes from its start.
passes::KernelFacts::Member memberOf(const std::string& key) {
  passes::KernelFacts::Member member;
  const std::size_t colon = std::min(key.find(':'), key.size());
  const char* const end = key.data() + colon;
  const auto parsed = std::from_chars(std::min(key.data() + 1, end), end, member.offset);
  const std::string type = colon < key.size() ? '.' + key.substr(colon + 1) : std::string();
  member.type = isa::parseType(type).value_or(isa::Type::None);
  const int bits = isa::bitWidth(member.type);
  if (key[0] != '+' || parsed.ec != std::errc() || parsed.ptr != end || bits < 8 || bits > 64) {
    refuse(fmt::format("\"{}\" is not the place of a number in a structure, as \"+8:u32\"", key));
  }
  return member;
}

// 4096, or {"min": 1}, or {"+8:u32": 4096, "+12:u32": {"min": 1}}.
void addArgument(passes::KernelFacts& facts, passes::KernelFacts::Parameter parameter,
                 const LaunchJson& value) {
  if (!value.is_object()) {
    parameter.known = numberOf(value);
    return facts.parameters.push_back(std::move(parameter));
  }
  const bool isStructure = !value.empty() && value.begin().key().starts_with('+');
  if (!isStructure || parameter.member) {
    parameter.known = rangeOf(value);
    return facts.parameters.push_back(std::move(parameter));
  }
  for (const auto& [key, number] : value.items()) {
    parameter.member = memberOf(key);
    addArgument(facts, parameter, number);
  }
}

// [null, null, 1024]: null for what differs; or {"arg2": 1024, "n": 1024}.
void addArguments(passes::KernelFacts& facts, const LaunchJson& value) {
  if (!value.is_array() && !value.is_object()) {
    refuse("\"args\" is not a list with an entry for each parameter, nor an object of names");
  }
  std::size_t next = 0;
  for (const auto& [key, argument] : value.items()) {
    passes::KernelFacts::Parameter parameter;
    if (value.is_array()) parameter.index = next++;
    parameter.name = value.is_array() ? fmt::format("arg{}", *parameter.index) : key;
    if (!argument.is_null()) addArgument(facts, std::move(parameter), argument);
  }
}

void addBlock(passes::KernelFacts& facts, const LaunchJson& value) {
  facts.block = extentsOf(value);
  refuseLargeBlock(*facts.block);
}

void addDistinct(passes::KernelFacts& facts, const LaunchJson& value) {
  if (!value.is_boolean()) refuse("\"distinct\" is neither true nor false");
  facts.hasDistinctPointers = value.get<bool>();
}

struct FactInfo {
  std::string_view name;
  void (*add)(passes::KernelFacts& facts, const LaunchJson& value);
};
constexpr FactInfo kFacts[] = {
    {"block", addBlock},
    {"max_threads", [](passes::KernelFacts& facts,
                       const LaunchJson& value) { facts.mostThreads = countOf(value, 1); }},
    {"grid",
     [](passes::KernelFacts& facts, const LaunchJson& value) { facts.grid = extentsOf(value); }},
    {"cluster",
     [](passes::KernelFacts& facts, const LaunchJson& value) { facts.cluster = extentsOf(value); }},
    {"shared", [](passes::KernelFacts& facts,
                  const LaunchJson& value) { facts.dynamicShared = countOf(value, 0); }},
    {"args", addArguments},
    {"distinct", addDistinct},
    // For people.
    {"launches", [](passes::KernelFacts&, const LaunchJson&) {}},
    {"comment", [](passes::KernelFacts&, const LaunchJson&) {}},
};

passes::KernelFacts factsOf(const std::string& kernel, const LaunchJson& value) {
  if (!value.is_object()) refuse("it is not an object");
  passes::KernelFacts facts;
  facts.kernel = kernel;
  for (const auto& [key, fact] : value.items()) {
    const auto* const known = std::ranges::find(kFacts, key, &FactInfo::name);
    if (known == std::end(kFacts)) {
      std::string names;
      for (const FactInfo& info : kFacts) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", info.name);
      }
      refuse(fmt::format("there is no fact \"{}\"; there are {}", key, names));
    }
    known->add(facts, fact);
  }
  return facts;
}

// Characters for the parser, of which the last one that it has read is known.
class CountedText {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountedText(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  CountedText& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  friend bool operator==(const CountedText& a, const CountedText& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

// Reads JSON in which no object has a key twice.
class LaunchText {
 public:
  // Throws LaunchFileError.
  explicit LaunchText(std::string_view text) : text_(text), furthest_(text.data()) {
    const auto see = [this](int /*depth*/, LaunchJson::parse_event_t event, LaunchJson& value) {
      if (event == LaunchJson::parse_event_t::object_start) keys_.emplace_back();
      if (event == LaunchJson::parse_event_t::object_end) keys_.pop_back();
      if (event == LaunchJson::parse_event_t::key) seeKey(value.get_ref<const std::string&>());
      return true;
    };
    const char* const end = text.data() + text.size();
    try {
      file_ = LaunchJson::parse(CountedText(text.data(), &furthest_), CountedText(end, &furthest_),
                                see);
    } catch (const LaunchJson::exception& error) {
      throw LaunchFileError(offset(), "not JSON: " + reason(error));
    }
  }

  const LaunchJson& file() const { return file_; }
  Offset placeOf(const std::string& kernel) const { return kernels_.at(kernel); }

 private:
  // Of the character that was read last.
  Offset offset() const {
    return static_cast<Offset>(std::max<std::ptrdiff_t>(furthest_ - text_.data() - 1, 0));
  }

  static std::string reason(const LaunchJson::exception& error) {
    const bool isSyntax = dynamic_cast<const LaunchJson::parse_error*>(&error) != nullptr;
    const std::string_view before = isSyntax ? ": " : "] ";
    std::string message = error.what();
    return message.erase(0, std::min(message.rfind(before) + before.size(), message.size()));
  }

  void seeKey(const std::string& key) {
    // The parser has read up to the quote behind it.
    const std::size_t begin = text_.rfind('"', std::max<std::size_t>(offset(), 1) - 1);
    const auto at = static_cast<Offset>(begin == std::string_view::npos ? 0 : begin);
    if (!keys_.back().insert(key).second) {
      throw LaunchFileError(at, fmt::format("\"{}\" is given twice", key));
    }
    constexpr std::size_t kDepthOfKernels = 2;
    if (keys_.size() == kDepthOfKernels) kernels_[key] = at;
  }

  std::string_view text_;
  const char* furthest_;
  LaunchJson file_;
  std::vector<std::set<std::string>> keys_;  // of the objects that are being read
  std::map<std::string, Offset> kernels_;
};

}  // namespace

bool isInLines(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || text[first] != '{';
}

std::vector<passes::KernelFacts> parseLaunchFacts(std::string_view text) {
  std::vector<passes::KernelFacts> facts;
  const LaunchText read(text);
  const LaunchJson& file = read.file();
  if (file.size() != 1 || !file.contains("kernels") || !file["kernels"].is_object()) {
    throw LaunchFileError(0, "it is not an object {\"kernels\": {NAME: {...}, ...}}");
  }
  for (const auto& [name, value] : file["kernels"].items()) {
    try {
      facts.push_back(factsOf(name, value));
    } catch (const std::invalid_argument& problem) {
      throw LaunchFileError(read.placeOf(name),
                            fmt::format("kernel '{}': {}", name, problem.what()));
    }
  }
  return facts;
}

}  // namespace ptxopt::driver
