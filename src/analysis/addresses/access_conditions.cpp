// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/access_conditions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/threads/warp_numbers.h"
#include "isa/block.h"
#include "support/limits.h"

namespace ptxopt::analysis {

using ir::Instruction;
using ir::OperandKind;

AccessConditions::AccessConditions(const Ssa& ssa, const ValueRanges& ranges, LinearForms& forms,
                                   const IdVector<ValueId, FormId>& formOfValue)
    : ssa_(ssa),
      ranges_(ranges),
      shape_(ranges.shape()),
      forms_(forms),
      formOfValue_(formOfValue),
      functions_(forms),
      leaders_(ssa, ranges, forms, formOfValue) {
  collectFactsOfBlocks();
}

bool AccessConditions::Fact::saysAnything() const {
  return leaf != LeafId::None || zero != FormId::None || test.left != FormId::None;
}

void AccessConditions::collectFactsOfBlocks() {
  const Cfg& cfg = ssa_.cfg();
  firstFact_.reserve(cfg.vertexCount() + std::size_t{1});
  for (const BlockId b : cfg.blocksAndExit()) {
    firstFact_.push_back(static_cast<std::uint32_t>(facts_.size()));
    for (const BranchConditions::Placed& placed : ranges_.conditions().ofBlock(b)) {
      if (Fact fact = factOf(placed.condition); fact.saysAnything()) {
        facts_.push_back(std::move(fact));
      }
    }
  }
  firstFact_.push_back(static_cast<std::uint32_t>(facts_.size()));

  aboveWithFacts_.assign(cfg.vertexCount(), BlockId::None);
  for (const BlockId b : ssa_.dominators().preorder()) {
    const BlockId above = ssa_.dominators().parent(b);
    if (above == BlockId::None) continue;
    aboveWithFacts_[b] = hasFacts(above) ? above : aboveWithFacts_[above];
  }
}

void AccessConditions::collect(Access& access) {
  for (std::size_t k = 0; k < access.thread.size(); ++k) {
    access.thread[k] = {0, std::int64_t{shape_.most[k]} - 1};
  }
  const Instruction& instruction = *access.instruction;
  for (const Condition& condition : ranges_.conditions().ofGuard(instruction)) {
    apply(factOf(condition), access);
  }
  const Dominators& dominators = ssa_.dominators();
  const std::uint32_t depth = dominators.depth(instruction.block);
  for (BlockId b = instruction.block; b != BlockId::None; b = aboveWithFacts_[b]) {
    if (reaches(depth - dominators.depth(b), Limit::ConditionLevels)) break;
    const std::uint32_t end = firstFact_[indexOf(b) + 1];
    for (std::uint32_t k = firstFact_[indexOf(b)]; k < end; ++k) apply(facts_[k], access);
  }
  access.electionMask = leaders_.maskOf(instruction);
}

void AccessConditions::apply(const Fact& fact, Access& access) {
  if (fact.leaf != LeafId::None) restrict(fact, access);
  if (fact.test.left != FormId::None) addTest(fact, access);
  if (fact.zero != FormId::None &&
      std::ranges::find(access.zeros, fact.zero) == access.zeros.end() &&
      !reaches(access.zeros.size(), Limit::AccessZeros)) {
    access.zeros.push_back(fact.zero);
  }
}

void AccessConditions::restrict(const Fact& fact, Access& access) const {
  for (std::size_t k = 0; k < access.thread.size(); ++k) {
    access.thread[k] = intersection(access.thread[k], fact.thread[k]);
  }
  if (access.address == FormId::None) return;
  const auto isLeaf = [&](const Term& term) {
    const LinearForms::Alternatives* alternatives = forms_.alternatives(term.leaf);
    return term.leaf == fact.leaf || (alternatives != nullptr && alternatives->round == fact.leaf);
  };
  if (std::ranges::none_of(forms_.form(access.address).terms, isLeaf)) return;
  for (auto& [other, interval] : access.restrictions) {
    if (other == fact.leaf) {
      interval = intersection(interval, fact.known);
      return;
    }
  }
  access.restrictions.emplace_back(fact.leaf, fact.known);
}

AccessConditions::Fact AccessConditions::factOf(const Condition& condition) {
  Fact fact;
  const FormId id = formOfValue_[condition.value];
  if (id == FormId::None || forms_.form(id).bits != condition.bits) return fact;
  learnLeaf(condition, id, fact);
  if (condition.comparison == Comparison::Equal) {
    fact.zero = zeroOf(condition, id);
  } else if (shape_.block) {
    learnTest(condition, id, fact);
  }
  return fact;
}

// A condition on leaf + constant is one on the leaf, if the sum does not wrap.
void AccessConditions::learnLeaf(const Condition& condition, FormId id, Fact& fact) const {
  const LinearForm form = forms_.form(id);
  if (form.terms.size() != 1 || form.terms[0].coefficient != 1) return;
  const LeafId leaf = form.terms[0].leaf;
  const std::int64_t constant = signedResidue(form.constant, form.bits);
  const ValueRange all = ValueRange::all(form.bits);
  const Interval sum = forms_.sum(id);
  // The number that was tested must be the sum itself: as an unsigned one, and if something is
  // added to the leaf, as a signed one as well.
  const Interval fits =
      constant == 0 ? all.asUnsigned() : intersection(all.asSigned(), all.asUnsigned());
  if (!sum.isBounded() || sum.lowest < fits.lowest || sum.highest > fits.highest) return;
  const ValueRange before = ValueRange::between(static_cast<std::uint64_t>(sum.lowest),
                                                static_cast<std::uint64_t>(sum.highest), form.bits);
  const ValueRange after = ranges_.refined(before, condition);
  fact.leaf = leaf;
  fact.known = after.asUnsigned() + Interval::of(-constant);
  for (std::size_t k = 0; k < fact.thread.size(); ++k) {
    if (isThreadId(leaf, k)) fact.thread[k] = fact.known;
  }
  learnRow(fact);
}

// What is known of tid.x / 32 says something about tid.x.
void AccessConditions::learnRow(Fact& fact) const {
  const std::optional<RowNumber> number = rowNumber(forms_, fact.leaf);
  if (!number) return;
  constexpr std::int64_t kWarpSize = isa::kWarpSize;
  constexpr Interval kRow{0, isa::kMostThreads - 1};
  const Interval warps = intersection(fact.known, kRow) - number->rest;  // times the unit
  const auto unit = static_cast<std::int64_t>(number->unit);
  const Interval ids{(std::max<std::int64_t>(warps.lowest, 0) + unit - 1) / unit * kWarpSize,
                     std::max<std::int64_t>(warps.highest, 0) / unit * kWarpSize + kWarpSize - 1};
  fact.thread[0] = intersection(fact.thread[0], ids);
}

bool AccessConditions::isThreadId(LeafId id, std::size_t dimension) const {
  return threadDimension(forms_.leaf(id).key) == dimension;
}

FormId AccessConditions::rightSide(const Condition& condition) {
  if (condition.otherValue != ValueId::None) {
    const FormId other = formOfValue_[condition.otherValue];
    return other != FormId::None && forms_.form(other).bits == condition.bits ? other
                                                                              : FormId::None;
  }
  if (condition.other->kind != OperandKind::Integer) return FormId::None;
  return forms_.constant(static_cast<std::uint64_t>(condition.other->immediate), condition.bits);
}

void AccessConditions::learnTest(const Condition& condition, FormId id, Fact& fact) {
  // Of two registers it comes both ways round.
  if (condition.otherValue != ValueId::None && condition.otherValue < condition.value) return;
  const FormId other = rightSide(condition);
  if (other == FormId::None) return;
  // As an interval of the thread id it is known already.
  const LinearForm form = forms_.form(id);
  const bool isThread = form.constant == 0 && form.terms.size() == 1 &&
                        form.terms[0].coefficient == 1 &&
                        threadDimension(forms_.leaf(form.terms[0].leaf).key).has_value();
  if (isThread && forms_.form(other).isConstant() && condition.comparison != Comparison::NotEqual) {
    return;
  }
  const std::array sides{functions_.of(id), functions_.of(other)};
  for (const ThreadFunction& side : sides) {
    if (!side.isKnown) return;
    for (const LeafId unknown : side.unknowns) fact.unknowns.push_back(unknown);
  }
  fact.test = {condition.comparison, condition.bits, id, other};
}

// What it says is of use only with numbers that are part of the address.
void AccessConditions::addTest(const Fact& fact, Access& access) {
  if (access.address == FormId::None) return;
  if (!fact.unknowns.empty()) {
    const ThreadFunction address = functions_.of(access.address);
    const auto isOfAddress = [&](LeafId unknown) {
      return std::ranges::find(address.unknowns, unknown) != address.unknowns.end();
    };
    if (!std::ranges::all_of(fact.unknowns, isOfAddress)) return;
  }
  if (std::ranges::find(access.tests, fact.test) == access.tests.end() &&
      !reaches(access.tests.size(), Limit::AccessTests)) {
    access.tests.push_back(fact.test);
  }
}

// The difference of the two sides that are equal; None where it is not known.
FormId AccessConditions::zeroOf(const Condition& condition, FormId id) {
  const FormId other = rightSide(condition);
  if (other == FormId::None) return FormId::None;
  const FormId difference = forms_.subtract(id, other);
  // Of x - y and y - x the same one.
  return std::min(difference, forms_.scale(difference, ~std::uint64_t{0}));
}

}  // namespace ptxopt::analysis
