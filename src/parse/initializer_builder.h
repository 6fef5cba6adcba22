// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the value of an initialised variable from its elements.
//
// Elements become bytes at once, so that a table of fifty megabytes costs its bytes and not an
// operand for each element.  An element without a known value (the fields of a sampler, a type that
// only the instruction table knows) makes the initialiser opaque: only its text and the symbols in
// it are kept.
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
  // `dimensions` as declared; -1 for a `[]` whose size follows from the initialiser.
  void begin(isa::Type type, std::uint8_t vectorWidth, std::span<const std::int64_t> dimensions);

  // Inner braces are not padded: like in ptxas, {{1}, {2, 3}} is {1, 2, 3} in memory, whatever the
  // declared inner dimension.
  void openBrace();
  void closeBrace() { --depth_; }
  // One operand of the parser, which may be a group.
  void element(std::span<const ir::Operand> operand);
  void makeOpaque() { isOpaque_ = true; }

  // The size in bytes that the initialiser implies, for `[]`; 0 if unknown.
  std::uint64_t size() const;
  const ir::Initializer* finish(Arena& arena, std::string_view text);

 private:
  void put(std::uint64_t bits, unsigned size);
  void relocate(const ir::Operand& symbol, bool generic, std::uint64_t mask);
  bool putNumber(const ir::Operand& number);

  isa::Type type_ = isa::Type::None;
  unsigned elementSize_ = 0;
  bool isOpaque_ = false;
  std::uint64_t rowSize_ = 0;  // bytes of an element of the first dimension; 0: unknown
  std::uint64_t rows_ = 0;     // in braces of their own
  unsigned depth_ = 0;         // of braces
  bool isOpenEnded_ = false;   // the first dimension is `[]`
  std::vector<std::uint8_t> bytes_;
  std::vector<ir::Relocation> relocations_;
  std::vector<ir::SymbolId> symbols_;
};

}  // namespace ptxopt::parse
