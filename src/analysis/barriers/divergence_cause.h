// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explains results of uniformity.h: why it is not proved that all threads of a CTA execute an
// instruction equally often.  The cause is the branch that decides, and the value in it that
// differs between threads.
//
// Cost: O(blocks + instructions), including its own graph and trees.  Each query costs O(the
// instructions that lead to the answer).
#pragma once

#include <memory>
#include <optional>

#include "analysis/flow/cfg.h"
#include "analysis/threads/uniformity.h"
#include "ir/statement.h"

namespace ptxopt::analysis {

enum class DivergenceSource : std::uint8_t {
  Special,    // `source` reads a special register that differs between threads
  Load,       // `source` loads from memory that may hold different values for each thread
  Atomic,     // `source` is an atomic operation
  Parameter,  // `source` loads a parameter of a function, which may differ between threads
  Exchange,   // `source` exchanges values with other threads: shuffles, votes
  Call,       // `source` is a call
  Local,      // `source` takes an address of .local memory
  Undefined,  // `reg` is not written on every path
  Unknown,    // `source` is not understood, or varies for another reason
};

struct DivergenceCause {
  using Kind = DivergenceSource;
  // The nearest branch that decides whether a thread executes the instruction, or the instruction
  // itself if its guard does.
  const ir::Instruction* branch = nullptr;
  Kind kind = Kind::Unknown;
  const ir::Instruction* source = nullptr;  // the origin of the difference; null for Undefined
  const ir::Operand* special = nullptr;     // for Special
  ir::RegisterId reg = ir::RegisterId::None;
};

class DivergenceCauses {
 public:
  // `uniformity` is that of `cfg`; both must outlive the object.
  DivergenceCauses(const Cfg& cfg, const Uniformity& uniformity);
  ~DivergenceCauses();

  // None if all threads execute the instruction.
  std::optional<DivergenceCause> of(const ir::Instruction& instruction) const;

 private:
  struct Facts;
  std::unique_ptr<const Facts> facts_;
};

}  // namespace ptxopt::analysis
