// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear forms in a larger ring: the integer that a residue is, read as signed or as unsigned.
//
// A form is exact in the ring of its instruction.  In a larger one it is the same number only where
// its sum does not wrap, which what is known of its leaves and of the value has to prove, by the
// branches above the block too.  Where it may wrap, the extension of the whole form is a leaf; that
// leaf has parts where some of its terms are proven not to take part in the wrap.
//
// Source: sign and zero extension of recurrences that do not wrap, as scalar evolution has them
// (docs/soundness/ C8(ii)).
// Cost: O(terms) a form; for the parts of a leaf once more for each power of two among its
// coefficients.
#pragma once

#include <cstdint>

#include "analysis/addresses/pointers.h"
#include "analysis/values/linear_form.h"
#include "analysis/values/ssa.h"
#include "analysis/values/value_range.h"
#include "support/number_table.h"

namespace ptxopt::analysis {

class Extensions {
 public:
  // All of them must outlive the object.
  Extensions(const Ssa& ssa, const ValueRanges& ranges, LinearForms& forms,
             PointerSources& pointers)
      : ssa_(ssa), ranges_(ranges), forms_(forms), pointers_(pointers) {}

  // The form of `v`.  Where it is a leaf, what branches say of the one holds for the other.
  void noteNumber(FormId form, ValueId v);

  // The number that `a` is in a block, of which `range` is known, in a larger ring.
  FormId widened(FormId a, unsigned bits, bool isSigned, const ValueRange& range, BlockId block);

  // docs/soundness/ C8(ii).10: the residue of `a` modulo 2^k, where `mask` is 2^k - 1.  None
  // where what is left of `a` may be outside of one range of 2^k numbers.
  FormId lowPart(FormId a, std::uint64_t mask, BlockId block);

 private:
  Interval intervalIn(LeafId leaf, BlockId block) const;
  Interval sumIn(FormId form, BlockId block) const;
  LeafId extension(FormId a, bool isSigned);
  FormId partsOf(FormId a, bool isSigned);

  const Ssa& ssa_;
  const ValueRanges& ranges_;
  LinearForms& forms_;
  PointerSources& pointers_;
  NumberTable<LeafId, ValueId> valueOf_;
};

}  // namespace ptxopt::analysis
