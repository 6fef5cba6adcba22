// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads, by their ids, and the bytes on which two accesses of theirs meet.
//
// Where alias.h cannot rule out that different threads meet, this looks for small thread ids, and
// for small numbers of whatever else the addresses depend on, with which they do: so that a reader
// sees what a barrier is for.  Everything that is known holds for a witness: the ranges of values,
// the branches and guards above each access, the shape of the block, the size of the object, and
// how far two threads can be apart in a loop.  No witness does not mean that they never meet.
//
// Cost: bounded by Question::work, in steps of a few nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/addresses/alias.h"
#include "analysis/flow/dominators.h"

namespace ptxopt::analysis {

struct ConflictWitness {
  struct Side {
    std::array<std::uint32_t, 3> thread{};
    // Relative to the base, the last one included.
    Interval bytes;
    // The symbol, parameter or value that the address starts from; kNone: an absolute address.
    LeafId base = kNone;
  };
  // A number that had to be chosen.
  struct Choice {
    LeafId leaf = 0;
    // Of the first thread, of the second one: none where it is not asked.  Of a number that all
    // threads have, both.
    std::optional<std::int64_t> first, second;
  };
  Side first, second;
  // The shape of the block, if it is not known.
  std::optional<std::array<std::uint32_t, 3>> block;
  std::vector<Choice> choices;  // by leaf
  // False: they meet if both bases are the same address.
  bool isSameBase = true;
  // Every branch and guard above the accesses was looked at.
  bool isControlKnown = false;
  // Both threads provably get to their accesses: so it is, and nothing had to be chosen.
  bool isCertain = false;
};

struct WitnessQuestion {
  const Access* first = nullptr;
  const Access* second = nullptr;
  AliasAssumptions assumptions;
  bool areWarpsDifferent = false;  // of the two threads
  // Of the only function that both are in; for isControlKnown, and may be null.
  const PostDominators* postDominators = nullptr;
  // Whether the first thread may be in round `a` of a loop when the second one is in round `b`.
  // Null: nothing is known, and nothing is found where it matters.
  std::function<bool(LoopId, std::int64_t a, std::int64_t b)> mayMeetInRounds;
  std::uint64_t work = 2'000'000;
};

// Two different threads; the one with the smallest ids that the search comes across.  `spent`, if
// not null, is given the work that it took.
std::optional<ConflictWitness> findWitness(const WitnessQuestion& question,
                                           std::uint64_t* spent = nullptr);

}  // namespace ptxopt::analysis
