// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lexer and the parser that ANTLR makes of the grammar, without ANTLR's headers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ptxopt::parse {

struct ReferenceToken {
  std::size_t type;
  std::size_t start;
  std::size_t end;  // after the last character
};

// Of a text in ASCII.  Characters that start no token are left out.
std::vector<ReferenceToken> referenceTokens(std::string_view text);

// Parses tokens; the first error as "line:column message", or empty.
std::string referenceError(std::string_view text);

}  // namespace ptxopt::parse
