// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse/token.h"

#include <cstring>

#include "parse/characters.h"

namespace ptxopt::parse {

std::string_view describe(Token token) {
  static constexpr std::string_view kTexts[] = {
      "an unknown character",
#define PTXOPT_TOKEN(type, text) text,
#include "parse/tokens.def"
#undef PTXOPT_TOKEN
  };
  return token == Token::End ? "the end of the file" : kTexts[static_cast<std::size_t>(token)];
}

const char* tokenEnd(const char* at, Token type, std::uint32_t value) {
  switch (type) {
    case Token::FLOAT:
    case Token::STRING:
    case Token::OPAQUE:
    case Token::DWARF:
    case Token::SOURCE_TEXT:
      return at + value;
    case Token::INT:
      return integerEnd(at);
    case Token::ID:
      return skipWord(at);
    case Token::OPERATOR:
      return at + (classOf(*at) == CharacterClass::Double && doubleToken(at[0], at[1]) != Token::Bad
                       ? 2
                       : 1);
    case Token::End:
      return at;
    default:
      break;
  }
  if (*at != '.' && *at != '%' && !isWord(*at)) return at + 1;  // punctuation
  const char* end = skipWord(at + 1);
  if (type == Token::REG) return *end == '.' && isWord(end[1]) ? skipWord(end + 1) : end;
  const bool opcode = type == Token::OPCODE;
  for (;;) {
    const char* next = skipPart(end);
    const bool isConst = end - at >= 6 && std::memcmp(end - 6, ".const", 6) == 0;
    if (next == end && isConst) next = skipBank(end);
    if (next == end && opcode && *end == '.' && isWord(end[1])) next = skipWord(end + 1);
    if (next == end) return end;
    end = next;
  }
}

}  // namespace ptxopt::parse
