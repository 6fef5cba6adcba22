// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What numbers and what bits the integer values of a function can be.
//
// For values of 8 to 64 bits: an unsigned and a signed interval, and the bits that are known.  They
// follow from constants, the limits of special registers, the width of loads, and arithmetic; at
// phis they are joined, and what a branch says about a value holds in the blocks to which only its
// edge leads.  So `i` is below `n` in the body of a loop that tests it.
//
// A fixpoint from below over the blocks in reverse postorder, along the edges that are taken as far
// as is known (docs/soundness/ C2.7).  When a phi of a loop header grows for the second time, the
// bound that grows jumps to what the branches on its edges allow, else to that of its type; after
// Limit::RangeRounds rounds every such phi that still grows loses all bounds.  Then two more rounds
// shrink again what the jumps overshot; each of these is sound by itself.
//
// Cost: one round over all integer instructions, a few where there are loops; 56 bytes a value.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/launch/launch_shape.h"
#include "analysis/launch/special_name.h"
#include "analysis/values/branch_conditions.h"
#include "analysis/values/ssa.h"
#include "support/interval.h"

namespace ptxopt::analysis {

// Of a number of `bits` bits.  All parts hold at the same time.
struct ValueRange {
  std::uint64_t lowest = 0;  // unsigned
  std::uint64_t highest = 0;
  std::int64_t signedLowest = 0;
  std::int64_t signedHighest = 0;
  std::uint64_t zeros = 0;  // bits that are 0, below 2^bits
  std::uint64_t ones = 0;   // bits that are 1
  std::uint8_t bits = 0;    // 0: no integer, nothing is known

  static ValueRange all(unsigned bits) {
    ValueRange range;
    range.bits = static_cast<std::uint8_t>(bits);
    if (bits == 0) return range;
    range.highest = ~std::uint64_t{0} >> (64 - bits);
    range.signedHighest = static_cast<std::int64_t>(range.highest >> 1);
    range.signedLowest = -range.signedHighest - 1;
    return range;
  }
  static ValueRange of(std::uint64_t value, unsigned bits);
  static ValueRange between(std::uint64_t lowest, std::uint64_t highest, unsigned bits);
  static ValueRange betweenSigned(std::int64_t lowest, std::int64_t highest, unsigned bits);

  // Nothing is known but the width.
  bool isAll() const { return *this == all(bits); }
  bool isConstant() const { return bits != 0 && lowest == highest; }
  // As integers; a bound at 2^63 or above is none.
  Interval asUnsigned() const;
  Interval asSigned() const { return {signedLowest, signedHighest}; }
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

ValueRange join(const ValueRange& a, const ValueRange& b);
// What satisfies both; `a` where nothing does, for then the value does not occur.
ValueRange meet(const ValueRange& a, const ValueRange& b);

class ValueRanges {
 public:
  // All of them must outlive the object.
  ValueRanges(const Ssa& ssa, const BranchConditions& conditions, const LaunchShape& shape);
  // With the shape that the function says, or is assumed to have.
  ValueRanges(const Ssa& ssa, const BranchConditions& conditions,
              const Assumptions& assumptions = {});

  const LaunchShape& shape() const { return shape_; }
  const BranchConditions& conditions() const { return *conditions_; }
  // At its definition.  `bits` is 0 for what is no integer of at most 64 bits.
  const ValueRange& of(ValueId value) const { return ranges_[value]; }
  // In a block, by the branches above it.
  ValueRange at(ValueId value, BlockId block) const;
  // Of a source operand as a number of `bits` bits, where its instruction stands: a register that
  // is as wide or wider, an integer, a special register.
  ValueRange ofOperand(const ir::Instruction& instruction, const ir::Operand& operand,
                       unsigned bits) const;
  ValueRange ofSpecial(const SpecialName& name, unsigned bits) const;
  // The numbers that satisfy the condition, of which `range` is known.
  ValueRange refined(const ValueRange& range, const Condition& condition) const;

 private:
  class Solver;
  ValueRange rangeOf(ValueId value, const ir::Operand& operand, unsigned bits) const;

  const Ssa* ssa_;
  const BranchConditions* conditions_;
  LaunchShape shape_;
  IdVector<ValueId, ValueRange> ranges_;
};

template <>
struct InputsOf<ValueRanges> {
  using type = Inputs<Ssa, BranchConditions, Assumptions>;
};

}  // namespace ptxopt::analysis
