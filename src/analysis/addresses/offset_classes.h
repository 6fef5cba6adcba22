// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds values that differ by a constant although their linear forms do not show it: phis, and
// values written under a guard.
//
// The form of such a value is a leaf of its own (value_forms.h).  Two of them are in one class, at
// distance d, if
//   - both are phis of one block, and on every edge into it their operands differ by d; or
//   - both are written under one guard, and differ by d with it and without it.
// This relation is a congruence.  The classes are the coarsest partition consistent with it, found
// optimistically.  So two pointers that a loop increments by the same amount, known or not, differ
// by a constant if they do so when the loop is entered (docs/soundness/ E.11.8).
//
// A sum is a form in which each leaf is replaced by the first leaf of its class plus a constant.
// It is exact in the ring of the form.  A leaf narrower than the form counts as an integer there,
// so it is not replaced.
//
// Source: optimistic value numbering over SSA form, by iteration over hash tables (Simpson, 1996).
// Cost: O(terms of the operands) an iteration; two iterations for most functions,
// Limit::OffsetRounds at most.  If that is not enough, there are no classes.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/addresses/address.h"
#include "support/limits.h"

namespace ptxopt::analysis {

class OffsetClasses {
 public:
  // `addresses` must outlive the object.
  explicit OffsetClasses(const Addresses& addresses);

  struct Sum {
    std::uint8_t bits = 64;
    std::uint64_t constant = 0;  // below 2^bits
    std::vector<Term> terms;     // ascending by leaf, none with a coefficient of 0
  };
  // `form` must not be None.
  Sum sum(FormId form) const {
    Sum sum;
    setSum(sum, form);
    return sum;
  }
  // The same in place of what `sum` was, whose memory it takes.
  void setSum(Sum& sum, FormId form) const;
  // The fixpoint was not reached within Limit::OffsetRounds iterations.
  bool isCapMet() const { return isCapMet_; }

 private:
  class Finder;
  struct Place {
    LeafId first = LeafId::None;  // the first leaf of the class
    std::uint64_t offset = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };

  const LinearForms& forms_;
  std::unordered_map<LeafId, Place> places_;  // a leaf that is not here is a class of its own
  bool isCapMet_ = false;
};

}  // namespace ptxopt::analysis
