// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run left in memory, and what it was to leave.
#include <algorithm>
#include <cstring>

#include "interp/compare.h"

namespace ptxopt::interp {

bool Outcome::has(FindingKind kind) const {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const Finding& finding) { return finding.kind == kind; });
}

std::uint64_t Outcome::checksum() const {
  // FNV-1a, 64 bits.
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint8_t byte) {
    hash ^= byte;
    hash *= 0x100000001b3;
  };
  for (const NamedBytes& object : memory) {
    if (!object.isChanged) continue;
    for (const char letter : object.name) add(static_cast<std::uint8_t>(letter));
    for (const std::uint8_t byte : object.bytes) add(byte);
  }
  std::vector<std::string_view> lines = split(printed, '\n');
  std::sort(lines.begin(), lines.end());
  for (const std::string_view line : lines) {
    for (const char letter : line) add(static_cast<std::uint8_t>(letter));
    add('\n');
  }
  return hash;
}

const NamedBytes* findObject(const Outcome& outcome, std::string_view name) {
  std::string full(name);
  if (name.starts_with("arg") && parseNumber(name.substr(3))) {
    full = "argument " + std::string(name.substr(3));
  }
  for (const auto* objects : {&outcome.memory, &outcome.constants}) {
    for (const NamedBytes& object : *objects) {
      if (object.name == full) return &object;
    }
  }
  return nullptr;
}

namespace {

// As findObject() takes it: "arg0".
std::string shortName(const NamedBytes& object) {
  constexpr std::string_view kArgument = "argument ";
  if (!object.name.starts_with(kArgument)) return object.name;
  return "arg" + object.name.substr(kArgument.size());
}

// "out[3]"; "byte 3 of out" where the elements are not known.
std::string placeOf(const std::string& name, std::size_t index, isa::Type type) {
  if (type == isa::Type::U8) return "byte " + std::to_string(index) + " of " + name;
  return name + "[" + std::to_string(index) + "]";
}

}  // namespace

std::string noObject(const Outcome& outcome, std::string_view name) {
  std::string text = "there is no '" + std::string(name) + "' to print or compare";
  const char* separator = "; there are ";
  for (const auto* objects : {&outcome.memory, &outcome.constants}) {
    for (const NamedBytes& object : *objects) {
      text += separator + shortName(object);
      separator = ", ";
    }
  }
  return text;
}

std::vector<std::uint64_t> elementsOf(const std::vector<std::uint8_t>& bytes, isa::Type type) {
  const auto size = static_cast<std::size_t>(std::max(isa::bitWidth(type), 8)) / 8;
  std::vector<std::uint64_t> elements(bytes.size() / size);
  for (std::size_t k = 0; k < elements.size(); ++k) {
    std::memcpy(&elements[k], bytes.data() + k * size, size);
  }
  return elements;
}

std::optional<std::string> mismatch(const Outcome& outcome, const Expectation& expectation) {
  const NamedBytes* object = findObject(outcome, expectation.name);
  if (object == nullptr) return noObject(outcome, expectation.name);
  if (expectation.bytes.size() > object->bytes.size()) {
    return expectation.name + " has " + std::to_string(object->bytes.size()) +
           " bytes, what is expected " + std::to_string(expectation.bytes.size());
  }
  const isa::Type type = expectation.type;
  const std::vector<std::uint64_t> actual = elementsOf(object->bytes, type);
  const std::vector<std::uint64_t> expected = elementsOf(expectation.bytes, type);
  std::size_t wrong = 0;
  std::string example;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (actual[k] == expected[k]) continue;
    const double a = elementValue(type, actual[k]);
    const double b = elementValue(type, expected[k]);
    if (expectation.tolerance > 0 && isClose(a, b, expectation.tolerance)) continue;
    if (wrong++ != 0) continue;
    example = placeOf(expectation.name, k, type) + " is " + elementText(type, actual[k]) +
              ", expected " + elementText(type, expected[k]);
  }
  if (wrong == 0) return std::nullopt;
  return example + "; " + std::to_string(wrong) + " of " + std::to_string(expected.size()) +
         (type == isa::Type::U8 ? " bytes differ" : " differ");
}

std::string difference(const Outcome& first, const Outcome& second) {
  for (const NamedBytes& one : first.memory) {
    const NamedBytes* other = findObject(second, one.name);
    if (other == nullptr || one.bytes == other->bytes || one.bytes.size() != other->bytes.size()) {
      continue;
    }
    const bool hasType = one.type != isa::Type::None && isa::bitWidth(one.type) >= 8;
    const isa::Type type = hasType ? one.type : isa::Type::U8;
    const std::vector<std::uint64_t> a = elementsOf(one.bytes, type);
    const std::vector<std::uint64_t> b = elementsOf(other->bytes, type);
    const auto at = std::mismatch(a.begin(), a.end(), b.begin());
    if (at.first == a.end()) continue;
    const auto index = static_cast<std::size_t>(at.first - a.begin());
    return placeOf(shortName(one), index, type) + " is " + elementText(type, *at.first) +
           " in the first, " + elementText(type, *at.second) + " in the second";
  }
  return first.printed != second.printed ? "they print different text" : "the results differ";
}

}  // namespace ptxopt::interp
