// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dataflow solver: the one place where a fixed point over a flow graph is computed.
//
// A problem is a class with
//   using State = ...;                    // an element of the lattice, with operator==
//   static constexpr Direction kDirection;
//   State initial() const;                // the neutral element of meet(): nothing known yet
//   State boundary() const;               // what holds at the entry (Backward: at the exit)
//   void meet(State& into, const State& from) const;
//   void transfer(BlockId block, State& state) const;  // from before `block` to after it, in place
// "Before" and "after" are meant in the direction of the problem.  The lattice must have no
// infinite descending chains, meet() be its greatest lower bound and transfer() be monotone.
//
// Domains.  For sets over a universe, State is BitSet where denseFits(), else SharedSet, which has
// the same operations: 50,000 blocks times a million numbers would be 6 GB of bits, while shared
// sets cost a few hundred bytes for each place in which the set of a block differs from those of
// its neighbours.  Number the universe so that what changes together stands together, and leave out
// what does not cross a block border (see liveness.h).
//
// Algorithm: of the blocks one of whose predecessors changed since they were last visited, always
// the first in reverse postorder (of the reversed graph for a backward problem).  So a loop comes
// to rest before anything after it is looked at, and the states that meet differ little, which is
// what SharedSet wants; sweeps over all pending blocks (Kam and Ullman, 1976) need as few transfers
// but meet states of different ages.  An acyclic graph takes one transfer a block; sets with gen
// and kill about one more for each loop around a block; any problem at most height * E.  Kept in
// memory is one State a block, that after it; before() computes the other again from the
// predecessors.
//
// Blocks that the start does not reach keep initial(), and do not count at a meet.  For a backward
// problem there are none (see FlowGraph).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

#include "analysis/flow/flow_graph.h"
#include "support/bit_set.h"
#include "support/order.h"

namespace ptxopt::analysis {

template <class P>
concept DataflowProblem = requires(const P& problem, BlockId block, typename P::State& state,
                                   const typename P::State& other) {
  { P::kDirection } -> std::convertible_to<Direction>;
  { problem.initial() } -> std::same_as<typename P::State>;
  { problem.boundary() } -> std::same_as<typename P::State>;
  problem.meet(state, other);
  problem.transfer(block, state);
  { other == other } -> std::convertible_to<bool>;
};

// True if a bit for each number of the universe and each block is cheap: 8 MiB.
constexpr bool denseFits(std::size_t blocks, std::size_t universe) {
  constexpr std::size_t kMostBits = std::size_t{1} << 26;
  return universe == 0 || blocks <= kMostBits / universe;
}

template <DataflowProblem Problem>
class Dataflow {
 public:
  using State = typename Problem::State;

  // Solves.  The graph must outlive the object.
  Dataflow(const FlowGraph& graph, Problem problem)
      : graph_(&graph),
        problem_(std::move(problem)),
        order_(graph, start(), Problem::kDirection),
        after_(graph.vertexCount(), problem_.initial()) {
    const State none = problem_.initial();
    State state = none;
    BitSet pending(order_.vertices().size(), true);
    for (std::size_t at = 0; (at = pending.findNext(at)) != BitSet::kEnd;) {
      pending.reset(at);
      const BlockId block = order_.vertices()[at];
      if (block == start()) {
        state = problem_.boundary();
      } else {
        state = none;
      }
      meetPrevious(block, state);
      problem_.transfer(block, state);
      ++transfers_;
      if (state == after_[block]) continue;
      std::swap(after_[block], state);
      for (const BlockId next : graph.next(block, Problem::kDirection)) {
        const std::size_t position = order_.position(next);
        pending.set(position);
        at = std::min(at, position);
      }
    }
  }

  const Problem& problem() const { return problem_; }
  const State& after(BlockId block) const { return after_[block]; }
  // O(predecessors) meets.
  State before(BlockId block) const {
    State state = block == start() ? problem_.boundary() : problem_.initial();
    meetPrevious(block, state);
    return state;
  }
  // How many transfers it took.
  std::size_t transfers() const { return transfers_; }

 private:
  void meetPrevious(BlockId block, State& state) const {
    for (const BlockId previous : graph_->previous(block, Problem::kDirection)) {
      if (order_.contains(previous)) problem_.meet(state, after_[previous]);
    }
  }
  BlockId start() const {
    return Problem::kDirection == Direction::Forward ? graph_->entry() : graph_->exit();
  }

  const FlowGraph* graph_;
  Problem problem_;
  ReversePostorder order_;
  std::vector<State> after_;  // by block
  std::size_t transfers_ = 0;
};

}  // namespace ptxopt::analysis
