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

  void openBrace();
  // Elements that a row leaves out are zero.
  void closeBrace();
  // One operand of the parser, which may be a group.
  void element(std::span<const ir::Operand> operand);
  void makeOpaque() { isOpaque_ = true; }

  // Bytes of the variable as far as the initialiser says, for `[]`.
  std::uint64_t size() const { return isOpaque_ ? 0 : bytes_.size(); }
  const ir::Initializer* finish(Arena& arena, std::string_view text);

 private:
  void put(std::uint64_t bits, unsigned size);
  void relocate(const ir::Operand& symbol, bool generic, std::uint64_t mask);
  bool putNumber(const ir::Operand& number);

  isa::Type type_ = isa::Type::None;
  unsigned elementSize_ = 0;
  bool isOpaque_ = false;
  std::vector<std::uint64_t> rowSize_;   // bytes of the row that the k-th brace opens; 0: not known
  std::vector<std::uint64_t> rowBegin_;  // of the open braces
  std::vector<std::uint8_t> bytes_;
  std::vector<ir::Relocation> relocations_;
  std::vector<ir::SymbolId> symbols_;
};

}  // namespace ptxopt::parse
