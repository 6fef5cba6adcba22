#include "analysis/linear_form.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace ptxopt::analysis {

namespace {

// Larger products stay what they are: leaves that nothing is known about.
constexpr std::size_t kMostTerms = 12;
constexpr std::size_t kMostFactors = 4;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

std::uint64_t hashOf(const LeafKey& key) {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(key.kind), key.bits);
  return mix(mix(hash, key.id), key.offset);
}

Interval productOf(Interval a, Interval b) {
  if (a.isSingle()) return b * a.lowest;
  if (b.isSingle()) return a * b.lowest;
  // Both from 0 on is what matters: ids, counters and extents.
  if (a.lowest < 0 || b.lowest < 0) return {};
  return {(b * a.lowest).lowest,
          a.hasHighest() && b.hasHighest() ? (b * a.highest).highest : Interval::kNoHighest};
}

}  // namespace

Form LinearForms::form(FormId id) const {
  const Stored& stored = forms_[id];
  return {stored.bits, stored.constant,
          std::span(terms_).subspan(stored.firstTerm, stored.termCount)};
}

std::span<const std::uint32_t> LinearForms::list(const Leaf& leaf) const {
  assert(leaf.key.kind == LeafKind::Product || leaf.key.kind == LeafKind::Operation);
  return lists_[leaf.key.id];
}

LeafId LinearForms::intern(const Leaf& leaf) {
  const std::uint64_t hash = hashOf(leaf.key);
  const auto [first, last] = leafIndex_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (leaves_[at->second].key == leaf.key) return at->second;
  }
  const LeafId added = leafCount();
  leaves_.push_back(leaf);
  leafIndex_.emplace(hash, added);
  return added;
}

LeafId LinearForms::internList(const Leaf& leaf, std::span<const std::uint32_t> list) {
  std::uint64_t hash = list.size();
  for (const std::uint32_t element : list) hash = mix(hash, element);
  std::uint32_t number = kNone;
  const auto [first, last] = listIndex_.equal_range(hash);
  for (auto at = first; at != last && number == kNone; ++at) {
    if (std::ranges::equal(lists_[at->second], list)) number = at->second;
  }
  if (number == kNone) {
    number = static_cast<std::uint32_t>(lists_.size());
    lists_.emplace_back(list.begin(), list.end());
    listIndex_.emplace(hash, number);
  }
  Leaf named = leaf;
  named.key.id = number;
  return intern(named);
}

namespace {

// Behind the sources in the list of an Operation: two halves of each bound, the result, which form.
constexpr std::size_t kOperationWords = 6;

}  // namespace

LeafId LinearForms::internOperation(Leaf leaf, const Operation& operation) {
  std::vector<std::uint32_t> list(operation.sources.begin(), operation.sources.end());
  for (const std::int64_t bound : {operation.interval.lowest, operation.interval.highest}) {
    list.push_back(static_cast<std::uint32_t>(bound));
    list.push_back(static_cast<std::uint32_t>(static_cast<std::uint64_t>(bound) >> 32));
  }
  list.push_back(operation.result);
  const auto [number, isNew] =
      operationNumbers_.try_emplace(operation.form, static_cast<std::uint32_t>(operations_.size()));
  if (isNew) operations_.push_back(operation.form);
  list.push_back(number->second);
  leaf.key.kind = LeafKind::Operation;
  leaf.interval = operation.interval;
  return internList(leaf, list);
}

LinearForms::Operation LinearForms::operation(const Leaf& leaf) const {
  const std::span<const std::uint32_t> words = list(leaf);
  const std::size_t count = words.size() - kOperationWords;
  return {operations_[words.back()], words.first(count), words[count + 4], leaf.interval};
}

FormId LinearForms::make(unsigned bits, std::uint64_t constant, std::vector<Term> terms) {
  std::ranges::sort(terms, {}, &Term::leaf);
  std::size_t kept = 0;
  for (const Term& term : terms) {
    if (kept != 0 && terms[kept - 1].leaf == term.leaf) {
      terms[kept - 1].coefficient += term.coefficient;
    } else {
      terms[kept++] = term;
    }
  }
  terms.resize(kept);
  for (Term& term : terms) term.coefficient = residue(term.coefficient, bits);
  std::erase_if(terms, [](const Term& term) { return term.coefficient == 0; });
  constant = residue(constant, bits);

  std::uint64_t hash = mix(bits, constant);
  for (const Term& term : terms) hash = mix(mix(hash, term.leaf), term.coefficient);
  const auto [first, last] = formIndex_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    const Form other = form(at->second);
    if (other.bits == bits && other.constant == constant &&
        std::ranges::equal(other.terms, terms)) {
      return at->second;
    }
  }
  const FormId added = static_cast<FormId>(forms_.size());
  forms_.push_back({static_cast<std::uint8_t>(bits), static_cast<std::uint32_t>(terms_.size()),
                    static_cast<std::uint32_t>(terms.size()), constant});
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  formIndex_.emplace(hash, added);
  return added;
}

