// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about values that branches and guards imply: integer comparisons that hold in a block, on
// an edge, or whenever a guarded instruction is executed.
//
// A predicate is followed a few levels deep through setp (with .and and .or), and.pred, or.pred and
// not.pred.  A condition that holds on an edge also holds in the target and in all blocks that it
// dominates, if the target has no other predecessor, but those that it dominates.
//
// Cost: O(blocks + edges + conditions).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/values/ssa.h"

namespace ptxopt::analysis {

enum class Comparison : std::uint8_t {
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  UnsignedLess,
  UnsignedLessEqual,
  UnsignedGreater,
  UnsignedGreaterEqual,
};
Comparison negated(Comparison comparison);
Comparison swapped(Comparison comparison);  // from a comparison of a and b, the one of b and a
// For numbers of `bits` bits.
bool holds(Comparison comparison, std::uint64_t a, std::uint64_t b, unsigned bits);
// The comparison of an integer setp; none for any other instruction.
std::optional<Comparison> comparisonOf(const isa::InstructionDesc& desc);

// The comparison holds between a value, as a number of `bits` bits, and `other`.
struct Condition {
  Comparison comparison = Comparison::Equal;
  std::uint8_t bits = 0;
  ValueId value = ValueId::None;
  // The right side: a register, an integer or a special register.
  const ir::Operand* other = nullptr;
  ValueId otherValue = ValueId::None;  // if it is a register
};

class BranchConditions {
 public:
  explicit BranchConditions(const Ssa& ssa);

  // A condition on a value.  It holds in the block and in all blocks that the block dominates.
  struct Placed {
    Condition condition;
    BlockId block = BlockId::None;
  };
  std::span<const Placed> ofValue(ValueId value) const {
    return slice(byValue_, firstOfValue_, indexOf(value));
  }
  // The conditions that hold in this block but not in its immediate dominator.
  std::span<const Placed> ofBlock(BlockId block) const {
    return slice(byBlock_, firstOfBlock_, indexOf(block));
  }
  // The conditions that hold when the edge is taken, from its branch alone.
  std::span<const Condition> ofEdge(EdgeId edge) const {
    return std::span(byEdge_).subspan(firstOfEdge_[edge],
                                      firstOfEdge_[edge + 1] - firstOfEdge_[edge]);
  }
  // The conditions that hold when the instruction is executed, from its guard alone.
  std::vector<Condition> ofGuard(const ir::Instruction& instruction) const;
  // The conditions that hold when the predicate is `holds`.
  std::vector<Condition> ofPredicate(ValueId predicate, bool holds) const;

 private:
  void addOfEdge(EdgeId edge);
  std::optional<EdgeId> onlyWayInto(BlockId block) const;
  void addIf(ValueId predicate, bool holds, unsigned depth, std::vector<Condition>& found) const;
  void addComparison(const ir::Instruction& setp, Comparison comparison,
                     std::vector<Condition>& found) const;
  static std::span<const Placed> slice(const std::vector<Placed>& all,
                                       const std::vector<std::uint32_t>& first, std::uint32_t k) {
    return std::span(all).subspan(first[k], first[k + 1] - first[k]);
  }

  const Ssa* ssa_;
  std::vector<Condition> byEdge_;
  std::vector<std::uint32_t> firstOfEdge_;  // one element more than there are edges
  std::vector<Placed> byValue_;
  std::vector<std::uint32_t> firstOfValue_;  // one element more than there are values
  std::vector<Placed> byBlock_;
  std::vector<std::uint32_t> firstOfBlock_;  // one element more than there are vertices
};

template <>
struct InputsOf<BranchConditions> {
  using type = Inputs<Ssa>;
};

}  // namespace ptxopt::analysis
