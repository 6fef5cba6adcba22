// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads of registers that nothing may have written yet.
//
// A register counts as written after any definition, even a partial one: PTX is often written as
// `@p ld %r, ..; @p use %r`.  If an instruction that is not understood may write an operand, it
// counts as writing it, not as reading it.  Parameters of a .func are written at the entry.
// Unreachable code is ignored.
//
// Cost: one Liveness.  If it finds registers that are live at the entry, also a forward pass and a
// walk over the instructions, for those registers alone.
#pragma once

#include <vector>

#include "analysis/flow/cfg.h"

namespace ptxopt::analysis {

struct UndefinedRead {
  const ir::Instruction* instruction = nullptr;
  ir::RegisterId id = ir::RegisterId::None;
};

class MaybeUndefined {
 public:
  explicit MaybeUndefined(const Cfg& cfg);

  // In the order of the text; each register at most once for an instruction.
  const std::vector<UndefinedRead>& reads() const { return reads_; }
  std::size_t count() const { return reads_.size(); }

 private:
  std::vector<UndefinedRead> reads_;
};

}  // namespace ptxopt::analysis
