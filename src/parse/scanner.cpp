// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse/scanner.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "parse/function_attributes.h"

namespace ptxopt::parse {
namespace {

enum class Class : std::uint8_t {
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
  std::array<Class, 256> kind{};
  std::array<bool, 256> isWord{};
  std::array<bool, 256> isDigit{};
  std::array<Token, 256> single{};  // of Brace, Parenthesis, Single, At and, taken alone, Double

  constexpr CharacterTables() {
    for (unsigned c = 0; c < 256; ++c) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
      isDigit[c] = c >= '0' && c <= '9';
      isWord[c] = letter || isDigit[c];
      kind[c] = letter ? Class::Letter : isDigit[c] ? Class::Digit : Class::Bad;
    }
    for (const char c : {' ', '\t', '\r', '\n', '\f', '\x1a'}) set(c, Class::Blank);
    set('.', Class::Dot);
    set('%', Class::Percent);
    set('/', Class::Slash);
    set('"', Class::Quote);
    set('#', Class::Hash);
    set('@', Class::At, Token::AT);
    set('{', Class::Brace, Token::LBRACE);
    set('}', Class::Brace, Token::RBRACE);
    set('(', Class::Parenthesis, Token::LPAREN);
    set(')', Class::Parenthesis, Token::RPAREN);
    set('[', Class::Single, Token::LBRACK);
    set(']', Class::Single, Token::RBRACK);
    set(';', Class::Single, Token::SEMI);
    set(',', Class::Single, Token::COMMA);
    set(':', Class::Single, Token::COLON);
    set('+', Class::Single, Token::PLUS);
    set('-', Class::Single, Token::MINUS);
    set('~', Class::Single, Token::TILDE);
    set('*', Class::Single, Token::STAR);
    set('?', Class::Single, Token::QUESTION);
    set('^', Class::Single, Token::OPERATOR);
    set('<', Class::Double, Token::LESS);
    set('>', Class::Double, Token::GREATER);
    set('=', Class::Double, Token::ASSIGN);
    set('!', Class::Double, Token::BANG);
    set('&', Class::Double, Token::OPERATOR);
    set('|', Class::Double, Token::PIPE);
  }

 private:
  constexpr void set(char c, Class value, Token token = Token::Bad) {
    kind[static_cast<unsigned char>(c)] = value;
    single[static_cast<unsigned char>(c)] = token;
  }
};
constexpr CharacterTables kTables;

Class classOf(char c) {
  return kTables.kind[static_cast<unsigned char>(c)];
}
bool isWord(char c) {
  return kTables.isWord[static_cast<unsigned char>(c)];
}
bool isDigit(char c) {
  return kTables.isDigit[static_cast<unsigned char>(c)];
}
bool isHex(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool isLineBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f';
}

const char* skipWord(const char* at) {
  while (isWord(*at)) ++at;
  return at;
}
const char* skipDigits(const char* at) {
  while (isDigit(*at)) ++at;
  return at;
}

// PART of the grammar: "::word" or "::2:4"; `at` itself where there is none.
const char* skipPart(const char* at) {
  if (at[0] != ':' || at[1] != ':' || !isWord(at[2])) return at;
  const char* end = skipWord(at + 2);
  const char* digits = skipDigits(at + 2);
  return digits == end && *end == ':' && isDigit(end[1]) ? skipDigits(end + 1) : end;
}

// BANK of the grammar: "[3]".
const char* skipBank(const char* at) {
  if (*at != '[' || !isDigit(at[1])) return at;
  const char* end = skipDigits(at + 1);
  return *end == ']' ? end + 1 : at;
}

// EXPONENT of the grammar: "e-3".
const char* skipExponent(const char* at) {
  if (*at != 'e' && *at != 'E') return at;
  const char* digits = at + 1 + (at[1] == '+' || at[1] == '-' ? 1 : 0);
  return isDigit(*digits) ? skipDigits(digits) : at;
}

// After an integer of the grammar, its U included.
const char* integerEnd(const char* at) {
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

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}
std::uint32_t distance(const char* begin, const char* end) {
  return static_cast<std::uint32_t>(end - begin);
}

Token directiveToken(std::string_view word) {
  struct Keyword {
    std::string_view word;
    Token token;
  };
  static constexpr Keyword kKeywords[] = {
      {".reg", Token::SPACE},
      {".param", Token::SPACE},
      {".loc", Token::LOC},
      {".local", Token::SPACE},
      {".shared", Token::SPACE},
      {".global", Token::SPACE},
      {".const", Token::SPACE},
      {".align", Token::ALIGN},
      {".visible", Token::LINKAGE},
      {".extern", Token::LINKAGE},
      {".weak", Token::LINKAGE},
      {".common", Token::LINKAGE},
      {".entry", Token::ENTRY},
      {".func", Token::FUNC},
      {".pragma", Token::PRAGMA},
      {".file", Token::FILE},
      {".section", Token::SECTION},
      {".attribute", Token::ATTRIBUTE},
      {".alias", Token::ALIAS},
      {".version", Token::VERSION},
      {".target", Token::TARGET},
      {".address_size", Token::ADDRESS_SIZE},
      {".sreg", Token::SPACE},
      {".tex", Token::SPACE},
      {".branchtargets", Token::BRANCHTARGETS},
      {".calltargets", Token::CALLTARGETS},
      {".callprototype", Token::CALLPROTOTYPE},
      {".loc_intermediate", Token::LOC_INTERMEDIATE},
      {".nv_intermediate_source_section", Token::SOURCE_SECTION},
      {".source_begin", Token::SOURCE_BEGIN},
  };
  for (const Keyword& keyword : kKeywords) {
    if (keyword.word == word) return keyword.token;
  }
  return Token::DOTWORD;
}

Token doubleToken(char first, char second) {
  const bool two = (second == '=' && first != '&' && first != '|') ||
                   (second == first && first != '=' && first != '!');
  return two ? Token::OPERATOR : Token::Bad;
}

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

}  // namespace

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
      return at +
             (classOf(*at) == Class::Double && doubleToken(at[0], at[1]) != Token::Bad ? 2 : 1);
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

