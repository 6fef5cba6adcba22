// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linear forms of SSA values: what addresses and branches are made of, followed backwards.
//
// Constants, symbols, parameters of the entry and invariant special registers are leaves; add, sub,
// neg, not, mul, mad, shl by a constant, and, or, xor where bits do not meet, cvt, mul.wide, cvta,
// selp and phi of equal forms, and induction variables are linear or become so by a proof; any
// other pure integer instruction is an Operation on forms, so that equal ones are equal; the rest
// are leaves by themselves.  A value under a guard is one of two (docs/soundness/ D6.4).
//
// An induction variable is a phi of a reducible loop with one form on every way in, and on every
// way around the loop the same distance to itself: initial + step * rounds.  The rounds are bounded
// by the induction variables of the loop that provably do not wrap.
//
// Cost: O(operands of the values), and O(terms) for each, at most kMostTerms.
#pragma once

#include <vector>

#include "analysis/addresses/pointers.h"
#include "analysis/flow/loops.h"
#include "analysis/values/linear_form.h"
#include "analysis/values/ssa.h"
#include "analysis/values/value_range.h"

namespace ptxopt::analysis {

// By value; kNone for one on which no address and no branch depends, and for what is no integer.
// `runsOnce`: a thread runs the function once at most.
std::vector<FormId> formsOfValues(const Ssa& ssa, const ValueRanges& ranges, const Loops& loops,
                                  bool runsOnce, LinearForms& forms, PointerSources& pointers);

// The address of a variable, and the offset of the operand; kNone for what is none.
FormId formOfSymbol(const ir::Function& function, const ir::Operand& operand, unsigned bits,
                    bool runsOnce, LinearForms& forms);

}  // namespace ptxopt::analysis
