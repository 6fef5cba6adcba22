// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads of registers that nothing may have written yet.
//
// A register counts as written after any definition, a partial one too: `@p ld %r, ..; @p use %r`
// is the way PTX is written.  An operand that an instruction which is not understood may write is
// taken as written by it, not read.  Parameters of a .func are written from the start.  Code that
// the entry does not reach is not looked at.
//
// Cost: one Liveness, and where it finds a register live at the entry, a forward pass and a walk
// over the instructions for those registers alone.
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

  // In the order of the text, each register once for an instruction.
  const std::vector<UndefinedRead>& reads() const { return reads_; }
  std::size_t count() const { return reads_.size(); }

 private:
  std::vector<UndefinedRead> reads_;
};

}  // namespace ptxopt::analysis
