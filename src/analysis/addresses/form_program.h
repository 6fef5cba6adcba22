// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates linear forms: computes the value that each thread of a block gets, for given values of
// the leaves about which nothing is known.
//
// Thread ids, extents of the block and lane ids follow from the thread; products, extensions and
// operations from their operands.  The other leaves are unknowns: parameters, loaded values,
// iteration counts of loops.  The lane id is the linear thread id modulo 32, as on all GPUs.
//
// A program runs like on a GPU: each step is executed for all threads of a warp, in loops that
// compilers vectorize, and for all warps before the next step.  So forms can be added to a program
// that has already run, and only the new steps are executed.
//
// Cost: O(leaves) to add a form, and to run the program for one warp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/addresses/address.h"
#include "analysis/values/integer_operation.h"
#include "support/interval.h"

namespace ptxopt::analysis {

// The threads of one warp of a block.
struct WarpOfThreads {
  // The warp whose linear ids start at `number` times 32.
  WarpOfThreads(const std::array<std::uint32_t, 3>& block, std::uint32_t number);

  std::array<std::uint32_t, 3> block;
  std::uint32_t firstThread;                 // its linear id
  LaneMask lanes;                            // the lanes that exist
  std::array<OfLanes<std::uint32_t>, 3> id;  // by dimension
};

std::vector<WarpOfThreads> warpsOf(const std::array<std::uint32_t, 3>& block);
// The lanes whose ids lie in these intervals.
LaneMask lanesInside(const WarpOfThreads& warp, const std::array<Interval, 3>& ids);
LaneMask lanesOfZeros(const OfLanes<std::uint64_t>& numbers);
LaneMask lanesWhereHolds(Comparison comparison, unsigned bits, const OfLanes<std::uint64_t>& left,
                         const OfLanes<std::uint64_t>& right);

class FormProgram {
 public:
  using Expression = std::uint32_t;

  // `addresses` must outlive the object.
  explicit FormProgram(const Addresses& addresses) : addresses_(&addresses) {}

  // Gives the leaf this value, whatever is known about it.  Call it before adding a form with this
  // leaf.
  void fix(LeafId leaf, std::int64_t number) { fixed_[leaf] = number; }
  // The form without the terms of some leaves.  None if it cannot be computed.
  std::optional<Expression> add(FormId form, std::span<const LeafId> without = {});
  // Like add(), but none also if the form needs a new unknown, or the lane.
  std::optional<Expression> addKnown(FormId form, std::span<const LeafId> without = {});
  Expression addConstant(std::uint64_t number);
  // In the order in which they were added.
  std::span<const LeafId> unknowns() const { return unknowns_; }

  // Runs the program for these warps.  `numbers` are the values of unknowns().
  void run(std::span<const WarpOfThreads> warps, std::span<const std::int64_t> numbers);
  // Runs the steps added since the last run, for the same warps, without unknowns.  Earlier
  // expressions can no longer be queried.
  void runRest(std::span<const WarpOfThreads> warps);

  // The result of an evaluation, for the threads of a warp.
  struct Outcome {
    LaneMask done = 0;
    LaneMask undefined = 0;  // no value is known
    // In a lane with neither bit, some leaf would have a value outside of its interval.

    // Combines this outcome with that of a following evaluation.
    void meet(const Outcome& other) {
      undefined |= done & other.undefined;
      done &= other.done;
    }
  };
  // After a run: the outcome of an expression with all its operands.  `warp` is an index into the
  // list of warps given to run().
  const Outcome& outcomeOf(Expression expression, std::size_t warp) const {
    return sumOutcomes_[(expression - firstSum_) * warps_ + warp];
  }
  Outcome outcomeOfRun(std::size_t warp) const;  // of all expressions
  // Valid for the lanes in `done`.
  const OfLanes<std::uint64_t>& residuesOf(Expression expression, std::size_t warp) const {
    return sums_[(expression - firstSum_) * warps_ + warp];
  }
  // The lanes in `done` in which the leaf has none of these values.  No lanes if the program does
  // not contain the leaf.
  LaneMask lanesOutside(LeafId leaf, const Interval& numbers, std::size_t warp) const;
  // Some expression depends on %laneid.
  bool dependsOnLane() const;
  std::size_t size() const { return nodes_.size() + code_.size(); }
  // Some form was not added because the program reached its largest size.
  bool isFull() const { return isFull_; }

 private:
  // A node comes after the nodes and expressions that it is made of.
  struct Node {
    enum class Kind : std::uint8_t {
      Unknown,   // index in unknowns_
      Fixed,     // number
      ThreadId,  // index: dimension
      Extent,    // index: dimension
      Lane,
      Product,    // of inputs
      Extension,  // of the expression inputs[0]
      Operation,  // of the expressions in inputs
    };
    LeafId leaf = LeafId::None;
    Kind kind = Kind::Unknown;
    bool isSigned = false;         // of an Extension; of an Operation: its result is sign-extended
    std::uint8_t bits = 64;        // of the source of an Extension; of the leaf of an Operation
    std::uint8_t resultBits = 64;  // of an Operation
    std::uint32_t index = 0;
    std::int64_t number = 0;
    Interval interval;  // its value lies in it
    std::optional<IntegerOperation> operation;
    std::vector<std::uint32_t> inputs;
  };
  struct Sum {
    unsigned bits = 64;
    std::uint64_t constant = 0;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> terms;  // node, coefficient
  };
  struct Step {
    bool isSum = false;
    std::uint32_t index = 0;
  };

  struct Mark {
    std::size_t nodes = 0, sums = 0, steps = 0, unknowns = 0;
  };
  Mark mark() const { return {nodes_.size(), code_.size(), steps_.size(), unknowns_.size()}; }
  void cutBack(const Mark& mark);
  std::optional<Expression> addSum(FormId form, std::span<const LeafId> without);
  std::optional<std::uint32_t> node(LeafId leaf);
  bool complete(Node& node, const Leaf& leaf);
  bool setSpecial(Node& node, const Leaf& leaf);
  void runSteps(std::span<const WarpOfThreads> warps, std::span<const std::int64_t> numbers);
  void computeSum(const Sum& sum, std::uint32_t index, const WarpOfThreads& warp,
                  std::size_t number);
  void computeNode(const Node& node, std::uint32_t index, const WarpOfThreads& warp,
                   std::size_t number, std::span<const std::int64_t> numbers);
  LaneMask evaluate(const Node& node, const WarpOfThreads& warp, std::size_t number,
                    std::span<const std::int64_t> numbers, OfLanes<std::int64_t>& values) const;

  const Addresses* addresses_;
  std::unordered_map<LeafId, std::int64_t> fixed_;
  std::unordered_map<LeafId, std::uint32_t> nodeOf_;
  std::vector<Node> nodes_;
  std::vector<Sum> code_;
  std::vector<Step> steps_;
  std::vector<LeafId> unknowns_;
  std::size_t warps_ = 0;                      // of the last run
  std::size_t executed_ = 0;                   // steps, up to now
  std::size_t summed_ = 0;                     // expressions, up to now
  std::size_t firstSum_ = 0;                   // of those computed in the last run
  std::vector<OfLanes<std::int64_t>> values_;  // by node and warp
  std::vector<Outcome> nodeOutcomes_;
  std::vector<OfLanes<std::uint64_t>> sums_;  // by expression, from the first one on, and warp
  std::vector<Outcome> sumOutcomes_;
  unsigned nesting_ = 0;
  bool isInOperation_ = false;
  bool isFull_ = false;
};

}  // namespace ptxopt::analysis
