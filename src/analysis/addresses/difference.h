// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The difference of two addresses as a sum of digits, and what it can be: the arithmetic behind
// Ranges, Residues and Injective of alias.h (docs/soundness/ C8(ii), C8(iii)).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/addresses/alias.h"
#include "support/interval.h"

namespace ptxopt::analysis {

// coefficient * (a number of `values`), part of the difference of two addresses.
struct Digit {
  std::int64_t coefficient = 0;
  Interval values;
  // If not 0, a bit for each dimension of the thread id (thread_dimensions.h): the number is 0 only
  // if the threads agree in them.
  unsigned threadDimensions = 0;

  std::uint64_t size() const;  // of the coefficient
  std::uint64_t most() const;  // of the numbers, all ones if there is no bound
};

// The difference is constant + the sum of the digits, modulo 2^bits.
struct Difference {
  unsigned bits = 64;
  std::int64_t constant = 0;
  std::vector<Digit> digits;
  // Some of it is a difference of extended forms that has not been looked into.
  bool hasExtensions = false;
};

// The quotients of the first and of the last multiple of `unit` in a bounded interval; the last is
// before the first where there is none.
std::int64_t firstMultiple(Interval interval, std::int64_t unit);
std::int64_t lastMultiple(Interval interval, std::int64_t unit);

// Why constant + digits is never a number of `window`, modulo 2^bits: Ranges or Residues; None if
// it may be one.
AliasRule avoids(const Difference& difference, Interval window);

// Whether a number of `window` means that all thread ids agree in `dimensions`.
//
// Digits in ascending order of their coefficients are those of a mixed radix, if each coefficient
// is larger than all that smaller digits and the window can make up (C8(ii).3): then the largest
// digit that is not 0 cannot be compensated.  Digits without bounds are counted modulo the largest
// power of two that divides all of them; the ring is one more of these (C8(iii).1).
bool meansSameThread(const Difference& difference, Interval window, unsigned dimensions);

}  // namespace ptxopt::analysis
