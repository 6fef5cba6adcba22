// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/linear_form.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

std::uint64_t hashOf(const Leaf& leaf) {
  const LeafKey& key = leaf.key;
  std::uint64_t hash = mixedHash(static_cast<std::uint64_t>(key.kind), key.bits);
  hash = mixedHash(mixedHash(hash, key.id), key.offset);
  hash = mixedHash(hash, static_cast<std::uint64_t>(leaf.interval.lowest));
  return mixedHash(hash, static_cast<std::uint64_t>(leaf.interval.highest));
}

Interval productOf(Interval a, Interval b) {
  if (a.isSingle()) return b * a.lowest;
  if (b.isSingle()) return a * b.lowest;
  // If both are not negative, which is the important case: ids, counters and extents.
  if (a.lowest < 0 || b.lowest < 0) return {};
  return {(b * a.lowest).lowest,
          a.hasHighest() && b.hasHighest() ? (b * a.highest).highest : Interval::kNoHighest};
}

}  // namespace

std::optional<SpecialName> specialOf(const LeafKey& key) {
  if (key.kind != LeafKind::Special) return std::nullopt;
  return SpecialName::of(key.id / 4, static_cast<std::uint8_t>(key.id % 4));
}

std::optional<unsigned> threadDimension(const LeafKey& key) {
  const std::optional<SpecialName> special = specialOf(key);
  const bool isThread =
      special && special->which == SpecialName::Which::Tid && special->component < 3;
  return isThread ? std::optional<unsigned>(special->component) : std::nullopt;
}

void LinearForms::reserve(std::size_t forms) {
  forms_.reserve(forms);
  terms_.reserve(2 * forms);
  formIndex_.reserve(forms);
  leaves_.reserve(forms / 2);
}

std::span<const std::uint32_t> LinearForms::list(std::uint32_t number) const {
  const std::uint32_t first = number == 0 ? 0 : listEnds_[number - 1];
  return std::span(listWords_).subspan(first, listEnds_[number] - first);
}

LeafId LinearForms::intern(const Leaf& leaf) {
  const std::uint64_t hash = hashOf(leaf);
  const LeafId known{
      leafIndex_.find(hash, [&](std::uint32_t number) { return leaves_[LeafId{number}] == leaf; })};
  if (known != LeafId::None) return known;
  const LeafId added = leaves_.push_back(leaf);
  leafIndex_.add(hash, indexOf(added));
  return added;
}

LeafId LinearForms::internList(const Leaf& leaf, std::span<const std::uint32_t> words) {
  std::uint64_t hash = words.size();
  for (const std::uint32_t word : words) hash = mixedHash(hash, word);
  std::uint32_t number = listIndex_.find(
      hash, [&](std::uint32_t other) { return std::ranges::equal(list(other), words); });
  if (number == HashIndex::kNone) {
    number = static_cast<std::uint32_t>(listEnds_.size());
    listWords_.insert(listWords_.end(), words.begin(), words.end());
    listEnds_.push_back(static_cast<std::uint32_t>(listWords_.size()));
    listIndex_.add(hash, number);
  }
  Leaf named = leaf;
  named.key.id = number;
  return intern(named);
}

namespace {

// The last words of the list of an Operation, after its sources: the result operand and the desc.
constexpr std::size_t kOperationWords = 2;

}  // namespace

LeafId LinearForms::internOperation(Leaf leaf, const isa::InstructionDesc* desc,
                                    std::span<const FormId> sources, std::uint32_t result) {
  assert(desc != nullptr);
  std::vector<std::uint32_t> list;
  list.reserve(sources.size() + kOperationWords);
  for (const FormId source : sources) list.push_back(indexOf(source));
  list.push_back(result);
  const auto [number, isNew] =
      operationNumbers_.try_emplace(desc, static_cast<std::uint32_t>(operations_.size()));
  if (isNew) operations_.push_back(desc);
  list.push_back(number->second);
  leaf.key.kind = LeafKind::Operation;
  leaf.key.offset = 0;
  return internList(leaf, list);
}

