// What bits and what numbers the integer values of a function can be.
//
// For values of 8 to 64 bits: an unsigned and a signed interval, and the bits that are known.  They
// follow from constants, the limits of special registers, the width of loads, and arithmetic; at
// phis they are joined, and what a branch says about a value holds in the blocks that only its edge
// leads to.  So `i` is below `n` in the body of a loop that tests it.
//
// A fixpoint from below over the blocks in reverse postorder.  After kPatience rounds a phi that
// still grows jumps to what the branches around it allow, else to the bounds of its type; after
// kRounds everything that still grows does.  Cost: a few rounds over all integer instructions; 48
// bytes a value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/interval.h"
#include "analysis/ssa.h"

namespace ptxopt::analysis {

// Of a number of `bits` bits.  All parts hold at the same time.
struct ValueRange {
  std::uint64_t lowest = 0;  // unsigned
  std::uint64_t highest = 0;
  std::int64_t signedLowest = 0;
  std::int64_t signedHighest = 0;
  std::uint64_t zeros = 0;  // bits that are 0, below 2^bits
  std::uint64_t ones = 0;   // bits that are 1
  std::uint8_t bits = 0;    // 0: not an integer, nothing is known

  static ValueRange all(unsigned bits);
  static ValueRange of(std::uint64_t value, unsigned bits);
  static ValueRange between(std::uint64_t lowest, std::uint64_t highest, unsigned bits);
  static ValueRange betweenSigned(std::int64_t lowest, std::int64_t highest, unsigned bits);

  bool isConstant() const { return bits != 0 && lowest == highest; }
  // The unsigned interval as one of integers; no bound above 2^63.
  Interval asUnsigned() const;
  Interval asSigned() const { return {signedLowest, signedHighest}; }
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

ValueRange join(const ValueRange& a, const ValueRange& b);
// Both hold.  Where they contradict each other, the value does not occur; the result is one of
// them.
ValueRange meet(const ValueRange& a, const ValueRange& b);

// What a comparison says where it is true.
enum class Comparison : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Ltu, Leu, Gtu, Geu };
Comparison negation(Comparison comparison);
Comparison swapped(Comparison comparison);  // b ? a for a ? b

struct Condition {
  Comparison comparison = Comparison::Eq;
  ValueId value = kNone;
  ValueId other = kNone;       // kNone: `constant`
  std::uint64_t constant = 0;  // below 2^bits
  std::uint8_t bits = 0;
  BlockId block = kNone;  // holds there and in all that it dominates
};

class ValueRanges {
 public:
  explicit ValueRanges(const Ssa& ssa);

  // At its definition.
  const ValueRange& of(ValueId value) const { return ranges_[value]; }
  // As it is known where `instruction` is executed: by the branches above it and its own guard.
  ValueRange at(ValueId value, const ir::Instruction& instruction) const;
  // Of a source operand: a register, an integer, a special register.
  ValueRange ofOperand(const ir::Instruction& instruction, const ir::Operand& operand,
                       unsigned bits) const;

  // What is known about `value` somewhere, by the branches.
  std::span<const Condition> conditions(ValueId value) const;
  // What the guard of an instruction says where it is executed.
  std::vector<Condition> guardConditions(const ir::Instruction& instruction) const;

  // The bits of a register as a number; 0 where it is none (predicates, vectors, 128 bits).
  unsigned bitsOf(ValueId value) const { return ranges_[value].bits; }

 private:
  class Solver;
  const Ssa* ssa_;
  std::vector<ValueRange> ranges_;
  std::vector<Condition> conditions_;  // by value
  std::vector<std::uint32_t> firstCondition_;
};

}  // namespace ptxopt::analysis
