// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What integer instructions make of numbers of which intervals and bits are known (ValueRange).
//
// The unsigned interval, the signed one and the bits are computed each by itself; then what one
// part says is made to count for the others.  An interval that may wrap says nothing.
//
// Source: known bits (LLVM's KnownBits), and intervals of machine integers (Navas, Schachte,
// Sondergaard, Stuckey: "Signedness-Agnostic Program Analysis", 2012), here one for each reading.
// Cost: O(1).
#pragma once

#include <bit>
#include <cstdint>

#include "analysis/values/value_range.h"
#include "support/residue.h"

namespace ptxopt::analysis {

inline std::uint64_t maskOf(unsigned bits) {
  return residue(~std::uint64_t{0}, bits);
}
inline std::int64_t leastSigned(unsigned bits) {
  return signedResidue(std::uint64_t{1} << (bits - 1), bits);
}
inline std::int64_t greatestSigned(unsigned bits) {
  return static_cast<std::int64_t>(maskOf(bits) >> 1);
}

// How many low bits of `range` are known.
inline unsigned knownLowBits(const ValueRange& range) {
  return static_cast<unsigned>(std::countr_one(range.zeros | range.ones));
}

// What one part says counts for the others too.  For parts that cannot contradict each other,
// because the value exists.
ValueRange tightened(ValueRange range);

// Of two numbers of one width.
ValueRange add(const ValueRange& a, const ValueRange& b);
ValueRange subtract(const ValueRange& a, const ValueRange& b);
ValueRange multiply(const ValueRange& a, const ValueRange& b);
ValueRange divide(const ValueRange& a, const ValueRange& b, bool isSigned);
ValueRange remainder(const ValueRange& a, const ValueRange& b, bool isSigned);
ValueRange extreme(const ValueRange& a, const ValueRange& b, bool isMax, bool isSigned);

enum class Logic : std::uint8_t { And, Or, Xor };
ValueRange combine(Logic logic, const ValueRange& a, const ValueRange& b);
ValueRange complement(const ValueRange& a);
// Amounts are of 32 bits.
ValueRange shiftLeft(const ValueRange& a, const ValueRange& amount);
ValueRange shiftRight(const ValueRange& a, const ValueRange& amount, bool isSigned);
ValueRange extractBits(const ValueRange& a, const ValueRange& position, const ValueRange& length,
                       bool isSigned);

// The low bits of `a`.
ValueRange truncate(const ValueRange& a, unsigned bits);
ValueRange extend(const ValueRange& a, unsigned bits, bool isSigned);
ValueRange resize(const ValueRange& a, unsigned bits, bool isSigned);

// All numbers for which the comparison with one of `other` can hold.
ValueRange ofComparison(Comparison comparison, const ValueRange& other);
// `range` without the number `value`, where that is a bound.
ValueRange without(ValueRange range, const ValueRange& value);

}  // namespace ptxopt::analysis
