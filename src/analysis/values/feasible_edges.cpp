// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/feasible_edges.h"

#include <algorithm>

#include "analysis/values/linear_form.h"

namespace ptxopt::analysis {

namespace {

// The comparison holds for some numbers of these ranges.
bool mayCompare(Comparison comparison, const ValueRange& a, const ValueRange& b) {
  switch (comparison) {
    case Comparison::Equal:
      return a.lowest <= b.highest && b.lowest <= a.highest && (a.ones & b.zeros) == 0 &&
             (a.zeros & b.ones) == 0;
    case Comparison::NotEqual:
      return !a.isConstant() || !b.isConstant() || a.lowest != b.lowest;
    case Comparison::Less:
      return a.signedLowest < b.signedHighest;
    case Comparison::LessEqual:
      return a.signedLowest <= b.signedHighest;
    case Comparison::Greater:
      return a.signedHighest > b.signedLowest;
    case Comparison::GreaterEqual:
      return a.signedHighest >= b.signedLowest;
    case Comparison::UnsignedLess:
      return a.lowest < b.highest;
    case Comparison::UnsignedLessEqual:
      return a.lowest <= b.highest;
    case Comparison::UnsignedGreater:
      return a.highest > b.lowest;
    case Comparison::UnsignedGreaterEqual:
      return a.highest >= b.lowest;
  }
  return true;
}

}  // namespace

// `edge` is an incoming edge of `block`, or kNone.
ValueRange FeasibleEdges::after(EdgeId edge, ValueId value, BlockId block) const {
  if (edge == kNone) return ranges_.at(value, block);
  const Cfg& cfg = ssa_.cfg();
  const BlockId source = cfg.source(edge);
  if (ssa_.block(value) != block) return ranges_.at(value, source);
  if (!ssa_.isPhi(value)) return ranges_.at(value, block);
  const auto edges = cfg.inEdges(block);
  const auto k = static_cast<std::size_t>(std::ranges::find(edges, edge) - edges.begin());
  const auto operands = ssa_.phiOperands(value);
  if (k >= edges.size() || k >= operands.size() || operands[k] == ValueId::None) {
    return ranges_.at(value, block);
  }
  return ranges_.at(operands[k], source);
}

// A comparison of a number with itself: its value does not matter (docs/soundness/ C2.7.1).
bool FeasibleEdges::isFalseOfItself(const Condition& condition) const {
  if (condition.value != condition.otherValue) return false;
  // An undefined value may differ at each read.
  if (ssa_.kind(condition.value) == Ssa::Kind::Entry) return false;
  return !holds(condition.comparison, 0, 0, condition.bits);
}

bool FeasibleEdges::mayHold(const Condition& condition, EdgeId edge, BlockId block) const {
  if (isFalseOfItself(condition)) return false;
  const ValueRange left = after(edge, condition.value, block);
  ValueRange right;
  if (condition.otherValue != ValueId::None) {
    right = after(edge, condition.otherValue, block);
  } else if (condition.other->kind == ir::OperandKind::Integer) {
    right = ValueRange::of(
        residue(static_cast<std::uint64_t>(condition.other->immediate), condition.bits),
        condition.bits);
  }
  if (left.bits != condition.bits || right.bits != condition.bits) return true;
  return mayCompare(condition.comparison, left, right);
}

bool FeasibleEdges::isEverTaken(EdgeId edge) const {
  return mayHold(ranges_.conditions().ofEdge(edge), ssa_.cfg().source(edge));
}

bool FeasibleEdges::mayHold(std::span<const Condition> conditions, BlockId block) const {
  return std::ranges::all_of(
      conditions, [&](const Condition& condition) { return mayHold(condition, kNone, block); });
}

bool FeasibleEdges::mayFollow(EdgeId first, EdgeId second) const {
  const std::span<const Condition> conditions = ranges_.conditions().ofEdge(second);
  return std::ranges::all_of(conditions, [&](const Condition& condition) {
    return mayHold(condition, first, ssa_.cfg().source(second));
  });
}

}  // namespace ptxopt::analysis
