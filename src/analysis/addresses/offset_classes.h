// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are a constant apart where their linear forms do not say so: phis, and what is
// written under a guard.
//
// The form of such a value is a leaf of its own (value_forms.h).  Two of them are in one class,
// d apart, if
//   - both are phis of one block, and on every edge into it their operands are d apart;
//   - both are written under one guard, and are d apart with it and without it.
// That is a congruence: the classes are the coarsest partition that is consistent with it, found
// optimistically, so that pointers that a loop steps by the same amount, known or not, are a
// constant apart if they are where the loop is entered (docs/soundness/ E.11.8).
//
// A sum is a form in which the first leaf of its class stands for each.  It is exact in the ring of
// the form: a narrower leaf, which counts as an integer there, stays as it is.
//
// Source: value numbering over SSA form, optimistic, by rounds over hash tables (Simpson, 1996).
// Cost: O(terms of the operands) a round; two rounds for most functions, kMostRounds at most, and
// without any class if that is not enough.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/addresses/address.h"

namespace ptxopt::analysis {

class OffsetClasses {
 public:
  static constexpr unsigned kMostRounds = 16;

  // `addresses` must outlive the object.
  explicit OffsetClasses(const Addresses& addresses);

  struct Sum {
    std::uint8_t bits = 64;
    std::uint64_t constant = 0;  // below 2^bits
    std::vector<Term> terms;     // ascending by leaf, none with a coefficient of 0
  };
  // `form` must not be kNone.
  Sum sum(FormId form) const;
  // Rounds were not enough.
  bool isCapMet() const { return isCapMet_; }

 private:
  class Finder;
  struct Place {
    LeafId first = kNone;  // of the class
    std::uint64_t offset = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };

  const LinearForms& forms_;
  std::unordered_map<LeafId, Place> places_;  // what is not here is a class of its own
  bool isCapMet_ = false;
};

}  // namespace ptxopt::analysis
