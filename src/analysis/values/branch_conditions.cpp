// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/branch_conditions.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/values/linear_form.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using isa::Opcode;

bool isInteger(isa::Type type) {
  const int bits = isa::bitWidth(type);
  return !isa::isFloat(type) && (bits == 16 || bits == 32 || bits == 64);
}

// For integers of `type`; none for a word that is not a comparison.
std::optional<Comparison> comparisonOf(std::string_view word, isa::Type type) {
  const bool isUnsigned = !isa::isSigned(type);
  const auto pick = [&](Comparison ofSigned, Comparison ofUnsigned) {
    return isUnsigned ? ofUnsigned : ofSigned;
  };
  if (word == ".eq") return Comparison::Equal;
  if (word == ".ne") return Comparison::NotEqual;
  if (word == ".lt") return pick(Comparison::Less, Comparison::UnsignedLess);
  if (word == ".le") return pick(Comparison::LessEqual, Comparison::UnsignedLessEqual);
  if (word == ".gt") return pick(Comparison::Greater, Comparison::UnsignedGreater);
  if (word == ".ge") return pick(Comparison::GreaterEqual, Comparison::UnsignedGreaterEqual);
  if (!isUnsigned) return std::nullopt;
  if (word == ".lo") return Comparison::UnsignedLess;
  if (word == ".ls") return Comparison::UnsignedLessEqual;
  if (word == ".hi") return Comparison::UnsignedGreater;
  if (word == ".hs") return Comparison::UnsignedGreaterEqual;
  return std::nullopt;
}

}  // namespace

std::optional<Comparison> comparisonOf(const isa::InstructionDesc& desc) {
  if (desc.opcode != Opcode::Setp || !desc.known() || !isInteger(desc.type) ||
      desc.qualifiers.empty()) {
    return std::nullopt;
  }
  return comparisonOf(desc.qualifiers.front(), desc.type);
}

bool holds(Comparison comparison, std::uint64_t a, std::uint64_t b, unsigned bits) {
  const std::int64_t x = signedResidue(a, bits);
  const std::int64_t y = signedResidue(b, bits);
  a = residue(a, bits);
  b = residue(b, bits);
  switch (comparison) {
    case Comparison::Equal:
      return a == b;
    case Comparison::NotEqual:
      return a != b;
    case Comparison::Less:
      return x < y;
    case Comparison::LessEqual:
      return x <= y;
    case Comparison::Greater:
      return x > y;
    case Comparison::GreaterEqual:
      return x >= y;
    case Comparison::UnsignedLess:
      return a < b;
    case Comparison::UnsignedLessEqual:
      return a <= b;
    case Comparison::UnsignedGreater:
      return a > b;
    case Comparison::UnsignedGreaterEqual:
      return a >= b;
  }
  return false;
}

Comparison negated(Comparison comparison) {
  using enum Comparison;
  switch (comparison) {
    case Equal:
      return NotEqual;
    case NotEqual:
      return Equal;
    case Less:
      return GreaterEqual;
    case LessEqual:
      return Greater;
    case Greater:
      return LessEqual;
    case GreaterEqual:
      return Less;
    case UnsignedLess:
      return UnsignedGreaterEqual;
    case UnsignedLessEqual:
      return UnsignedGreater;
    case UnsignedGreater:
      return UnsignedLessEqual;
    case UnsignedGreaterEqual:
      return UnsignedLess;
  }
  return comparison;
}

Comparison swapped(Comparison comparison) {
  using enum Comparison;
  switch (comparison) {
    case Equal:
    case NotEqual:
      return comparison;
    case Less:
      return Greater;
    case LessEqual:
      return GreaterEqual;
    case Greater:
      return Less;
    case GreaterEqual:
      return LessEqual;
    case UnsignedLess:
      return UnsignedGreater;
    case UnsignedLessEqual:
      return UnsignedGreaterEqual;
    case UnsignedGreater:
      return UnsignedLess;
    case UnsignedGreaterEqual:
      return UnsignedLessEqual;
  }
  return comparison;
}

BranchConditions::BranchConditions(const Ssa& ssa) : ssa_(&ssa) {
  const Cfg& cfg = ssa.cfg();
  firstOfEdge_.reserve(cfg.edgeCount() + std::size_t{1});
  byEdge_.reserve(cfg.edgeCount());
  for (EdgeId edge = 0; edge < cfg.edgeCount(); ++edge) {
    firstOfEdge_.push_back(static_cast<std::uint32_t>(byEdge_.size()));
    addOfEdge(edge);
  }
  firstOfEdge_.push_back(static_cast<std::uint32_t>(byEdge_.size()));

  firstOfBlock_.reserve(cfg.vertexCount() + std::size_t{1});
  for (const BlockId b : cfg.blocksAndExit()) {
    firstOfBlock_.push_back(static_cast<std::uint32_t>(byBlock_.size()));
    if (b == cfg.entry() || !cfg.isReachable(b)) continue;
    const std::optional<EdgeId> way = onlyWayInto(b);
    if (!way) continue;
    for (const Condition& condition : ofEdge(*way)) byBlock_.push_back({condition, b});
  }
  firstOfBlock_.push_back(static_cast<std::uint32_t>(byBlock_.size()));

  firstOfValue_.assign(ssa.valueCount() + std::size_t{1}, 0);
  for (const Placed& placed : byBlock_) ++firstOfValue_[indexOf(placed.condition.value) + 1];
  for (std::size_t v = 1; v < firstOfValue_.size(); ++v) firstOfValue_[v] += firstOfValue_[v - 1];
  std::vector<std::uint32_t> next(firstOfValue_.begin(), firstOfValue_.end() - 1);
  byValue_.resize(byBlock_.size());
  for (const Placed& placed : byBlock_) {
    byValue_[next[indexOf(placed.condition.value)]++] = placed;
  }
}

