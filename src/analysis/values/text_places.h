// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The positions of values and edges in the text.  Claims use them, because claims do not mention
// SSA (facts/claim.h).
//
// Cost: O(values + operands) once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/values/ssa.h"
#include "facts/claim.h"
#include "support/bit_set.h"

namespace ptxopt::analysis {

// Right before an instruction of the function, by its number.
using Point = std::uint32_t;

class TextPlaces {
 public:
  // `ssa` must outlive the object.
  explicit TextPlaces(const Ssa& ssa);

  const Ssa& ssa() const { return ssa_; }
  // Where a register holds the value: after its definition, or before the first instruction of its
  // block.  None if there is no such instruction, or if a pass changed or made it; for the carry
  // flag; and for a partial definition that nobody reads, whose old() is unknown
  // (analysis/values/ssa.h).
  std::optional<facts::Value> of(ValueId value) const;
  // The point at which everything that the value is made of has been computed.
  Point pointOf(ValueId value) const;
  // The instruction is in the text that was read, unchanged.
  static bool isOfInput(const ir::Instruction& instruction) {
    return instruction.source.valid() && !instruction.changed;
  }
  // The contents of the register before the instruction.
  static facts::Value before(const ir::Instruction& instruction, ir::RegisterId reg);
  // A thread that reaches the point has executed the definition of the value.
  bool isKnownAt(ValueId value, Point point) const;

  // Null if the block has no instruction.
  const ir::Instruction* firstOf(BlockId block) const;
  // One for each entry in the list of a brx.idx.  Empty if no instruction ends the block, or if the
  // target is not a label.
  std::vector<facts::Edge> edges(EdgeId edge) const;

 private:
  void findReadValues();

  const Ssa& ssa_;
  BitSet read_;  // by value: an instruction reads it, or a partial definition over it
};

}  // namespace ptxopt::analysis
