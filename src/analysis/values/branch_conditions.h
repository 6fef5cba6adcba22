// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What branches and guards say about values: integer comparisons that hold in a block, on an edge,
// or where a guarded instruction is executed.
//
// A predicate is followed through setp (with .and and .or), and.pred, or.pred and not.pred, a few
// steps deep.  What holds on an edge holds in the target too, and in all that it dominates, if
// there is no other way into it.
//
// Cost: O(blocks + conditions).
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
Comparison swapped(Comparison comparison);  // of b and a, where it was of a and b
// Of numbers of `bits` bits.
bool holds(Comparison comparison, std::uint64_t a, std::uint64_t b, unsigned bits);
// What a setp of integers compares; none for any other instruction.
std::optional<Comparison> comparisonOf(const isa::InstructionDesc& desc);

// A value as a number of `bits` bits compares so with `other`.
struct Condition {
  Comparison comparison = Comparison::Equal;
  std::uint8_t bits = 0;
  ValueId value = kNone;
  // The right side: a register, an integer or a special register.
  const ir::Operand* other = nullptr;
  ValueId otherValue = kNone;  // of a register
};

class BranchConditions {
 public:
  explicit BranchConditions(const Ssa& ssa);

  // A condition on a value, and the block in which, and in all that it dominates, it holds.
  struct Placed {
    Condition condition;
    BlockId block = kNone;
  };
  std::span<const Placed> ofValue(ValueId value) const {
    return slice(byValue_, firstOfValue_, value);
  }
  // Those that begin to hold in this block.
  std::span<const Placed> ofBlock(BlockId block) const {
    return slice(byBlock_, firstOfBlock_, block);
  }
  // What holds where the edge is taken, by its branch alone.
  std::span<const Condition> ofEdge(EdgeId edge) const {
    return std::span(byEdge_).subspan(firstOfEdge_[edge],
                                      firstOfEdge_[edge + 1] - firstOfEdge_[edge]);
  }
  // What holds where the instruction is executed, by its guard alone.
  std::vector<Condition> ofGuard(const ir::Instruction& instruction) const;

 private:
  void addOfEdge(EdgeId edge);
  void addIf(ValueId predicate, bool holds, unsigned depth, std::vector<Condition>& found) const;
  void addComparison(const ir::Instruction& setp, bool holds, std::vector<Condition>& found) const;
  static std::span<const Placed> slice(const std::vector<Placed>& all,
                                       const std::vector<std::uint32_t>& first, std::uint32_t k) {
    return std::span(all).subspan(first[k], first[k + 1] - first[k]);
  }

  const Ssa* ssa_;
  std::vector<Condition> byEdge_;
  std::vector<std::uint32_t> firstOfEdge_;  // one more than there are edges
  std::vector<Placed> byValue_;
  std::vector<std::uint32_t> firstOfValue_;  // one more than there are values
  std::vector<Placed> byBlock_;
  std::vector<std::uint32_t> firstOfBlock_;  // one more than there are vertices
};

template <>
struct InputsOf<BranchConditions> {
  using type = Inputs<Ssa>;
};

}  // namespace ptxopt::analysis