// Of a block that is no entry: the edge by which control comes to it, but for the back edges of
// loops of which it is the header.  What is compared on that edge is computed outside of these
// loops.
std::optional<EdgeId> BranchConditions::onlyWayInto(BlockId block) const {
  const Cfg& cfg = ssa_->cfg();
  std::optional<EdgeId> way;
  for (const EdgeId edge : cfg.inEdges(block)) {
    if (ssa_->dominators().dominates(block, cfg.source(edge))) continue;
    if (way) return std::nullopt;
    way = edge;
  }
  return way;
}

void BranchConditions::addOfEdge(EdgeId edge) {
  const Cfg& cfg = ssa_->cfg();
  const BlockId source = cfg.source(edge);
  const Instruction* branch = cfg.block(source).terminator;
  if (branch == nullptr || !branch->guard || !branch->desc->known() || !cfg.isReachable(source)) {
    return;
  }
  // If both edges lead to the same block, each of them still has its own conditions.
  const EdgeKind kind = cfg.kind(edge);
  if (kind == EdgeKind::Endless) return;
  const bool isTaken = kind != EdgeKind::Fallthrough;
  addIf(ssa_->guard(*branch), isTaken != branch->guard.negated(), 0, byEdge_);
}

std::vector<Condition> BranchConditions::ofGuard(const Instruction& instruction) const {
  std::vector<Condition> found;
  if (instruction.guard && ssa_->cfg().isReachable(instruction.block)) {
    addIf(ssa_->guard(instruction), !instruction.guard.negated(), 0, found);
  }
  return found;
}

std::vector<Condition> BranchConditions::ofPredicate(ValueId predicate, bool holds) const {
  std::vector<Condition> found;
  addIf(predicate, holds, 0, found);
  return found;
}

void BranchConditions::addIf(ValueId predicate, bool holds, unsigned depth,
                             std::vector<Condition>& found) const {
  if (!ssa_->isDefinition(predicate) || reaches(depth, Limit::ConditionDepth)) return;
  const Instruction& instruction = ssa_->instruction(predicate);
  const isa::InstructionDesc& desc = *instruction.desc;
  if (instruction.guard || !desc.known()) return;
  const auto addOperand = [&](std::size_t k, bool operandHolds) {
    const Operand* operand = instruction.operand(k);
    if (operand == nullptr || operand->kind != OperandKind::Register) return;
    addIf(ssa_->use(instruction, *operand), operandHolds != operand->negated, depth + 1, found);
  };

  if (desc.type == isa::Type::Pred) {
    if (desc.opcode == Opcode::Not || desc.opcode == Opcode::Mov) {
      addOperand(1, holds == (desc.opcode == Opcode::Mov));
    } else if ((desc.opcode == Opcode::And && holds) || (desc.opcode == Opcode::Or && !holds)) {
      addOperand(1, holds);
      addOperand(2, holds);
    }
    return;
  }
  const std::optional<Comparison> comparison = comparisonOf(desc);
  if (!comparison) return;
  // p|q: q is the comparison with the opposite result (ISA: "the complement"), combined with c too.
  const Operand* target = instruction.operand(0);
  const bool isSecond = target->kind == OperandKind::Pair && ssa_->operand(predicate) != target + 1;
  const Operand* other = instruction.operand(3);
  if (other == nullptr) {
    addComparison(instruction, holds != isSecond ? *comparison : negated(*comparison), found);
    return;
  }
  // (a cmp b) op c: both are known where an "and" holds, or an "or" does not.
  if ((desc.has(".and") && holds) || (desc.has(".or") && !holds)) {
    addComparison(instruction, holds != isSecond ? *comparison : negated(*comparison), found);
    addOperand(3, holds);
  }
}

void BranchConditions::addComparison(const Instruction& setp, Comparison comparison,
                                     std::vector<Condition>& found) const {
  const Operand* const left = setp.operand(1);
  const Operand* const right = setp.operand(2);
  if (left == nullptr || right == nullptr) return;
  const auto valueOf = [&](const Operand& operand) {
    const bool isRegister =
        operand.kind == OperandKind::Register && operand.component == 0 && !operand.negated;
    return isRegister ? ssa_->use(setp, operand) : ValueId::None;
  };
  Condition condition;
  condition.bits = static_cast<std::uint8_t>(isa::bitWidth(setp.desc->type));
  condition.comparison = comparison;
  condition.value = valueOf(*left);
  condition.other = right;
  condition.otherValue = valueOf(*right);
  if (condition.value != ValueId::None) found.push_back(condition);
  if (condition.otherValue != ValueId::None) {
    std::swap(condition.value, condition.otherValue);
    condition.other = left;
    condition.comparison = swapped(condition.comparison);
    found.push_back(condition);
  }
}

}  // namespace ptxopt::analysis
