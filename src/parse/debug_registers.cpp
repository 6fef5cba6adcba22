// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse/debug_registers.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/names.h"

namespace ptxopt::parse {

namespace {

constexpr std::uint8_t kRegx = 0x90;   // DW_OP_regx, DWARF 2, 7.7.1
constexpr std::uint8_t kBregx = 0x92;  // DW_OP_bregx

// Also of a directive.
bool isWordCharacter(char c) {
  return ir::isNameCharacter(c) || c == '.';
}

bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// The position after a comment that begins at `at`; `at` itself if there is none.
std::size_t afterComment(std::string_view text, std::size_t at) {
  const bool isLine = text.substr(at, 2) == "//";
  if (!isLine && text.substr(at, 2) != "/*") return at;
  const std::size_t end = text.find(isLine ? "\n" : "*/", at + 2);
  if (end == std::string_view::npos) return text.size();
  return isLine ? end : end + 2;
}

// A number as PTX spells it: decimal, 0x and hexadecimal, 0b and binary, 0 and octal.
std::optional<std::uint64_t> numberOf(std::string_view word) {
  int base = 10;
  if (word.size() > 1 && word[0] == '0') {
    const bool isHex = word[1] == 'x' || word[1] == 'X';
    const bool isBinary = word[1] == 'b' || word[1] == 'B';
    base = isHex ? 16 : isBinary ? 2 : 8;
    word.remove_prefix(isHex || isBinary ? 2 : 1);
  }
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), number, base);
  if (error == std::errc() && rest != word.data()) return number;
  return base == 8 ? std::optional<std::uint64_t>(0) : std::nullopt;  // 0U
}

// The bytes that the data directives of the section define.  A label leaves one byte, which is
// enough to separate its neighbours.
std::vector<std::uint8_t> bytesOf(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  std::size_t width = 1;
  bool isNegative = false;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t after = afterComment(text, at); after != at) {
      at = after;
      continue;
    }
    if (!isWordCharacter(text[at])) {
      if (!isSpace(text[at])) isNegative = text[at] == '-';
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && isWordCharacter(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    at = end;
    if (word == ".b8" || word == ".b16" || word == ".b32" || word == ".b64") {
      std::from_chars(word.data() + 2, word.data() + word.size(), width);
      width /= 8;
      continue;
    }
    const std::optional<std::uint64_t> found = numberOf(word);
    const std::uint64_t number = isNegative ? 0 - found.value_or(0) : found.value_or(0);
    isNegative = false;
    for (std::size_t k = 0; k < (found ? width : 1); ++k) {
      bytes.push_back(static_cast<std::uint8_t>(number >> (8 * k)));
    }
  }
  return bytes;
}

// The name at the start of the bytes; empty if there is none.
std::string nameAt(const std::uint8_t* at, const std::uint8_t* end) {
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (at == end || shift >= 64) return {};
    number |= std::uint64_t{*at & 0x7fu} << shift;
    if ((*at++ & 0x80) == 0) break;
  }
  std::string name;
  for (; number != 0; number >>= 8) name.push_back(static_cast<char>(number & 0xff));
  std::ranges::reverse(name);
  return std::ranges::all_of(name, isWordCharacter) ? name : std::string();
}

}  // namespace

void collectDebugRegisters(std::string_view section, std::unordered_set<std::string>& names) {
  const std::vector<std::uint8_t> bytes = bytesOf(section);
  const std::uint8_t* const end = bytes.data() + bytes.size();
  for (const std::uint8_t* at = bytes.data(); at != end; ++at) {
    if (*at != kRegx && *at != kBregx) continue;
    if (std::string name = nameAt(at + 1, end); !name.empty()) names.insert(std::move(name));
  }
}

}  // namespace ptxopt::parse