Scanner::Scanner(std::string_view text, Offset begin, Interner& names)
    : begin_(text.data()), end_(begin_ + text.size()), at_(begin_ + begin), names_(names) {
  while (end_ != at_ && end_[-1] == '\0') --end_;
}

void Scanner::fill(TokenBuffer& buffer) {
  // Keep the last tokens; the window may have held fewer than that.
  TokenBuffer::Storage& slots = *buffer.storage;
  for (std::uint32_t i = 0; i < TokenBuffer::kHistory; ++i) {
    slots.type[i] = slots.type[i + buffer.size];
    slots.start[i] = slots.start[i + buffer.size];
    slots.value[i] = slots.value[i + buffer.size];
    slots.extra[i] = slots.extra[i + buffer.size];
  }

  Token* const type = buffer.type();
  Offset* const start = buffer.start();
  std::uint32_t* const value = buffer.value();
  std::uint32_t* const extra = buffer.extra();
  const char* at = at_;
  std::uint32_t n = 0;
  const auto name = [this](const char* from, const char* to) {
    return static_cast<std::uint32_t>(names_.intern(from, static_cast<std::size_t>(to - from)));
  };

  while (n < TokenBuffer::kCapacity) {
    while (classOf(*at) == Class::Blank) ++at;
    if (at >= end_) break;
    const char* const first = at;
    start[n] = distance(begin_, first);
    switch (classOf(*at)) {
      case Class::Letter: {
        at = skipWord(at + 1);
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
        type[n] = kind;
        value[n++] = name(first, at);
        continue;
      }
      case Class::Percent: {
        at = skipWord(at + 1);
        if (at == first + 1) {
          type[n++] = Token::OPERATOR;
          continue;
        }
        type[n] = Token::REG;
        if (*at == '.' && isWord(at[1])) {
          at = skipWord(at + 1);
          value[n] = name(first, at);
          extra[n++] = TokenBuffer::kComponent;
          continue;
        }
        std::uint32_t index = TokenBuffer::kWhole;
        const char* const digits = indexDigits(first, at, &index);
        value[n] = name(first, digits);
        extra[n++] = index;
        continue;
      }
      case Class::Digit:
        at = scanNumber(at, buffer, n++);
        continue;
      case Class::Dot:
        at = scanDotted(at, buffer, n);
        if (type[n] == Token::Bad) break;
        ++n;
        continue;
      case Class::Brace:
        type[n++] = kTables.single[static_cast<unsigned char>(*at)];
        if (*at++ == '{') {
          ++depth_;
          inHead_ = false;
          if (inSection_) ++sectionDepth_;
        } else {
          if (depth_ != 0) --depth_;
          if (inSection_ && (sectionDepth_ == 0 || --sectionDepth_ == 0)) inSection_ = false;
        }
        continue;
      case Class::Parenthesis:
        type[n++] = kTables.single[static_cast<unsigned char>(*at)];
        if (*at++ == '(') {
          ++parentheses_;
        } else if (parentheses_ != 0) {
          --parentheses_;
        }
        continue;
      case Class::Single:
        type[n++] = kTables.single[static_cast<unsigned char>(*at++)];
        continue;
      case Class::Double: {
        const Token two = doubleToken(at[0], at[1]);
        type[n++] = two != Token::Bad ? two : kTables.single[static_cast<unsigned char>(*at)];
        at += two != Token::Bad ? 2 : 1;
        continue;
      }
      case Class::Slash:
        if (const char* next = skipBlanks(at); next != at) {
          at = next;
        } else {
          type[n++] = Token::OPERATOR;
          ++at;
        }
        continue;
      case Class::Quote: {
        const void* close = std::memchr(at + 1, '"', static_cast<std::size_t>(end_ - at - 1));
        if (close == nullptr) break;
        at = static_cast<const char*>(close) + 1;
        type[n] = Token::STRING;
        value[n++] = distance(first, at);
        continue;
      }
      case Class::Hash: {
        const char* next = at + 1;
        while (*next == ' ' || *next == '\t') ++next;
        if (!isDigit(*next)) break;
        const void* newline = std::memchr(at, '\n', static_cast<std::size_t>(end_ - at));
        at = newline != nullptr ? static_cast<const char*>(newline) : end_;
        continue;
      }
      case Class::At:
        if (std::memcmp(at, "@@DWARF", 7) == 0) {
          const void* newline = std::memchr(at, '\n', static_cast<std::size_t>(end_ - at));
          at = newline != nullptr ? static_cast<const char*>(newline) : end_;
          type[n] = Token::DWARF;
          value[n++] = distance(first, at);
        } else {
          type[n++] = Token::AT;
          ++at;
        }
        continue;
      case Class::Blank:
      case Class::Bad:
        break;
    }
    type[n] = Token::Bad;
    value[n++] = 1;
    at = end_;
    break;
  }

  at_ = at;
  buffer.size = n;
  type[n] = at >= end_ ? Token::End : Token::Refill;
  start[n] = distance(begin_, end_);
  value[n] = 0;
}

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

