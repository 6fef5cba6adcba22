// Linear forms as numbers: what each thread of a block computes, once the leaves that nothing is
// known about are given.
//
// Thread ids, extents of the block and lane ids follow from the thread; products, extensions and
// operations from what they are made of.  The rest are unknowns: parameters, values that were
// loaded, rounds of loops.  The lane id is the linear thread id modulo 32, as all GPUs have it.
//
// A program runs as a GPU would run it: a warp at a time, each step for all its threads, in loops
// that compilers make vector instructions of.
//
// Cost: O(leaves) to add a form, and to run the program for one warp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/address.h"
#include "analysis/interval.h"

namespace ptxopt::analysis {

using LaneMask = std::uint32_t;
template <class Number>
using OfLanes = std::array<Number, isa::kWarpSize>;

// The threads of one warp of a block.
struct WarpOfThreads {
  // The one with the linear ids from `number` times 32 on.
  WarpOfThreads(const std::array<std::uint32_t, 3>& block, std::uint32_t number);

  std::array<std::uint32_t, 3> block;
  std::uint32_t firstThread;                // its linear id
  LaneMask lanes;                           // that there are
  std::array<OfLanes<std::uint32_t>, 3> id;  // by dimension
};

// Those with an id in these intervals.
LaneMask lanesInside(const WarpOfThreads& warp, const std::array<Interval, 3>& ids);

// What a pure integer instruction computes.
class IntegerOperation {
 public:
  static constexpr std::size_t kMostSources = 4;
  // None for one that this does not compute.
  static std::optional<IntegerOperation> of(const isa::Form& form);

  std::size_t sourceCount() const { return sourceCount_; }
  // `sources`: sourceCount() residues that are at least as wide as it wants them.  None where the
  // result is not defined.
  std::optional<std::uint64_t> evaluate(std::span<const std::uint64_t> sources) const;
  // The same for each lane; returns those for which the result is defined.
  using Sources = std::array<const OfLanes<std::uint64_t>*, kMostSources>;
  LaneMask evaluate(const Sources& sources, OfLanes<std::uint64_t>& results) const;

 private:
  enum class Half : std::uint8_t { Low, High, Wide };

  std::optional<std::uint64_t> evaluateAs(isa::Opcode opcode,
                                          std::span<const std::uint64_t> sources) const;

  isa::Opcode opcode_{};
  Half half_ = Half::Low;  // of a product
  bool isSigned_ = false;
  std::uint8_t bits_ = 0;
  std::uint8_t sourceCount_ = 0;
};

class FormProgram {
 public:
  using Expression = std::uint32_t;

  // `addresses` must outlive the object.
  explicit FormProgram(const Addresses& addresses) : addresses_(&addresses) {}

  // The leaf has this number, whatever is known of it.  Before a form with it is added.
  void fix(LeafId leaf, std::int64_t number) { fixed_[leaf] = number; }
  // The form without the terms of some leaves.  None where it cannot be computed.
  std::optional<Expression> add(FormId form, std::span<const LeafId> without = {});
  // None as well where it takes an unknown that is not there yet, or the lane.
  std::optional<Expression> addKnown(FormId form);
  Expression addConstant(std::uint64_t number);
  // In the order in which they came in.
  std::span<const LeafId> unknowns() const { return unknowns_; }

  // Of the other lanes one of the leaves is a number that it cannot be.
  struct Outcome {
    LaneMask done = 0;
    LaneMask undefined = 0;  // no number is known
  };
  // `numbers`: of unknowns().
  Outcome run(const WarpOfThreads& warp, std::span<const std::int64_t> numbers);
  // After a run, of the lanes that are done.
  const OfLanes<std::uint64_t>& residuesOf(Expression expression) const {
    return sums_[expression];
  }
  // Null for a leaf that is not part of it.
  const OfLanes<std::int64_t>* numbersOf(LeafId leaf) const;
  // Some of it is a function of %laneid.
  bool dependsOnLane() const;
  std::size_t size() const { return nodes_.size() + sums_.size(); }

 private:
  // Leaves and sums stand behind all that they are made of.
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
    LeafId leaf = 0;
    Kind kind = Kind::Unknown;
    bool isSigned = false;         // of an Extension; of an Operation: its result is sign-extended
    std::uint8_t bits = 64;        // of what an Extension is made from; of the leaf of an Operation
    std::uint8_t resultBits = 64;  // of an Operation
    std::uint32_t index = 0;
    std::int64_t number = 0;
    Interval interval;  // it can be no other number
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
  LaneMask compute(const Node& node, const WarpOfThreads& warp,
                   std::span<const std::int64_t> numbers, OfLanes<std::int64_t>& values) const;

  const Addresses* addresses_;
  std::unordered_map<LeafId, std::int64_t> fixed_;
  std::unordered_map<LeafId, std::uint32_t> nodeOf_;
  std::vector<Node> nodes_;
  std::vector<Sum> code_;
  std::vector<Step> steps_;
  std::vector<LeafId> unknowns_;
  std::vector<OfLanes<std::int64_t>> values_;  // by node
  std::vector<OfLanes<std::uint64_t>> sums_;   // by expression
  unsigned nesting_ = 0;
  bool isInOperation_ = false;
};

}  // namespace ptxopt::analysis
