// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims as text: a line of JSON for the file, then one for each claim (docs/facts.md).
#pragma once

#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "facts/claim.h"
#include "ir/module.h"

namespace ptxopt::facts {

// The claims must be about the text of the module.  O(claims).
void write(std::ostream& out, const ir::Module& module, std::span<const Claim> claims);

// None with `error` set to "FILE:LINE: error: ..." where the text is no list of claims about the
// text of the module: of another version or another text, with a kind that is not known, a place at
// which no instruction of the function begins, a register or variable that does not exist or has
// another number.  O(text + statements of the module).
std::optional<std::vector<Claim>> read(const SourceText& text, const ir::Module& module,
                                       std::string& error);

}  // namespace ptxopt::facts
