// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The leaves that stand for SSA values: a value of which nothing else is known, and one of several
// forms.
//
// A leaf is stable where one thread never sees two values of it (docs/soundness/ C8(ii).1), which
// is decided here for values: they are outside of all loops of a function that runs once.
//
// Cost: O(1); O(forms) for one of several.
#pragma once

#include <vector>

#include "analysis/addresses/pointers.h"
#include "analysis/flow/loops.h"
#include "analysis/values/linear_form.h"
#include "analysis/values/ssa.h"
#include "analysis/values/value_range.h"

namespace ptxopt::analysis {

class ValueLeaves {
 public:
  // All of them must outlive the object.  `runsOnce`: a thread runs the function once at most.
  ValueLeaves(const Ssa& ssa, const ValueRanges& ranges, const Loops& loops, bool runsOnce,
              LinearForms& forms, PointerSources& pointers)
      : ssa_(ssa),
        ranges_(ranges),
        loops_(loops),
        forms_(forms),
        pointers_(pointers),
        runsOnce_(runsOnce) {}

  Leaf of(ValueId v) const;
  // What the instruction of `v` gives: under a guard that is not the value.
  Leaf ofResult(ValueId v) const;
  // The value as a form that is that leaf alone.
  FormId opaque(ValueId v);
  // `leaf` is one of these: the address may be any of them (C3.3.9).
  FormId merged(const Leaf& leaf, std::vector<FormId> forms);
  // They can be said of a leaf as its alternatives.
  bool areFewAndStable(const std::vector<FormId>& forms) const;

 private:
  const Ssa& ssa_;
  const ValueRanges& ranges_;
  const Loops& loops_;
  LinearForms& forms_;
  PointerSources& pointers_;
  const bool runsOnce_;
};

}  // namespace ptxopt::analysis
