// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linear forms of SSA values: what addresses and branches are made of, followed backwards.
//
// Constants, symbols, parameters of the entry and invariant special registers are leaves
// (operand_forms.h).  What pure instructions make of forms is linear, or becomes so by a proof
// (linear_arithmetic.h); any other pure integer instruction is an Operation on forms, so that equal
// ones are equal.  Phis of equal forms and induction variables (induction_variables.h) are linear,
// others one of several forms (phi_alternatives.h).  The rest are leaves by themselves
// (value_leaves.h).  A value under a guard is one of two (docs/soundness/ D6.4).
//
// Values are evaluated in the order of their numbers, in which operands come first, but for those
// that come around a loop.
//
// Cost: O(operands of the values), and O(terms) for each, at most Limit::ValueTerms.
#pragma once

#include <vector>

#include "analysis/addresses/pointers.h"
#include "analysis/flow/loops.h"
#include "analysis/values/linear_form.h"
#include "analysis/values/ssa.h"
#include "analysis/values/value_range.h"

namespace ptxopt::analysis {

// By value; None for one on which no address and no branch depends, and for what is no integer.
// `runsOnce`: a thread runs the function once at most.
IdVector<ValueId, FormId> formsOfValues(const Ssa& ssa, const ValueRanges& ranges,
                                        const Loops& loops, bool runsOnce, LinearForms& forms,
                                        PointerSources& pointers);

}  // namespace ptxopt::analysis
