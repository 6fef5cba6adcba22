// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of a syntax error.
#pragma once

#include <string>

#include "parse/fast_parser.h"
#include "support/source.h"

namespace ptxopt::parse {

// "unexpected '}', expected ';' or ','".
//
// ANTLR's own parser finds out what was expected: it interprets the grammar over the tokens of the
// one statement before the error, within an empty function where it stands in one.  O(statement).
std::string wordSyntaxError(const SourceText& text, const SyntaxError& error);

// For a character at which no token starts: "unexpected character '\x80'", or the string or comment
// that is not closed.
std::string describeBadCharacter(const SourceText& text, Offset offset);

}  // namespace ptxopt::parse
