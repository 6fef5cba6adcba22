// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds two threads, by their ids, and the bytes that two accesses of theirs have in common.
//
// If alias.h cannot exclude a conflict between different threads, this searches for small thread
// ids, and small values of the other numbers in the addresses, for which the accesses overlap: in a
// block of one row if there is such an example.
// Such a witness shows a reader what a barrier is for.  It satisfies everything that is known: the
// ranges of values, the branches and guards above each access, the shape of the block, the size of
// the object, and how far apart two threads can be in a loop.  Rows of matrices, which one lane
// names and lanes of its warp access, are compared with accesses of other warps.  If no
// witness is found, the accesses may still overlap.
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
    // Relative to the base; both ends are included.
    Interval bytes;
    // The symbol, parameter or value from which the address starts; None: an absolute address.
    LeafId base = LeafId::None;
    bool isOfWarp = false;  // the thread names the bytes, and its warp accesses them
  };
  // What a loop variable is in the rounds that were chosen.
  struct LoopVariable {
    LeafId leaf = LeafId::None;
    std::optional<std::int64_t> first, second;
  };
  // A value that the search chose: of a leaf, or the round of a loop, from 0.
  struct Choice {
    LeafId leaf = LeafId::None;
    LoopId loop = LoopId::None;
    // For the first and for the second thread; none if that thread does not need the value.  Both
    // are set for a value that all threads share.
    std::optional<std::int64_t> first, second;
    std::vector<LoopVariable> variables;  // of the loop
    bool isOfAddress = false;             // the bytes depend on it, not only the branches
  };
  Side first, second;
  // The chosen shape of the block, if it is not known.
  std::optional<std::array<std::uint32_t, 3>> block;
  std::vector<Choice> choices;  // by leaf
  // False: they overlap if both bases are the same address.
  bool isSameBase = true;
  // All branches and guards above the accesses were taken into account.
  bool isControlKnown = false;
  // Both threads provably reach their accesses: the conflict is real, and no value had to be
  // chosen.
  bool isCertain = false;
};

struct WitnessQuestion {
  const Access* first = nullptr;
  const Access* second = nullptr;
  AliasAssumptions assumptions;
  bool areWarpsDifferent = false;  // requires the two threads to be in different warps
  bool isOneRow = false;           // chooses no block of several rows
  // Of the function that both accesses are in, if there is only one; both may be null.  The first
  // is needed for isControlKnown, the second for the numbers of loop variables.
  const PostDominators* postDominators = nullptr;
  const Loops* loops = nullptr;
  // Whether the first thread may be in iteration `a` of a loop while the second one is in iteration
  // `b`.  Null: nothing is known, and no witness is found if it matters.
  std::function<bool(LoopId, std::int64_t a, std::int64_t b)> mayMeetInRounds;
  // Whether some barrier in the loop, or the one in question, separates its rounds.  Null: none.
  std::function<bool(LoopId)> separatesRounds;
  std::uint64_t work = 2'000'000;
};

// Finds two different threads, with the smallest ids that the search meets.  If `spent` is not
// null, it receives the work done.
std::optional<ConflictWitness> findWitness(const WitnessQuestion& question,
                                           std::uint64_t* spent = nullptr);

}  // namespace ptxopt::analysis