LinearForms::Operation LinearForms::operation(const Leaf& leaf) const {
  const std::span<const std::uint32_t> words = list(leaf.key.id);
  const std::size_t count = words.size() - kOperationWords;
  return {operations_[words.back()], IdSpan<FormId>(words.first(count)), words[count]};
}

FormId LinearForms::make(unsigned bits, std::uint64_t constant, std::span<Term> terms) {
  std::ranges::sort(terms, {}, &Term::leaf);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < terms.size();) {
    Term sum = terms[k];
    while (++k < terms.size() && terms[k].leaf == sum.leaf) sum.coefficient += terms[k].coefficient;
    sum.coefficient = residue(sum.coefficient, bits);
    if (sum.coefficient != 0) terms[kept++] = sum;
  }
  return intern(bits, residue(constant, bits), terms.first(kept));
}

FormId LinearForms::opened(FormId a) {
  for (std::size_t k = 0; k < form(a).terms.size();) {
    const Term term = form(a).terms[k];
    const FormId whole = parts(term.leaf);
    if (whole == FormId::None) {
      ++k;
      continue;
    }
    // The parts of a leaf contain other leaves, none of which is made from it.
    const unsigned bits = form(a).bits;
    const FormId rest = subtract(a, scale(ofLeaf(term.leaf, bits), term.coefficient));
    a = add(rest, scale(truncate(whole, bits), term.coefficient));
    k = 0;
  }
  return a;
}

FormId LinearForms::intern(unsigned bits, std::uint64_t constant, std::span<const Term> terms) {
  std::uint64_t hash = mixedHash(bits, constant);
  for (const Term& term : terms) {
    hash = mixedHash(mixedHash(hash, indexOf(term.leaf)), term.coefficient);
  }
  const FormId known{formIndex_.find(hash, [&](std::uint32_t number) {
    const LinearForm other = form(FormId{number});
    return other.bits == bits && other.constant == constant &&
           std::ranges::equal(other.terms, terms);
  })};
  if (known != FormId::None) return known;
  const FormId added =
      forms_.push_back({static_cast<std::uint8_t>(bits), static_cast<std::uint32_t>(terms_.size()),
                        static_cast<std::uint32_t>(terms.size()), constant});
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  formIndex_.add(hash, indexOf(added));
  return added;
}

FormId LinearForms::constant(std::uint64_t value, unsigned bits) {
  assert(1 <= bits && bits <= 64);
  return intern(bits, residue(value, bits), {});
}

FormId LinearForms::ofLeaf(LeafId leaf, unsigned bits) {
  assert(leaf != LeafId::None && 1 <= bits && bits <= 64);
  const Term one{leaf, 1};
  return intern(bits, 0, {&one, 1});
}

FormId LinearForms::add(FormId a, FormId b) {
  const LinearForm left = form(a);
  const LinearForm right = form(b);
  assert(left.bits == right.bits);
  scratch_.assign(left.terms.begin(), left.terms.end());
  const std::uint64_t constant = residue(left.constant + right.constant, left.bits);
  if (right.isConstant()) return intern(left.bits, constant, scratch_);
  scratch_.insert(scratch_.end(), right.terms.begin(), right.terms.end());
  return make(left.bits, constant, scratch_);
}

FormId LinearForms::plus(FormId a, std::uint64_t number) {
  const LinearForm given = form(a);
  if (residue(number, given.bits) == 0) return a;
  scratch_.assign(given.terms.begin(), given.terms.end());
  return intern(given.bits, residue(given.constant + number, given.bits), scratch_);
}

FormId LinearForms::subtract(FormId a, FormId b) {
  return add(a, scale(b, ~std::uint64_t{0}));
}

FormId LinearForms::scale(FormId a, std::uint64_t factor) {
  const LinearForm given = form(a);
  scratch_.assign(given.terms.begin(), given.terms.end());
  for (Term& term : scratch_) term.coefficient *= factor;
  return make(given.bits, given.constant * factor, scratch_);
}

