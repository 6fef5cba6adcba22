// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file format of claims: a header line of JSON, then a line for each claim (docs/facts.md).
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

// None, with `error` set to "FILE:LINE: error: ...", if the text is not a valid list of claims
// about the text of the module: the version or the text is another one, a kind is unknown, a place
// is not the start of an instruction of the function, or a register or variable does not exist or
// has another number.  O(text + statements of the module).
std::optional<std::vector<Claim>> read(const SourceText& text, const ir::Module& module,
                                       std::string& error);

}  // namespace ptxopt::facts
