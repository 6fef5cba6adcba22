// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What names in PTX consist of.
#pragma once

namespace ptxopt::ir {

// May stand in an identifier, which begins with a letter, or with _, $ or % (PTX ISA 4.4).
constexpr bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '%';
}

}  // namespace ptxopt::ir