const char* Scanner::scanDotted(const char* at, TokenBuffer& buffer, std::uint32_t index) {
  Token& type = buffer.type()[index];
  std::uint32_t& value = buffer.value()[index];
  const char* end = skipWord(at + 1);
  if (end == at + 1) {
    type = Token::Bad;
    value = 1;
    return at;
  }
  const char* const word = end;
  for (const char* next = skipPart(end); next != end; next = skipPart(end)) end = next;

  if (isDigit(at[1])) {
    const char* number = skipExponent(skipDigits(at + 1));
    if (number >= end) {
      type = Token::FLOAT;
      value = distance(at, number);
      return number;
    }
  }
  type = end == word ? directiveToken(between(at, end)) : Token::DOTWORD;
  switch (type) {
    case Token::SPACE:
      if (between(at, end) == ".const") end = skipBank(end);
      break;
    case Token::ENTRY:
    case Token::FUNC:
      inHead_ = true;
      parentheses_ = 0;
      break;
    case Token::SECTION:
    case Token::SOURCE_SECTION:
      inSection_ = true;
      sectionDepth_ = 0;
      break;
    case Token::SOURCE_BEGIN:
      if (const char* textEnd = sourceTextEnd(end); textEnd != end) {
        type = Token::SOURCE_TEXT;
        value = distance(at, textEnd);
        return textEnd;
      }
      break;
    case Token::DOTWORD:
      if (startsUnknownDirective(at, between(at, end), buffer, index)) {
        end = unknownDirectiveEnd(at);
        type = Token::OPAQUE;
        value = distance(at, end);
        return end;
      }
      break;
    default:
      break;
  }
  value = static_cast<std::uint32_t>(names_.intern(at, static_cast<std::size_t>(end - at)));
  return end;
}

