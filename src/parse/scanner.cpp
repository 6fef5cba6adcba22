// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse/scanner.h"

#include <cstring>

#include "parse/characters.h"

namespace ptxopt::parse {

namespace {

// Splits the number off "%r57" (see TokenBuffer): returns its first digit, or `end` if there is
// none of the form that a parametrised declaration makes.
const char* indexDigits(const char* begin, const char* end, std::uint32_t* index) {
  constexpr int kMaxDigits = 9;
  const char* digits = end;
  while (digits - 1 > begin && isDigit(digits[-1])) --digits;
  if (digits == end || end - digits > kMaxDigits || (*digits == '0' && end - digits > 1))
    return end;
  std::uint32_t value = 0;
  for (const char* at = digits; at != end; ++at) {
    value = value * 10 + static_cast<std::uint32_t>(*at - '0');
  }
  *index = value;
  return digits;
}

// "# 12", as preprocessors write it.
bool isLineMarker(const char* at) {
  const char* next = at + 1;
  while (*next == ' ' || *next == '\t') ++next;
  return isDigit(*next);
}

}  // namespace

Scanner::Scanner(std::string_view text, Offset begin, Interner& names)
    : begin_(text.data()), end_(begin_ + text.size()), at_(begin_ + begin), names_(names) {
  while (end_ != at_ && end_[-1] == '\0') --end_;
}

void Scanner::fill(TokenBuffer& buffer) {
  buffer.keepHistory();
  Token* const type = buffer.type();
  Offset* const start = buffer.start();
  const char* at = at_;
  std::uint32_t n = 0;
  while (n < TokenBuffer::kCapacity) {
    while (classOf(*at) == CharacterClass::Blank) ++at;
    if (at >= end_) break;
    start[n] = distance(begin_, at);
    switch (classOf(*at)) {
      case CharacterClass::Letter:
        at = scanName(at, buffer, n++);
        continue;
      case CharacterClass::Percent:
        at = scanRegister(at, buffer, n++);
        continue;
      case CharacterClass::Digit:
        at = scanNumber(at, buffer, n++);
        continue;
      case CharacterClass::Dot:
        at = scanDotted(at, buffer, n);
        if (type[n] == Token::Bad) break;
        ++n;
        continue;
      case CharacterClass::Brace:
        type[n++] = singleToken(*at);
        noteBrace(*at++);
        continue;
      case CharacterClass::Parenthesis:
        type[n++] = singleToken(*at);
        noteParenthesis(*at++);
        continue;
      case CharacterClass::Single:
        type[n++] = singleToken(*at++);
        continue;
      case CharacterClass::Double: {
        const Token two = doubleToken(at[0], at[1]);
        type[n++] = two != Token::Bad ? two : singleToken(*at);
        at += two != Token::Bad ? 2 : 1;
        continue;
      }
      case CharacterClass::Slash:
        if (const char* next = skipBlanks(at); next != at) {
          at = next;
        } else {
          type[n++] = Token::OPERATOR;
          ++at;
        }
        continue;
      case CharacterClass::Quote:
        at = scanString(at, buffer, n);
        if (type[n] == Token::Bad) break;
        ++n;
        continue;
      case CharacterClass::Hash:
        if (!isLineMarker(at)) break;
        at = lineEnd(at);
        continue;
      case CharacterClass::At:
        at = scanAt(at, buffer, n++);
        continue;
      case CharacterClass::Blank:
      case CharacterClass::Bad:
        break;
    }
    type[n] = Token::Bad;
    buffer.value()[n++] = 1;
    at = end_;
    break;
  }

  at_ = at;
  buffer.size = n;
  type[n] = at >= end_ ? Token::End : Token::Refill;
  start[n] = distance(begin_, end_);
  buffer.value()[n] = 0;
}

// ---- names -------------------------------------------------------------------------------------

std::uint32_t Scanner::name(const char* from, const char* to) {
  return static_cast<std::uint32_t>(names_.intern(from, static_cast<std::size_t>(to - from)));
}

// A name, or an opcode with its qualifiers.
const char* Scanner::scanName(const char* first, TokenBuffer& buffer, std::uint32_t index) {
  const char* at = skipWord(first + 1);
  Token kind = Token::ID;
  for (;;) {
    const char* next = at;
    if (*at == '.' && isWord(at[1])) {
      next = skipWord(at + 1);
      if (*next == '[' && between(at, next) == ".const") next = skipBank(next);
    } else if (*at == ':') {
      next = skipPart(at);
    }
    if (next == at) break;
    kind = Token::OPCODE;
    at = next;
  }
  buffer.type()[index] = kind;
  buffer.value()[index] = name(first, at);
  return at;
}

const char* Scanner::scanRegister(const char* first, TokenBuffer& buffer, std::uint32_t index) {
  const char* at = skipWord(first + 1);
  if (at == first + 1) {
    buffer.type()[index] = Token::OPERATOR;
    return at;
  }
  buffer.type()[index] = Token::REG;
  if (*at == '.' && isWord(at[1])) {
    at = skipWord(at + 1);
    buffer.value()[index] = name(first, at);
    buffer.extra()[index] = TokenBuffer::kComponent;
    return at;
  }
  std::uint32_t number = TokenBuffer::kWhole;
  const char* const digits = indexDigits(first, at, &number);
  buffer.value()[index] = name(first, digits);
  buffer.extra()[index] = number;
  return at;
}

// ---- braces, texts and lines -------------------------------------------------------------------

void Scanner::noteBrace(char brace) {
  if (brace == '{') {
    ++depth_;
    inHead_ = false;
    if (inSection_) ++sectionDepth_;
  } else {
    if (depth_ != 0) --depth_;
    if (inSection_ && (sectionDepth_ == 0 || --sectionDepth_ == 0)) inSection_ = false;
  }
}

void Scanner::noteParenthesis(char parenthesis) {
  if (parenthesis == '(') {
    ++parentheses_;
  } else if (parentheses_ != 0) {
    --parentheses_;
  }
}

// Bad if it is not closed.
const char* Scanner::scanString(const char* at, TokenBuffer& buffer, std::uint32_t index) const {
  const void* close = std::memchr(at + 1, '"', static_cast<std::size_t>(end_ - at - 1));
  buffer.type()[index] = close != nullptr ? Token::STRING : Token::Bad;
  if (close == nullptr) return at;
  const char* const end = static_cast<const char*>(close) + 1;
  buffer.value()[index] = distance(at, end);
  return end;
}

// "@", or a line of debug information, "@@DWARF ...".
const char* Scanner::scanAt(const char* at, TokenBuffer& buffer, std::uint32_t index) const {
  if (std::memcmp(at, "@@DWARF", 7) != 0) {
    buffer.type()[index] = Token::AT;
    return at + 1;
  }
  const char* const end = lineEnd(at);
  buffer.type()[index] = Token::DWARF;
  buffer.value()[index] = distance(at, end);
  return end;
}

const char* Scanner::lineEnd(const char* at) const {
  const void* newline = std::memchr(at, '\n', static_cast<std::size_t>(end_ - at));
  return newline != nullptr ? static_cast<const char*>(newline) : end_;
}

// After blanks and comments; a comment that is not closed is none.
const char* Scanner::skipBlanks(const char* at) const {
  for (;;) {
    while (classOf(*at) == CharacterClass::Blank) ++at;
    if (at[0] != '/' || (at[1] != '/' && at[1] != '*')) return at;
    const std::string_view rest = between(at, end_);
    const std::string_view close = at[1] == '/' ? "\n" : "*/";
    const std::size_t found = rest.find(close, 2);
    if (found != std::string_view::npos) {
      at += found + close.size();
    } else if (at[1] == '/') {
      return end_;
    } else {
      return at;
    }
  }
}

// ---- numbers -----------------------------------------------------------------------------------

const char* Scanner::scanNumber(const char* at, TokenBuffer& buffer, std::uint32_t index) {
  const auto finish = [&](const char* end, std::uint64_t value) {
    buffer.type()[index] = Token::INT;
    buffer.value()[index] = static_cast<std::uint32_t>(value);
    buffer.extra()[index] = static_cast<std::uint32_t>(value >> 32);
    return end + (*end == 'U' ? 1 : 0);
  };
  const auto finishFloat = [&](const char* end) {
    buffer.type()[index] = Token::FLOAT;
    buffer.value()[index] = distance(at, end);
    return end;
  };

  if (*at == '0') {
    const char letter = static_cast<char>(at[1] | 0x20);
    if (letter == 'x' && isHex(at[2])) {
      std::uint64_t value = 0;
      const char* end = at + 2;
      for (; isHex(*end); ++end) {
        const int digit = isDigit(*end) ? *end - '0' : (*end | 0x20) - 'a' + 10;
        value = value << 4 | static_cast<std::uint64_t>(digit);
      }
      return finish(end, value);
    }
    if (letter == 'b' && (at[2] == '0' || at[2] == '1')) {
      std::uint64_t value = 0;
      const char* end = at + 2;
      for (; *end == '0' || *end == '1'; ++end) value = value << 1 | (*end == '1' ? 1u : 0u);
      return finish(end, value);
    }
    if (letter == 'f' || letter == 'd') {
      const int digits = letter == 'f' ? 8 : 16;
      int count = 0;
      while (count < digits && isHex(at[2 + count])) ++count;
      if (count == digits) return finishFloat(at + 2 + digits);
    }
  }

  const char* end = skipDigits(at);
  if (*end == '.') return finishFloat(skipExponent(skipDigits(end + 1)));
  if (const char* exponent = skipExponent(end); exponent != end) return finishFloat(exponent);

  std::uint64_t value = 0;
  bool octal = *at == '0';
  for (const char* digit = at; digit != end; ++digit) {
    value = value * 10 + static_cast<std::uint64_t>(*digit - '0');
    octal = octal && *digit < '8';
  }
  if (octal) {
    value = 0;
    for (const char* digit = at; digit != end; ++digit) {
      value = value << 3 | static_cast<std::uint64_t>(*digit - '0');
    }
  }
  return finish(end, value);
}

}  // namespace ptxopt::parse
