// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to IR.
#pragma once

#include <memory>

#include "ir/module.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace ptxopt::parse {

// Reads a PTX module.  What the tool does not know (opcodes, directives, types, special registers
// of a later release) is no error: it becomes IR that says so, with one warning for each word
// (docs/soundness/ A7).
//
// Returns null
//   - for a text that does not fit the grammar, with one error that names the place;
//   - without an error but with a warning, for a text that begins as PTX and holds a character that
//     is part of no token: such a module must go out unchanged.
//
// Time O(bytes); memory beyond the IR: a window of tokens and tables of a few bytes for each
// distinct name.  Blocks, brackets, parentheses and prefix operators may be nested 10,000 deep.
// Running out of memory ends the program.  Several threads may parse at once, each with its own
// Diagnostics.
std::unique_ptr<ir::Module> parse(std::shared_ptr<const SourceText> source,
                                  Diagnostics& diagnostics);

}  // namespace ptxopt::parse
