#include "parse/debug_registers.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

namespace ptxopt::parse {

namespace {

constexpr std::uint8_t kRegx = 0x90;   // DW_OP_regx, DWARF 2, 7.7.1
constexpr std::uint8_t kBregx = 0x92;  // DW_OP_bregx

bool isWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '%' || c == '.';
}

// The bytes that the data directives of the section lay down.  A label leaves one byte, which is
// enough to hold apart what is before and behind it.
std::vector<std::uint8_t> bytesOf(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  std::size_t width = 1;
  for (std::size_t at = 0; at < text.size();) {
    if (!isWord(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && isWord(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    at = end;
    if (word == ".b8" || word == ".b16" || word == ".b32" || word == ".b64") {
      std::from_chars(word.data() + 2, word.data() + word.size(), width);
      width /= 8;
      continue;
    }
    const bool isHex = word.starts_with("0x") || word.starts_with("0X");
    const std::string_view digits = isHex ? word.substr(2) : word;
    std::uint64_t number = 0;
    const auto [rest, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number, isHex ? 16 : 10);
    const bool isNumber = error == std::errc() && rest != digits.data();
    for (std::size_t k = 0; k < (isNumber ? width : 1); ++k) {
      bytes.push_back(static_cast<std::uint8_t>(number >> (8 * k)));
    }
  }
  return bytes;
}

// The name at the start of the bytes; empty where there is none.
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
  return std::ranges::all_of(name, isWord) ? name : std::string();
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