FormId LinearForms::constant(std::uint64_t value, unsigned bits) {
  return make(bits, value, {});
}

FormId LinearForms::ofLeaf(LeafId leaf, unsigned bits) {
  return make(bits, 0, {{leaf, 1}});
}

FormId LinearForms::add(FormId a, FormId b) {
  const Form left = form(a);
  const Form right = form(b);
  assert(left.bits == right.bits);
  std::vector<Term> terms(left.terms.begin(), left.terms.end());
  terms.insert(terms.end(), right.terms.begin(), right.terms.end());
  return make(left.bits, left.constant + right.constant, std::move(terms));
}

FormId LinearForms::subtract(FormId a, FormId b) {
  return add(a, scale(b, ~std::uint64_t{0}));
}

FormId LinearForms::scale(FormId a, std::uint64_t factor) {
  const Form given = form(a);
  std::vector<Term> terms(given.terms.begin(), given.terms.end());
  for (Term& term : terms) term.coefficient *= factor;
  return make(given.bits, given.constant * factor, std::move(terms));
}

FormId LinearForms::multiply(FormId a, FormId b) {
  if (form(a).isConstant()) return scale(b, form(a).constant);
  if (form(b).isConstant()) return scale(a, form(b).constant);
  const Form left = form(a);
  const Form right = form(b);
  if ((left.terms.size() + 1) * (right.terms.size() + 1) > kMostTerms) return kNone;
  std::vector<Term> terms;
  for (const Term& x : left.terms) {
    if (right.constant != 0) terms.push_back({x.leaf, x.coefficient * right.constant});
    for (const Term& y : right.terms) {
      const LeafId both = product(x.leaf, y.leaf);
      if (both == kNone) return kNone;
      terms.push_back({both, x.coefficient * y.coefficient});
    }
  }
  if (left.constant != 0) {
    for (const Term& y : right.terms) terms.push_back({y.leaf, y.coefficient * left.constant});
  }
  return make(left.bits, left.constant * right.constant, std::move(terms));
}

LeafId LinearForms::product(LeafId a, LeafId b) {
  std::vector<std::uint32_t> factors;
  for (const LeafId factor : {a, b}) {
    if (leaves_[factor].key.kind == LeafKind::Product) {
      const auto inner = list(leaves_[factor]);
      factors.insert(factors.end(), inner.begin(), inner.end());
    } else {
      factors.push_back(factor);
    }
  }
  if (factors.size() > kMostFactors) return kNone;
  std::ranges::sort(factors);
  Leaf leaf;
  leaf.key.kind = LeafKind::Product;
  leaf.stable = leaves_[a].stable && leaves_[b].stable;
  leaf.uniform = leaves_[a].uniform && leaves_[b].uniform;
  leaf.interval = productOf(leaves_[a].interval, leaves_[b].interval);
  return internList(leaf, factors);
}

FormId LinearForms::truncate(FormId a, unsigned bits) {
  const Form given = form(a);
  assert(bits <= given.bits);
  if (bits == given.bits) return a;
  // Of an extension the low bits are those of what was extended.
  const auto isSeenThrough = [&](const LeafKey& key) {
    return (key.kind == LeafKind::ZeroExtended || key.kind == LeafKind::SignExtended) &&
           key.bits >= bits;
  };
  std::uint64_t constant = given.constant;
  std::vector<Term> terms;
  for (const Term& term : given.terms) {
    const LeafKey& key = leaves_[term.leaf].key;
    if (!isSeenThrough(key)) {
      terms.push_back(term);
      continue;
    }
    const Form extended = form(key.id);
    constant += term.coefficient * extended.constant;
    for (const Term& inner : extended.terms) {
      terms.push_back({inner.leaf, term.coefficient * inner.coefficient});
    }
  }
  if (terms.size() <= kMostTerms) return make(bits, constant, std::move(terms));
  return make(bits, given.constant, {given.terms.begin(), given.terms.end()});
}

Interval LinearForms::sum(FormId a) const {
  const Form given = form(a);
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
