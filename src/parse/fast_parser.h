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
  Offset offset = 0;  // where the token starts that does not fit
  Token found = Token::Bad;
  Offset context = 0;     // where the statement or module item around it starts
  bool isInBody = false;  // a statement of a function
  std::string message;    // empty: the token does not fit the grammar
};

// Fills `module`, which is not usable if an error is returned.
std::optional<SyntaxError> runFastParser(ir::Module& module, Diagnostics& diagnostics);

// The grammar as ANTLR's automaton, serialised.
const std::vector<std::uint16_t>& serializedGrammar();

}  // namespace ptxopt::parse
