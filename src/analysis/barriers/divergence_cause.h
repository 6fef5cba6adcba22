// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why it is not proved that all threads of a CTA get to an instruction equally often: the branch
// that decides, and the value in which threads differ there.  For those who explain what
// uniformity.h found.
//
// Cost: O(blocks + instructions), graph and trees of its own included, and for each question what
// lies on the way to the answer.
#pragma once

#include <memory>
#include <optional>

#include "analysis/flow/cfg.h"
#include "analysis/threads/uniformity.h"
#include "ir/statement.h"

namespace ptxopt::analysis {

struct DivergenceCause {
  enum class Kind : std::uint8_t {
    Special,    // `source` reads a special register that is another one in each thread
    Load,       // `source` loads from memory that may hold another value for each thread
    Atomic,     // `source` is an atomic operation
    Parameter,  // `source` loads a parameter of a function, which may differ between threads
    Exchange,   // `source` exchanges values with other threads: shuffles, votes
    Call,       // `source` is a call
    Local,      // `source` takes an address of .local memory
    Undefined,  // a register that is not written on every way: `reg`
    Unknown,    // `source` is not understood, or of another kind that varies
  };
  // The nearest branch that decides whether a thread gets there, or the instruction itself if its
  // guard does.
  const ir::Instruction* branch = nullptr;
  Kind kind = Kind::Unknown;
  const ir::Instruction* source = nullptr;  // where the difference comes from; null for Undefined
  const ir::Operand* special = nullptr;     // of Special
  ir::RegisterId reg = ir::RegisterId::None;
};

class DivergenceCauses {
 public:
  // `uniformity` is that of `cfg`; both must outlive the object.
  DivergenceCauses(const Cfg& cfg, const Uniformity& uniformity);
  ~DivergenceCauses();

  // None where all threads do get there.
  std::optional<DivergenceCause> of(const ir::Instruction& instruction) const;

 private:
  struct Facts;
  std::unique_ptr<const Facts> facts_;
};

}  // namespace ptxopt::analysis
