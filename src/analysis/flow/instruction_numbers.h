// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dense numbers for the instructions of a function, in the order of the text.  An analysis uses
// them as indices of what it stores for each instruction.
//
// The number is stored in the instruction.  So if several objects exist for one function, the last
// one wins: the others recognise only the instructions whose numbers did not change.
//
// Cost: one pass; 8 bytes an instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/flow/cfg.h"

namespace ptxopt::analysis {

class InstructionNumbers {
 public:
  explicit InstructionNumbers(const Cfg& cfg);

  std::uint32_t count() const { return static_cast<std::uint32_t>(instructions_.size()); }
  const ir::Instruction& operator[](std::uint32_t number) const { return *instructions_[number]; }
  // kNone for an instruction that was not in the function when the numbers were assigned.
  std::uint32_t of(const ir::Instruction& instruction) const {
    const std::uint32_t number = instruction.number;
    return number < count() && instructions_[number] == &instruction ? number : kNone;
  }
  // The range of the numbers in a block: the first, and one past the last.
  std::pair<std::uint32_t, std::uint32_t> of(BlockId block) const {
    return {firstOfBlock_[indexOf(block)], firstOfBlock_[indexOf(block) + 1]};
  }

 private:
  std::vector<const ir::Instruction*> instructions_;
  std::vector<std::uint32_t> firstOfBlock_;  // one element more than there are vertices
};

}  // namespace ptxopt::analysis
