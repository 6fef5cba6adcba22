// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Characters of PTX, by class, and the ends of what they make: words, numbers, parts of names.
//
// Texts are followed by SourceText::kPadding readable bytes, so nothing here looks for their end.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "parse/token.h"

namespace ptxopt::parse {

enum class CharacterClass : std::uint8_t {
  Bad,
  Blank,
  Letter,
  Digit,
  Dot,
  Percent,
  Slash,
  Quote,
  Hash,
  At,
  Brace,
  Parenthesis,
  Single,
  Double,
};

struct CharacterTables {
  std::array<CharacterClass, 256> kind{};
  std::array<bool, 256> isWord{};
  std::array<bool, 256> isDigit{};
  std::array<Token, 256> single{};  // of Brace, Parenthesis, Single, At and, taken alone, Double

  constexpr CharacterTables() {
    for (unsigned c = 0; c < 256; ++c) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
      isDigit[c] = c >= '0' && c <= '9';
      isWord[c] = letter || isDigit[c];
      kind[c] = letter       ? CharacterClass::Letter
                : isDigit[c] ? CharacterClass::Digit
                             : CharacterClass::Bad;
    }
    for (const char c : {' ', '\t', '\r', '\n', '\f', '\x1a'}) set(c, CharacterClass::Blank);
    set('.', CharacterClass::Dot);
    set('%', CharacterClass::Percent);
    set('/', CharacterClass::Slash);
    set('"', CharacterClass::Quote);
    set('#', CharacterClass::Hash);
    set('@', CharacterClass::At, Token::AT);
    set('{', CharacterClass::Brace, Token::LBRACE);
    set('}', CharacterClass::Brace, Token::RBRACE);
    set('(', CharacterClass::Parenthesis, Token::LPAREN);
    set(')', CharacterClass::Parenthesis, Token::RPAREN);
    set('[', CharacterClass::Single, Token::LBRACK);
    set(']', CharacterClass::Single, Token::RBRACK);
    set(';', CharacterClass::Single, Token::SEMI);
    set(',', CharacterClass::Single, Token::COMMA);
    set(':', CharacterClass::Single, Token::COLON);
    set('+', CharacterClass::Single, Token::PLUS);
    set('-', CharacterClass::Single, Token::MINUS);
    set('~', CharacterClass::Single, Token::TILDE);
    set('*', CharacterClass::Single, Token::STAR);
    set('?', CharacterClass::Single, Token::QUESTION);
    set('^', CharacterClass::Single, Token::OPERATOR);
    set('<', CharacterClass::Double, Token::LESS);
    set('>', CharacterClass::Double, Token::GREATER);
    set('=', CharacterClass::Double, Token::ASSIGN);
    set('!', CharacterClass::Double, Token::BANG);
    set('&', CharacterClass::Double, Token::OPERATOR);
    set('|', CharacterClass::Double, Token::PIPE);
  }

 private:
  constexpr void set(char c, CharacterClass value, Token token = Token::Bad) {
    kind[static_cast<unsigned char>(c)] = value;
    single[static_cast<unsigned char>(c)] = token;
  }
};
inline constexpr CharacterTables kTables;

inline CharacterClass classOf(char c) {
  return kTables.kind[static_cast<unsigned char>(c)];
}
inline bool isWord(char c) {
  return kTables.isWord[static_cast<unsigned char>(c)];
}
inline bool isDigit(char c) {
  return kTables.isDigit[static_cast<unsigned char>(c)];
}
inline bool isHex(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
inline bool isLineBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f';
}

inline const char* skipWord(const char* at) {
  while (isWord(*at)) ++at;
  return at;
}
inline const char* skipDigits(const char* at) {
  while (isDigit(*at)) ++at;
  return at;
}

// PART of the grammar: "::word" or "::2:4"; `at` itself where there is none.
inline const char* skipPart(const char* at) {
  if (at[0] != ':' || at[1] != ':' || !isWord(at[2])) return at;
  const char* end = skipWord(at + 2);
  const char* digits = skipDigits(at + 2);
  return digits == end && *end == ':' && isDigit(end[1]) ? skipDigits(end + 1) : end;
}

// BANK of the grammar: "[3]".
inline const char* skipBank(const char* at) {
  if (*at != '[' || !isDigit(at[1])) return at;
  const char* end = skipDigits(at + 1);
  return *end == ']' ? end + 1 : at;
}

// EXPONENT of the grammar: "e-3".
inline const char* skipExponent(const char* at) {
  if (*at != 'e' && *at != 'E') return at;
  const char* digits = at + 1 + (at[1] == '+' || at[1] == '-' ? 1 : 0);
  return isDigit(*digits) ? skipDigits(digits) : at;
}

// After an integer of the grammar, its U included.
inline const char* integerEnd(const char* at) {
  const char* end = skipDigits(at);
  const char letter = static_cast<char>(at[1] | 0x20);
  if (*at == '0' && letter == 'x' && isHex(at[2])) {
    end = at + 2;
    while (isHex(*end)) ++end;
  } else if (*at == '0' && letter == 'b' && (at[2] == '0' || at[2] == '1')) {
    end = at + 2;
    while (*end == '0' || *end == '1') ++end;
  }
  return end + (*end == 'U' ? 1 : 0);
}

inline std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}
inline std::uint32_t distance(const char* begin, const char* end) {
  return static_cast<std::uint32_t>(end - begin);
}

// The token that one character makes.
inline Token singleToken(char c) {
  return kTables.single[static_cast<unsigned char>(c)];
}
// The token that two characters make; Bad if they make none.
inline Token doubleToken(char first, char second) {
  const bool two = (second == '=' && first != '&' && first != '|') ||
                   (second == first && first != '=' && first != '!');
  return two ? Token::OPERATOR : Token::Bad;
}

}  // namespace ptxopt::parse
