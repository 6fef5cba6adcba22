// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes to tokens: the fast twin of grammar/PtxLexer.g4.
//
// One pass, driven by a table of character classes; names are interned on the way.  It fills a
// window of a few thousand tokens at a time, so that the tokens of a large file never exist at
// once.
//
// It differs from the lexer of the grammar in one thing (docs/soundness/ A7.5).  A word with a
// dot that is no directive of PTX, in a place where only a directive can stand, is a directive of a
// later release; together with what follows it makes one token, OPAQUE, of whose inside nothing is
// assumed.  Such a place is
//   - after `;`, `{`, `}`, a label or another such directive, or at the begin of the text;
//   - the begin of a line after a directive that ends with its line (.loc, .file, .version, ...);
//   - the begin of a line in the head of a function, for a word that is no known attribute.
// The token ends with the first `;` on the line, else with the line; a `{` in it, or at module
// scope after it, belongs to it with all up to its `}`.  In the head of a function `{` starts the
// body.
#pragma once

#include <array>
#include <string_view>

#include "parse/name_cache.h"
#include "parse/token.h"

namespace ptxopt::parse {

class Scanner {
 public:
  // NUL bytes at the end of the text are its end.  The text must be followed by
  // SourceText::kPadding readable bytes, as that of a SourceText is, and it and `names` must
  // outlive the scanner.
  Scanner(std::string_view text, Interner& names) : Scanner(text, 0, names) {}
  // Begins at an offset, as if nothing stood before it.
  Scanner(std::string_view text, Offset begin, Interner& names);

  // Replaces the window by the next tokens; the mark after them is Refill or End.  After
  // Token::Bad nothing is scanned.  O(bytes scanned).
  void fill(TokenBuffer& buffer);

 private:
  // Each scans one token, at `index` of the buffer, and returns its end.  Those that are most of a
  // text are part of the loop of fill().
  [[gnu::always_inline]] inline const char* scanName(const char* first, TokenBuffer& buffer,
                                                     std::uint32_t index);
  [[gnu::always_inline]] inline const char* scanRegister(const char* first, TokenBuffer& buffer,
                                                         std::uint32_t index);
  const char* scanString(const char* at, TokenBuffer& buffer, std::uint32_t index) const;
  const char* scanAt(const char* at, TokenBuffer& buffer, std::uint32_t index) const;
  const char* scanNumber(const char* at, TokenBuffer& buffer, std::uint32_t index);
  const char* scanDotted(const char* at, TokenBuffer& buffer, std::uint32_t index);
  bool startsUnknownDirective(const char* at, std::string_view word, TokenBuffer& buffer,
                              std::uint32_t index);
  [[gnu::always_inline]] inline std::uint32_t name(const char* from, const char* to);
  void noteBrace(char brace);
  void noteParenthesis(char parenthesis);
  const char* lineEnd(const char* at) const;
  const char* sourceTextEnd(const char* at);
  const char* unknownDirectiveEnd(const char* at) const;
  bool isFirstOnLine(const char* at) const;
  bool isOnDirectiveLine(const char* at) const;
  const char* skipBlanks(const char* at) const;

  const char* begin_;
  const char* end_;
  const char* at_;
  NameCache names_;
  std::uint32_t depth_ = 0;               // of braces
  std::uint32_t sectionDepth_ = 0;        // of braces within .section
  std::uint32_t parentheses_ = 0;         // within the head of a function
  std::array<bool, 2> lacksSourceEnd_{};  // in what is left of the text, by its line ends
  bool inSection_ = false;
  bool inHead_ = false;  // from .entry or .func to its { or ;
};

}  // namespace ptxopt::parse
