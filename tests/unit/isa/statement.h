// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes PTX text apart just far enough to ask the instruction table: which mnemonics, with which
// shapes of operands.  Independent of the parser on purpose; it knows no operand and reports no
// error.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "isa/isa.h"

namespace ptxopt::isa {

struct Statement {
  std::string mnemonic;
  Shape shape;
};

// One instruction: "@!%p0 ld.global.v2.f32 {%f0, %f1}, [gmem];".
Statement parseStatement(std::string_view text);

// Calls `found` for every instruction of a module, with its line.
void forEachInstruction(std::string_view module,
                        const std::function<void(std::string_view text, int line)>& found);

}  // namespace ptxopt::isa