FormId LinearForms::multiply(FormId a, FormId b) {
  if (form(a).isConstant()) return scale(b, form(a).constant);
  if (form(b).isConstant()) return scale(a, form(b).constant);
  const LinearForm left = form(a);
  const LinearForm right = form(b);
  if (exceeds((left.terms.size() + 1) * (right.terms.size() + 1), Limit::FormTerms)) {
    return FormId::None;
  }
  scratch_.clear();
  for (const Term& x : left.terms) {
    if (right.constant != 0) scratch_.push_back({x.leaf, x.coefficient * right.constant});
    for (const Term& y : right.terms) {
      const LeafId both = product(x.leaf, y.leaf);
      if (both == LeafId::None) return FormId::None;
      scratch_.push_back({both, x.coefficient * y.coefficient});
    }
  }
  if (left.constant != 0) {
    for (const Term& y : right.terms) scratch_.push_back({y.leaf, y.coefficient * left.constant});
  }
  return make(left.bits, left.constant * right.constant, scratch_);
}

LeafId LinearForms::product(LeafId a, LeafId b) {
  std::array<std::uint32_t, 2 * most(Limit::FormFactors)> storage;
  std::size_t count = 0;
  for (const LeafId factor : {a, b}) {
    const LeafKey& key = leaves_[factor].key;
    const std::uint32_t number = indexOf(factor);
    for (const std::uint32_t inner :
         key.kind == LeafKind::Product ? list(key.id) : std::span(&number, 1)) {
      storage[count++] = inner;
    }
  }
  if (exceeds(count, Limit::FormFactors)) return LeafId::None;
  // The compiler does not see that exceeds() bounds it.
  const std::span<std::uint32_t> numbers =
      std::span(storage).first(std::min(count, most(Limit::FormFactors)));
  std::ranges::sort(numbers);
  // The factors are sorted, so the product does not depend on the order of multiplication.
  Leaf leaf = leaves_[LeafId{numbers.front()}];
  leaf.key = {LeafKind::Product, 64, 0, 0};
  for (const LeafId factor : IdSpan<LeafId>(numbers.subspan(1))) {
    const Leaf& next = leaves_[factor];
    leaf.stable &= next.stable;
    leaf.uniform &= next.uniform;
    leaf.interval = productOf(leaf.interval, next.interval);
  }
  return internList(leaf, numbers);
}

FormId LinearForms::truncate(FormId a, unsigned bits) {
  const LinearForm given = form(a);
  assert(bits <= given.bits);
  if (bits == given.bits) return a;
  // The low bits of an extension are those of its source.
  const auto isSeenThrough = [&](const LeafKey& key) {
    return (key.kind == LeafKind::ZeroExtended || key.kind == LeafKind::SignExtended) &&
           key.bits >= bits;
  };
  std::uint64_t constant = given.constant;
  scratch_.clear();
  for (const Term& term : given.terms) {
    const LeafKey& key = leaves_[term.leaf].key;
    if (!isSeenThrough(key)) {
      scratch_.push_back(term);
      continue;
    }
    const LinearForm extended = form(key.extended());
    constant += term.coefficient * extended.constant;
    for (const Term& inner : extended.terms) {
      scratch_.push_back({inner.leaf, term.coefficient * inner.coefficient});
    }
  }
  if (!exceeds(scratch_.size(), Limit::FormTerms)) return make(bits, constant, scratch_);
  scratch_.assign(given.terms.begin(), given.terms.end());
  return make(bits, given.constant, scratch_);
}

Interval LinearForms::sum(FormId a) const {
  const LinearForm given = form(a);
  Interval total = Interval::of(signedResidue(given.constant, given.bits));
  for (const Term& term : given.terms) {
    total = total + leaves_[term.leaf].interval * signedResidue(term.coefficient, given.bits);
  }
  return total;
}

bool LinearForms::isStable(FormId a) const {
  return std::ranges::all_of(form(a).terms,
                             [&](const Term& term) { return leaves_[term.leaf].stable; });
}

bool LinearForms::isUniform(FormId a) const {
  return std::ranges::all_of(form(a).terms,
                             [&](const Term& term) { return leaves_[term.leaf].uniform; });
}

}  // namespace ptxopt::analysis
