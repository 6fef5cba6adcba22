// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dataflow solver.  Every fixpoint over a flow graph is computed here.
//
// A problem is a class with
//   using State = ...;                    // an element of the lattice, with operator==
//   static constexpr Direction kDirection;
//   State initial() const;                // the neutral element of meet(): nothing known yet
//   State boundary() const;               // what holds at the entry (Backward: at the exit)
//   void meet(State& into, const State& from) const;
//   void transfer(BlockId block, State& state) const;  // from before `block` to after it, in place
// "Before" and "after" follow the direction of the problem.  The lattice must have no infinite
// descending chains, meet() must be its greatest lower bound, and transfer() must be monotone.
//
// Domains.  For sets over a universe, State is BitSet if denseFits(), else SharedSet, which has the
// same operations.  50,000 blocks times a million numbers would be 6 GB of bits, while shared sets
// cost a few hundred bytes for each difference between the sets of neighbouring blocks.  Give
// neighbouring numbers to elements that change together, and leave out elements that do not cross a
// block border (see liveness.h).
//
// Algorithm: among the blocks with a predecessor that changed since their last visit, the solver
// always takes the first in reverse postorder (of the reversed graph for a backward problem).  So a
// loop reaches its fixpoint before any block after it is visited, and the states that meet differ
// little, which suits SharedSet.  Sweeps over all pending blocks (Kam and Ullman, 1976) need as few
// transfers but meet states of different ages.  An acyclic graph takes one transfer per block;
// gen/kill sets about one more for each loop around a block; any problem at most height * E.  The
// solver keeps one State per block, the one after it; before() computes the one before it from the
// predecessors.
//
// Blocks that the start does not reach keep initial() and are ignored by meets.  A backward problem
// has no such blocks (see FlowGraph).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

#include "analysis/flow/flow_graph.h"
#include "support/bit_set.h"
#include "support/ids.h"
#include "support/limits.h"

namespace ptxopt::analysis {

template <class P>
concept DataflowProblem = requires(const P& problem, BlockId block, typename P::State& state,
                                   const typename P::State& other) {
  { P::kDirection } -> std::convertible_to<Direction>;
  { problem.initial() } -> std::same_as<typename P::State>;
  { problem.boundary() } -> std::same_as<typename P::State>;
  problem.meet(state, other);
  problem.transfer(block, state);
  { other == other } -> std::convertible_to<bool>;  // NOLINT(misc-redundant-expression)
};

// True if one bit for each block and element of the universe takes at most 8 MiB.
inline bool denseFits(std::size_t blocks, std::size_t universe) {
  return universe == 0 || !exceeds(blocks, most(Limit::DenseBits) / universe, Limit::DenseBits);
}

template <DataflowProblem Problem>
class Dataflow {
 public:
  using State = typename Problem::State;

  // Solves the problem.  The graph must outlive the object.
  Dataflow(const FlowGraph& graph, Problem problem)
      : graph_(&graph),
        problem_(std::move(problem)),
        order_(graph, start(), Problem::kDirection),
        after_(graph.vertexCount(), problem_.initial()) {
    const State none = problem_.initial();
    State state = none;
    BitSet pending(order_.blocks().size(), true);
    for (std::size_t at = 0; (at = pending.findNext(at)) != BitSet::kEnd;) {
      pending.reset(at);
      const BlockId block = order_.blocks()[at];
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
  // The number of transfers that the solver needed.
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
  BlockOrder order_;
  IdVector<BlockId, State> after_;
  std::size_t transfers_ = 0;
};

}  // namespace ptxopt::analysis
