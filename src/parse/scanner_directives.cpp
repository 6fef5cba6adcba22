// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words with a dot in front: directives, types, and directives of later releases.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "isa/constructs.h"
#include "parse/characters.h"
#include "parse/scanner.h"

namespace ptxopt::parse {

namespace {

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

}  // namespace

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

// ---- directives of later releases --------------------------------------------------------------

bool Scanner::startsUnknownDirective(const char* at, std::string_view word, TokenBuffer& buffer,
                                     std::uint32_t index) {
  if (inSection_) return false;
  const std::int64_t previous = static_cast<std::int64_t>(index) - 1;
  const Token* const type = buffer.type();
  if (inHead_ && type[previous] == Token::SEMI && type[previous - 1] != Token::STRING) {
    inHead_ = false;  // the semicolon was not that of a .pragma
  }
  if (inHead_) {
    return parentheses_ == 0 && isFirstOnLine(at) &&
           isa::findConstruct(isa::ConstructKind::FunctionAttribute, word) == nullptr &&
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
    if (classOf(*at) != CharacterClass::Blank) end = at + 1;
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
