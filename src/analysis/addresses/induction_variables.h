// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Induction variables, as linear forms: initial + step * rounds.
//
// An induction variable is a phi of a reducible loop with one form on every way in, and on every
// way around the loop the same distance to itself.  The distance is found by the additions and
// subtractions between the phi and what comes around, of what does not change in the loop.  The
// rounds are a leaf of the loop, which is bounded by the induction variables of the loop that
// provably do not wrap: where the step is exact as an integer, the distance that there is to go is
// that of the range of the phi (value_range.h).
//
// Source: basic induction variables of reducible loops (Aho, Lam, Sethi, Ullman: "Compilers", 9.1),
// over SSA form.
// Cost: Limit::InductionSteps instructions for each operand of a phi, and once more for each phi of
// the header of a loop that has an induction variable.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "analysis/flow/loops.h"
#include "analysis/values/linear_form.h"
#include "analysis/values/ssa.h"
#include "analysis/values/value_range.h"

namespace ptxopt::analysis {

class InductionVariables {
 public:
  // All of them must outlive the object.  `formOfValue`: None for what is not known yet.
  InductionVariables(const Ssa& ssa, const ValueRanges& ranges, const Loops& loops,
                     const IdVector<ValueId, FormId>& formOfValue, LinearForms& forms)
      : ssa_(ssa), ranges_(ranges), loops_(loops), formOfValue_(formOfValue), forms_(forms) {}

  // None for a phi that is none.
  FormId of(ValueId phi);
  // The leaf: how often the back edges were taken since the loop was entered.
  LeafId rounds(LoopId loop);

 private:
  // None where it is not the same everywhere.
  struct Ways {
    FormId initial = FormId::None;  // on every way into the loop
    FormId step = FormId::None;     // on every way around it
  };
  Ways waysInto(ValueId phi, LoopId loop);
  FormId stepBetween(ValueId phi, ValueId next);
  FormId invariant(const ir::Instruction& instruction, const ir::Operand& operand, ValueId phi,
                   unsigned bits);
  std::int64_t mostRounds(LoopId loop);
  std::int64_t mostRounds(ValueId phi, LoopId loop);
  unsigned bitsOf(ValueId v) const { return ranges_.of(v).bits; }
  bool isBackEdge(ValueId phi, std::size_t operand, LoopId loop) const;

  const Ssa& ssa_;
  const ValueRanges& ranges_;
  const Loops& loops_;
  const IdVector<ValueId, FormId>& formOfValue_;
  LinearForms& forms_;
  std::unordered_map<LoopId, std::int64_t> mostRounds_;
};

}  // namespace ptxopt::analysis
