// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phis of loops that are one of few stable forms: registers that a loop swaps, and bits that it
// toggles, as kernels with several buffers have them.
//
// Phis of one header, each of which takes the value of the next one in every round, are in round n
// the form with number n modulo their count.  Of other phis that take values from each other only
// the set of forms is known.
//
// Source: wrap-around and periodic variables (Wolfe: "Beyond Induction Variables", 1992).
// Cost: for each phi O(operands) of at most Limit::Alternatives phis.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "analysis/addresses/induction_variables.h"
#include "analysis/addresses/pointers.h"
#include "analysis/flow/loops.h"
#include "analysis/values/linear_form.h"
#include "analysis/values/ssa.h"

namespace ptxopt::analysis {

class PhiAlternatives {
 public:
  // All of them must outlive the object.
  PhiAlternatives(const Ssa& ssa, const Loops& loops, const IdVector<ValueId, FormId>& formOfValue,
                  InductionVariables& inductions, LinearForms& forms, PointerSources& pointers)
      : ssa_(ssa),
        loops_(loops),
        formOfValue_(formOfValue),
        inductions_(inductions),
        forms_(forms),
        pointers_(pointers) {}

  // Says of the leaf that a phi is which forms it may be, if there are few.  Once for each phi,
  // when the forms of all values are known.
  void find(ValueId phi);

 private:
  LinearForms::Alternatives ofCycle(ValueId phi);
  std::pair<FormId, ValueId> waysInto(ValueId phi, LoopId loop) const;
  std::vector<FormId> ofClosure(ValueId phi) const;
  ValueId phiOf(FormId form) const;
  bool isToggle(FormId form, ValueId phi) const;
  FormId toggled(FormId form, ValueId value);

  const Ssa& ssa_;
  const Loops& loops_;
  const IdVector<ValueId, FormId>& formOfValue_;
  InductionVariables& inductions_;
  LinearForms& forms_;
  PointerSources& pointers_;
};

}  // namespace ptxopt::analysis
