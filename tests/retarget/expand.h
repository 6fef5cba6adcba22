// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All statements that a row is for: of the instruction table, or of the lowerings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/isa.h"

namespace ptxopt {

struct ExpandedForm {
  std::string statement;  // "add.rn.bf16 %h0, %h1, %h2;"
  const isa::InstructionDesc* desc;
};

// The mnemonics that the sets and optional words of a row give, as far as the instruction table has
// them, with the operands of the example in registers of their types.  At most `most`, spread
// evenly over all of them.
std::vector<ExpandedForm> expand(std::string_view syntax, std::string_view sets,
                                 std::string_view example, isa::InstructionTable& table,
                                 std::size_t most = ~std::size_t{0});

}  // namespace ptxopt
