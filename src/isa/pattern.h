// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matches the spelling of an instruction against the notation of a row (rows.h).
//
// Rows are parsed on demand, and nothing is stored: the texts of the table are constants, and
// InstructionTable caches the results.  A match costs about one pass over the text of the row.
// Operands are examined only if the mnemonic matches.
#pragma once

#include <string_view>
#include <vector>

#include "isa/isa.h"

namespace ptxopt::isa {

// What a match found out.
struct Match {
  std::vector<OperandRole> roles;
  Type type = Type::None;        // the first type qualifier
  Type sourceType = Type::None;  // the second, else the first
};

// The dotted words of "ld.global.f32" after the first: ".global", ".f32".
std::vector<std::string_view> splitQualifiers(std::string_view mnemonic);

// The first word of a mnemonic or of the syntax of a row.
std::string_view firstWord(std::string_view text);

// True if `row` fits; `match` is then filled.  The first words must be equal already.
bool matchRow(const Row& row, std::span<const std::string_view> qualifiers, Shape shape,
              Match& match);

// The type of a register that holds a value of the type `dotted`: that of parseType, or the bits of
// a type that only instructions have (.u8x4 is Type::B32); Other if nothing knows it.
Type registerType(std::string_view dotted);

}  // namespace ptxopt::isa
