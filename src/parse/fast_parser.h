// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of the fast parser, without the ANTLR headers that its class needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"
#include "parse/token.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace ptxopt::parse {

struct SyntaxError {
  Offset offset = 0;  // the start of the unexpected token
  Token found = Token::Bad;
  Offset context = 0;     // the start of the enclosing statement or module item
  bool isInBody = false;  // the error is in a statement of a function
  std::string message;    // empty: a token does not match the grammar
};

// Fills `module`, which is not usable if an error is returned.
std::optional<SyntaxError> runFastParser(ir::Module& module, Diagnostics& diagnostics);

// The grammar as ANTLR's automaton, serialised.
const std::vector<std::uint16_t>& serializedGrammar();

}  // namespace ptxopt::parse
