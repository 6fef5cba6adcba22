// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages of syntax errors.
#pragma once

#include <string>

#include "parse/fast_parser.h"
#include "support/source.h"

namespace ptxopt::parse {

// "unexpected '}', expected ';' or ','".
//
// The list of expected tokens comes from ANTLR's own parser, which interprets the grammar over the
// tokens of the one statement before the error; if the statement belongs to a function, within an
// empty function.  O(statement).
std::string wordSyntaxError(const SourceText& text, const SyntaxError& error);

// For a character that starts no token: "unexpected character '\x80'", or the string or comment
// that is not closed.
std::string describeBadCharacter(const SourceText& text, Offset offset);

}  // namespace ptxopt::parse