// Of SOURCE_TEXT of the grammar, from after its ".source_begin"; `at` itself where it has no end.
const char* Scanner::sourceTextEnd(const char* at) {
  constexpr std::string_view kEnd = ".source_end";
  const auto skipBlank = [](const char* from) {
    while (*from == ' ' || *from == '\t') ++from;
    return from;
  };
  const char* line = skipBlank(at);
  const bool hasReturn = *line == '\r';  // before each newline that counts
  if (hasReturn) ++line;
  if (*line != '\n' || lacksSourceEnd_[hasReturn]) return at;
  for (;;) {
    const char* const word = skipBlank(line + 1);
    if (between(word, end_).starts_with(kEnd)) {
      const char* const after = skipBlank(word + kEnd.size());
      if (between(after, end_).starts_with(hasReturn ? "\r\n" : "\n")) {
        return after + 1 + hasReturn;
      }
    }
    const void* newline = std::memchr(word, '\n', static_cast<std::size_t>(end_ - word));
    if (newline == nullptr) break;
    line = static_cast<const char*>(newline);
  }
  lacksSourceEnd_[hasReturn] = true;
  return at;
}

// ---- directives of later releases
// ----------------------------------------------------------------

bool Scanner::startsUnknownDirective(const char* at, std::string_view word, TokenBuffer& buffer,
                                     std::uint32_t index) {
  if (inSection_) return false;
  const std::int64_t previous = static_cast<std::int64_t>(index) - 1;
  const Token* const type = buffer.type();
  if (inHead_ && type[previous] == Token::SEMI && type[previous - 1] != Token::STRING) {
    inHead_ = false;  // the semicolon was not that of a .pragma
  }
  if (inHead_) {
    return parentheses_ == 0 && isFirstOnLine(at) && !isKnownFunctionAttribute(word) &&
           type[previous] != Token::ENTRY && type[previous] != Token::FUNC;
  }
  switch (type[previous]) {
    case Token::End:
    case Token::SEMI:
    case Token::LBRACE:
    case Token::RBRACE:
    case Token::COLON:
    case Token::OPAQUE:
    case Token::DWARF:
      return true;
    case Token::INT:
    case Token::FLOAT:
    case Token::STRING:
    case Token::ID:
    case Token::OPCODE:
      return isFirstOnLine(at) && isOnDirectiveLine(begin_ + buffer.start()[previous]);
    default:
      return false;
  }
}

bool Scanner::isFirstOnLine(const char* at) const {
  while (at != begin_ && isLineBlank(at[-1])) --at;
  return at == begin_ || at[-1] == '\n';
}

bool Scanner::isOnDirectiveLine(const char* at) const {
  while (at != begin_ && at[-1] != '\n') --at;
  while (isLineBlank(*at)) ++at;
  const char* const end = *at == '.' ? skipWord(at + 1) : at;
  switch (directiveToken(between(at, end))) {
    case Token::VERSION:
    case Token::TARGET:
    case Token::ADDRESS_SIZE:
    case Token::FILE:
    case Token::LOC:
    case Token::LOC_INTERMEDIATE:
      return true;
    default:
      return false;
  }
}

// After blanks and comments; a comment that is not closed is none.
const char* Scanner::skipBlanks(const char* at) const {
  for (;;) {
    while (classOf(*at) == Class::Blank) ++at;
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

const char* Scanner::unknownDirectiveEnd(const char* at) const {
  std::uint32_t depth = 0;
  const char* end = at;  // after the last character that counts
  const auto isInside = [&] { return at < end_ && !(depth == 0 && *at == '\n'); };
  while (isInside()) {
    switch (*at) {
      case ';':
        if (depth == 0) return at + 1;
        break;
      case '{':
        if (inHead_) return end;
        ++depth;
        break;
      case '}':
        if (depth == 0) return end;
        if (--depth == 0) return at + 1;
        break;
      case '"': {
        const void* close = std::memchr(at + 1, '"', static_cast<std::size_t>(end_ - at - 1));
        if (close != nullptr) at = static_cast<const char*>(close);
        break;
      }
      case '/':
        if (const char* next = skipBlanks(at); next != at) {
          // A line comment ends before its newline, which may end the directive.
          at = at[1] == '/' && depth == 0 ? std::find(at, end_, '\n') : next;
          continue;
        }
        break;
      default:
        break;
    }
    if (classOf(*at) != Class::Blank) end = at + 1;
    ++at;
  }
  if (depth_ == 0 && !inHead_) {
    const char* next = skipBlanks(at);
    if (next < end_ && *next == '{') {
      return unknownDirectiveEnd(next);  // one balanced pair of braces
    }
  }
  return end;
}

}  // namespace ptxopt::parse
