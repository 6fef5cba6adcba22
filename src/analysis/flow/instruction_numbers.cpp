// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/instruction_numbers.h"

namespace ptxopt::analysis {

InstructionNumbers::InstructionNumbers(const Cfg& cfg) {
  firstOfBlock_.reserve(cfg.vertexCount() + std::size_t{1});
  instructions_.reserve(8 * std::size_t{cfg.blockCount()});  // in small blocks
  for (const BlockId b : cfg.blocksAndExit()) {
    firstOfBlock_.push_back(count());
    for (ir::Instruction& instruction : cfg.instructions(b)) {
      instruction.number = count();
      instructions_.push_back(&instruction);
    }
  }
  firstOfBlock_.push_back(count());
}

}  // namespace ptxopt::analysis
