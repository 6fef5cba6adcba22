// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// May two accesses touch a common byte?
//
// "Yes" is the default.  "No" names the rule of docs/soundness/ that says so:
//   Spaces     their state spaces have nothing in common (C3.1, C3.2)
//   Objects    they stay in different objects (C3.3, C3.4)
//   Ranges     their byte ranges have a gap between them (C3.7, C8(iv))
//   Residues   what varies is a multiple of some number that bridges no gap (C3.7)
// and between different threads
//   OneThread  one and the same thread executes both (C8(i).1)
//   OneLeader  the elected leader of one warp executes both (C8(i).2)
//   Injective  equal bytes mean equal threads: distinct digits of a mixed radix, block-strided
//   loops
//              included (C8(ii), C8(iii))
// and between different warps, of a block whose shape is known, by the same rules
//   OneWarp        threads of one and the same warp execute both (C8.3.6)
//   WarpInjective  equal bytes mean equal warps (C8.3.6)
// An access stands for all its executions, in any round of any loop.  Of accesses of two functions
// only spaces, objects and byte ranges are compared.
//
// Cost: O(bases^2 + terms * log(terms)), no memory kept.
#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/addresses/address.h"

namespace ptxopt::analysis {

// Facts that PTX does not promise; all off by default (docs/soundness/ C10).
struct AliasAssumptions {
  bool noaliasParams = false;     // what distinct pointer parameters point to does not overlap
  bool noaliasVariables = false;  // no pointer parameter points into a variable
  bool flatShared = false;        // addresses may leave their .shared object (C3.3.10)
};

enum class Threads : std::uint8_t {
  Same,            // both by one thread
  Different,       // by two threads of one CTA
  DifferentWarps,  // by threads of two warps of one CTA
  Any,
  OfOneRow,  // by two threads of a CTA of one row: tid.y = tid.z = 0
};

enum class AliasRule : std::uint8_t {
  None,
  Spaces,
  Objects,
  Ranges,
  Residues,
  OneThread,
  OneLeader,
  Injective,
  OneWarp,
  WarpInjective,
  RaceFree,     // else a store that all threads execute would be a race (C8.2); AccessClasses
  FarPointers,  // the kernel is launched with pointers that are far enough apart; AccessClasses
};
std::string_view spelling(AliasRule rule);  // "different objects"

// Equal numbers are equal addresses: they belong to one window.  Generic addresses of global memory
// are the addresses themselves (C3.2).
bool haveOneWindow(const Access& a, const Access& b);

// Why no byte is touched by both; None if one may be.
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
// `store` is executed by all threads that execute `other`, always from one address for each thread.
// If a thread touches a byte by `other` that another one touches by `store`, then two threads touch
// a byte by `store` (docs/soundness/ C8.2).
bool overlapIsOfStore(const Access& store, const Access& other);
// Why one and the same thread of the CTA, which has one row if `threads` says so, executes both,
// wherever they go: OneThread or OneLeader; None if it may be two.
AliasRule singleThread(const Access& a, const Access& b, Threads threads = Threads::Different);

}  // namespace ptxopt::analysis
