// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of an initialised variable, from its elements one by one.
//
// Elements become bytes at once, so that a table of fifty megabytes costs its bytes and not an
// operand for each.  What has no known value (the fields of a sampler, a type that only the
// instruction table knows) makes the initialiser opaque: its text and the symbols in it are kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/function.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "support/arena.h"

namespace ptxopt::parse {

class InitializerBuilder {
 public:
  // `dimensions` as declared, -1 for the `[]` that the initialiser decides.
  void begin(isa::Type type, std::uint8_t vectorWidth, std::span<const std::int64_t> dimensions);

  // Rows are not padded: as ptxas has it, {{1}, {2, 3}} is {1, 2, 3} in memory, whatever the size
  // of a row.
  void openBrace();
  void closeBrace() { --depth_; }
  // One operand of the parser, which may be a group.
  void element(std::span<const ir::Operand> operand);
  void makeOpaque() { isOpaque_ = true; }

  // Bytes of the variable that the initialiser needs, for `[]`; 0 if not known.
  std::uint64_t size() const;
  const ir::Initializer* finish(Arena& arena, std::string_view text);

 private:
  void put(std::uint64_t bits, unsigned size);
  void relocate(const ir::Operand& symbol, bool generic, std::uint64_t mask);
  bool putNumber(const ir::Operand& number);

  isa::Type type_ = isa::Type::None;
  unsigned elementSize_ = 0;
  bool isOpaque_ = false;
  std::uint64_t rowSize_ = 0;  // bytes of an element of the first dimension; 0: not known
  std::uint64_t rows_ = 0;     // in braces of their own
  unsigned depth_ = 0;         // of braces
  bool isOpenEnded_ = false;   // the first dimension is `[]`
  std::vector<std::uint8_t> bytes_;
  std::vector<ir::Relocation> relocations_;
  std::vector<ir::SymbolId> symbols_;
};

}  // namespace ptxopt::parse
