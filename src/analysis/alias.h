// May two accesses touch a common byte?
//
// The answer "yes" is the default.  "No" names the rule of docs/soundness.md that says so:
//   spaces (C3.2), objects (C3.3, C3.4), byte ranges of one object (C3.7, C8(iv)), residues (C3.7:
//   no multiple of the common divisor of what varies bridges the gap), and, where the threads
//   differ, one and the same thread on both sides (C8(i)), and injective addresses, block-strided
//   ones included (C8(ii), C8(iii)).
// An access stands for all its executions, in any iteration.  Between accesses of two functions
// only spaces, objects and byte ranges are compared.
//
// Cost: O(bases^2 + terms * log(terms)).
#pragma once

#include <cstdint>

#include "analysis/address.h"

namespace ptxopt::analysis {

// Facts that PTX does not promise; all off by default (docs/soundness.md C10).
struct AliasAssumptions {
  bool noaliasParams = false;  // memory behind distinct pointer parameters does not overlap
  bool flatShared = false;     // addresses may leave their .shared object (C3.3.10)
  bool oneRow = false;         // ntid.y = ntid.z = 1
};

enum class Threads : std::uint8_t {
  Same,       // both by one thread
  Different,  // by two threads of one CTA
  Any,
};

enum class AliasRule : std::uint8_t {
  None,  // they may overlap
  Spaces,
  Objects,
  Ranges,
  Residues,
  OneThread,
  Injective,
};
std::string_view spelling(AliasRule rule);  // "disjoint objects"

// Why no byte is touched by both, or None if one may be.  Local memory of one thread is not that of
// another.
AliasRule disjoint(const Access& a, const Access& b, Threads threads,
                   const AliasAssumptions& assumptions = {});

inline bool mayOverlap(const Access& a, const Access& b, Threads threads,
                       const AliasAssumptions& assumptions = {}) {
  return disjoint(a, b, threads, assumptions) == AliasRule::None;
}
// Every overlap, if there is any, is of one thread with itself.
inline bool sameThreadOnly(const Access& a, const Access& b,
                           const AliasAssumptions& assumptions = {}) {
  return !mayOverlap(a, b, Threads::Different, assumptions);
}
// Both are executed by one and the same thread of the CTA only, wherever they go (C8(i)).
bool singleThread(const Access& a, const Access& b, const AliasAssumptions& assumptions = {});

}  // namespace ptxopt::analysis
