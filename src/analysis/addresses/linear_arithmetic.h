// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transfer function of linear forms: what one pure integer instruction makes of the forms of
// its sources.
//
// add, sub, neg, not, mov, mul by a constant, mad, shl by a constant and cvta are linear; and, or,
// xor are where bits do not meet or a mask clears what is above a power of two; cvt and mul.wide
// are where nothing wraps (extensions.h); selp of equal forms is that form.
//
// Cost: O(terms of the sources).
#pragma once

#include "analysis/addresses/extensions.h"
#include "analysis/addresses/operand_forms.h"
#include "analysis/addresses/pointers.h"
#include "analysis/addresses/value_leaves.h"
#include "analysis/values/linear_form.h"
#include "analysis/values/ssa.h"
#include "analysis/values/value_range.h"

namespace ptxopt::analysis {

class LinearArithmetic {
 public:
  // All of them must outlive the object.
  LinearArithmetic(const ValueRanges& ranges, OperandForms& operands, Extensions& extensions,
                   ValueLeaves& leaves, LinearForms& forms, PointerSources& pointers)
      : ranges_(ranges),
        operands_(operands),
        extensions_(extensions),
        leaves_(leaves),
        forms_(forms),
        pointers_(pointers) {}

  // Of the first result, `v`, of a pure integer instruction; None for one that is not linear.
  FormId of(ValueId v, const ir::Instruction& instruction);

 private:
  // Of an operand; None, or no range, where nothing is known.
  FormId source(const ir::Instruction& instruction, std::size_t operand, unsigned bits);
  ValueRange range(const ir::Instruction& instruction, std::size_t operand, unsigned bits) const;
  FormId add(FormId a, FormId b);
  FormId multiply(FormId a, FormId b);

  FormId ofMove(const ir::Instruction& instruction, unsigned bits);
  FormId ofSum(const ir::Instruction& instruction, unsigned bits);
  FormId ofNegation(const ir::Instruction& instruction, unsigned bits);
  FormId ofProduct(const ir::Instruction& instruction, unsigned bits);
  FormId ofShortProduct(const ir::Instruction& instruction, unsigned bits);
  FormId ofShift(const ir::Instruction& instruction, unsigned bits);
  FormId ofMask(const ir::Instruction& instruction, unsigned bits);
  FormId ofDisjointBits(const ir::Instruction& instruction, unsigned bits);
  FormId ofConversion(ValueId v, const ir::Instruction& instruction, unsigned bits);
  FormId ofAddressConversion(const ir::Instruction& instruction, unsigned bits);
  void notePointer(FormId form);

  const ValueRanges& ranges_;
  OperandForms& operands_;
  Extensions& extensions_;
  ValueLeaves& leaves_;
  LinearForms& forms_;
  PointerSources& pointers_;
};

}  // namespace ptxopt::analysis
