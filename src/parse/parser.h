// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to IR.
#pragma once

#include <memory>

#include "ir/module.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace ptxopt::parse {

// Parses a PTX module.  Unknown words (opcodes, directives, types, special registers of a later
// release) are not errors: the IR marks them as unknown, with one warning for each word
// (docs/soundness/ A7).
//
// Returns null
//   - if the text does not match the grammar, with one error that gives the position;
//   - without an error but with a warning, if the text begins as PTX and contains a character that
//     belongs to no token: such a module must be output unchanged.
//
// Time O(bytes).  Memory beyond the IR: a window of tokens, and tables of a few bytes for each
// distinct name.  Blocks, brackets, parentheses and prefix operators may be nested 10,000 deep.
// Running out of memory ends the program.  Several threads may parse at once, each with its own
// Diagnostics.
std::unique_ptr<ir::Module> parse(std::shared_ptr<const SourceText> source,
                                  Diagnostics& diagnostics);

}  // namespace ptxopt::parse
