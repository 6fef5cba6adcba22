// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an operand reads, as a linear form: a register, a number, the address of a variable, or a
// special register.
//
// Special registers that do not change are leaves, equal ones equal; which of them all threads of a
// CTA have in common is in the tables of the instruction set.
//
// Cost: O(terms).
#pragma once

#include <span>

#include "analysis/values/linear_form.h"
#include "analysis/values/ssa.h"
#include "analysis/values/value_range.h"

namespace ptxopt::analysis {

// The address of a variable, and the offset of the operand; None for what is none.
FormId formOfSymbol(const ir::Function& function, const ir::Operand& operand, unsigned bits,
                    bool runsOnce, LinearForms& forms);

class OperandForms {
 public:
  // All of them must outlive the object.  `formOfValue`: None for what is not known yet.
  OperandForms(const Ssa& ssa, const ValueRanges& ranges, bool runsOnce,
               const IdVector<ValueId, FormId>& formOfValue, LinearForms& forms)
      : ssa_(ssa), ranges_(ranges), formOfValue_(formOfValue), forms_(forms), runsOnce_(runsOnce) {}

  // Its residue modulo 2^bits; None where nothing is known.
  FormId of(const ir::Instruction& instruction, const ir::Operand& operand, unsigned bits);

 private:
  FormId ofSpecial(const ir::Operand& operand, unsigned bits);

  const Ssa& ssa_;
  const ValueRanges& ranges_;
  const IdVector<ValueId, FormId>& formOfValue_;
  LinearForms& forms_;
  const bool runsOnce_;
};

}  // namespace ptxopt::analysis
