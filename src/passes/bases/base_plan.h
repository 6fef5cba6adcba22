// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers addresses of a function go through: the decisions of common-base.
//
// A value that only accesses need goes if a base serves all of these:
//   - one that a register holds there (AddressGroups): the first that was computed.  Where that
//     register is not needed anyway, it has to be worth it: kFarSavings instructions go;
//   - a new one at the end of the nearest common dominator of several such values, which computes
//     what all of them compute, but for a number that is added.  The text of the computations must
//     agree: what the forms of two values prove may hold in their own blocks only;
//   - a new one where paths meet, a copy of what each of them has.
// What only computed the value goes with it.
//
// What only goes around a loop, or comes from several paths, to be accessed goes as a whole: phis,
// and the steps between them, where a register holds a value of the group for each access.
//
// An address of 32 bits may go through the lower half of one of 64 bits, which is one `cvt`.
//
// Copies of the address of a variable that several blocks make become one, in the entry block.
//
// No base lives through a call that did not before (docs/soundness/ D4.6).
//
// Cost: O(operands + members), Limit::WebValues values for each phi; for each group of addresses
// maxIterations rounds over its values.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/flow/loops.h"
#include "passes/bases/base_assignment.h"
#include "passes/bases/hoisted_bases.h"
#include "passes/bases/variable_bases.h"

namespace ptxopt::passes {

class BasePlan {
 public:
  using ValueId = analysis::ValueId;
  using Member = BaseAssignment::Member;
  using Place = BaseAssignment::Place;

  // All of them must outlive the object.
  BasePlan(const SsaRewrite& rewrite, const AddressGroups& groups, const CommonBaseOptions& options,
           const BaseNumbers& numbers, PassContext& context);
  void run();

  bool isChanged() const { return bases_.isChanged(); }
  bool isDead(ValueId value) const { return bases_.isDead(value); }
  const Place& placeOf(std::uint32_t member) const { return bases_.placeOf(member); }
  std::span<const MadeBase> made() const { return bases_.made(); }
  bool isUsed(std::uint32_t made) const {
    return bases_.readersOf(ValueId{ssa_.valueCount() + made}) != 0;
  }
  // What to read in place of `value`, wherever it is read: itself, or a base at the entry.
  ValueId standIn(ValueId value) const { return bases_.standIn(value); }
  bool hasStandIns() const { return bases_.hasStandIns(); }

 private:
  void sweep();
  void process(ValueId value);
  ValueId baseFor(ValueId value) const;
  bool servesAll(ValueId base, ValueId value, bool mayBeFar) const;
  void noteCaps(const HoistingCaps& caps);
  void countApart();

  const analysis::Ssa& ssa_;
  const AddressGroups& groups_;
  const analysis::Loops& loops_;
  const DeclaredAhead declared_;
  BaseAssignment bases_;
};

}  // namespace ptxopt::passes
