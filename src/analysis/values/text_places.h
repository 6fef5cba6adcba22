// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where values and edges are in the text: for claims, which say nothing of SSA (facts/claim.h).
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
  // It must outlive the object.
  explicit TextPlaces(const Ssa& ssa);

  const Ssa& ssa() const { return ssa_; }
  // Where a register holds the value: after its definition, or before the first instruction of its
  // block.  None where there is no such instruction, or it is not what was read (a pass changed or
  // made it); for the carry flag; and for a partial definition that nobody reads: what shows
  // through there is not known (analysis/values/ssa.h).
  std::optional<facts::Value> of(ValueId value) const;
  // The point up to which all that the value is made of has been computed.
  Point pointOf(ValueId value) const;
  // It stands in the text that was read, as it is.
  static bool isOfInput(const ir::Instruction& instruction) {
    return instruction.source.valid() && !instruction.changed;
  }
  // What the register holds before the instruction.
  static facts::Value before(const ir::Instruction& instruction, ir::RegisterId reg);
  // Whoever comes to the point has come to the definition of the value.
  bool isKnownAt(ValueId value, Point point) const;

  // Null where the block has none.
  const ir::Instruction* firstOf(BlockId block) const;
  // One for each place in the list of a brx.idx.  Empty where no instruction ends the block, or
  // where it leads is no label.
  std::vector<facts::Edge> edges(EdgeId edge) const;

 private:
  void findReadValues();

  const Ssa& ssa_;
  BitSet read_;  // by value: an instruction reads it, or a value that it shows through
};

}  // namespace ptxopt::analysis
