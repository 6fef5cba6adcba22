// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/extensions.h"

#include <bit>
#include <vector>

namespace ptxopt::analysis {

void Extensions::noteNumber(FormId id, ValueId v) {
  const LinearForm form = forms_.form(id);
  if (form.terms.size() != 1 || form.terms[0].coefficient != 1 || form.constant != 0) return;
  const Leaf& leaf = forms_.leaf(form.terms[0].leaf);
  if (leaf.key.bits != form.bits) return;
  // As an unsigned number, the value is another one than a sign extension, and than a product that
  // may have more bits.
  if (leaf.key.kind == LeafKind::SignExtended) return;
  if (leaf.key.kind == LeafKind::Product &&
      (leaf.interval.lowest < 0 || !leaf.interval.isBounded())) {
    return;
  }
  valueOf_.set(form.terms[0].leaf, v);
}

// What a leaf can be in a block, by the branches above it.
Interval Extensions::intervalIn(LeafId id, BlockId block) const {
  const Interval always = forms_.leaf(id).interval;
  const ValueId value = valueOf_.of(id);
  if (value == ValueId::None || !ssa_.dominators().dominates(ssa_.block(value), block))
    return always;
  return intersection(always, ranges_.at(value, block).asUnsigned());
}

Interval Extensions::sumIn(FormId id, BlockId block) const {
  const LinearForm form = forms_.form(id);
  Interval sum = Interval::of(signedResidue(form.constant, form.bits));
  for (const Term& term : form.terms) {
    sum = sum + intervalIn(term.leaf, block) * signedResidue(term.coefficient, form.bits);
  }
  return sum;
}

FormId Extensions::lowPart(FormId a, std::uint64_t mask, BlockId block) {
  if (a == FormId::None || mask == 0 || (mask & (mask + 1)) != 0) return FormId::None;
  const LinearForm given = forms_.form(a);
  const auto shift = static_cast<unsigned>(std::popcount(mask));
  std::vector<Term> low;
  Interval rest = Interval::of(signedResidue(given.constant, given.bits));
  for (const Term& term : given.terms) {
    if ((term.coefficient & mask) == 0) continue;
    const std::int64_t coefficient = signedResidue(term.coefficient, given.bits);
    rest = rest + intervalIn(term.leaf, block) * coefficient;
    low.push_back(term);
  }
  if (shift >= 63 || !rest.isBounded() || rest.lowest >> shift != rest.highest >> shift) {
    return FormId::None;
  }
  const auto moved = static_cast<std::uint64_t>(rest.lowest >> shift) << shift;
  return forms_.make(given.bits, given.constant - moved, low);
}

// With s the sum of the form as an integer and n the number, n = s + m * 2^bits for some integer
// m. If what is known of n and s leaves only m = 0, the form itself is the number.
FormId Extensions::widened(FormId a, unsigned bits, bool isSigned, const ValueRange& range,
                           BlockId block) {
  const LinearForm given = forms_.form(a);
  const Interval number = isSigned ? range.asSigned() : range.asUnsigned();
  const Interval sum = sumIn(a, block);
  const Interval difference = number - sum;
  // 2^63 and more do not fit.  Then the sum must be equal to the number.
  const std::int64_t modulus = given.bits < 63 ? std::int64_t{1} << given.bits : 1;
  if (difference.lowest > -modulus && difference.highest < modulus) {
    std::vector<Term> terms(given.terms.begin(), given.terms.end());
    for (Term& term : terms) {
      term.coefficient = static_cast<std::uint64_t>(signedResidue(term.coefficient, given.bits));
    }
    return forms_.make(bits, static_cast<std::uint64_t>(signedResidue(given.constant, given.bits)),
                       terms);
  }
  return forms_.ofLeaf(extension(a, isSigned), bits);
}

// The number that the residue `a` is.
LeafId Extensions::extension(FormId a, bool isSigned) {
  const unsigned bits = forms_.form(a).bits;
  Leaf leaf;
  leaf.key = {isSigned ? LeafKind::SignExtended : LeafKind::ZeroExtended,
              static_cast<std::uint8_t>(bits), indexOf(a), 0};
  leaf.stable = forms_.isStable(a);
  leaf.uniform = forms_.isUniform(a);
  const ValueRange all = ValueRange::all(bits);
  leaf.interval = isSigned ? all.asSigned() : all.asUnsigned();
  const LeafId id = forms_.intern(leaf);
  if (forms_.parts(id) != FormId::None) return id;
  // An address that is extended stays in its object (C3.3.3).
  pointers_.addUnion(id, {a}, 0);
  if (const FormId parts = partsOf(a, isSigned); parts != FormId::None) forms_.setParts(id, parts);
  return id;
}

// docs/soundness/ C8(ii).9: the extension as that of a multiple of 2^k and a rest from 0 to
// 2^k - 1, between which nothing is carried, and of which only the multiple may wrap.  None
// where there is no such k.
FormId Extensions::partsOf(FormId a, bool isSigned) {
  const LinearForm given = forms_.form(a);
  const unsigned bits = given.bits;
  std::uint64_t units = 0;
  for (const Term& term : given.terms) units |= term.coefficient & (~term.coefficient + 1);
  // The largest first, so that as few terms as possible stay in the leaf.
  for (; units > 1; units &= ~std::bit_floor(units)) {
    const std::uint64_t unit = std::bit_floor(units);
    std::vector<Term> high;
    std::vector<Term> low;
    const std::int64_t given0 = signedResidue(given.constant, bits);
    Interval rest = Interval::of(given0);
    for (const Term& term : given.terms) {
      if (term.coefficient % unit == 0) {
        high.push_back(term);
        continue;
      }
      const std::int64_t coefficient = signedResidue(term.coefficient, bits);
      rest = rest + forms_.leaf(term.leaf).interval * coefficient;
      low.push_back({term.leaf, static_cast<std::uint64_t>(coefficient)});
    }
    const bool isWhole = low.empty() && given.constant % unit == 0;
    const auto shift = static_cast<unsigned>(std::countr_zero(unit));
    if (isWhole || !rest.isBounded() || rest.lowest >> shift != rest.highest >> shift) continue;
    const auto moved = static_cast<std::uint64_t>(rest.lowest >> shift) << shift;
    const FormId upper = forms_.make(bits, moved, high);
    const FormId lower = forms_.make(64, static_cast<std::uint64_t>(given0) - moved, low);
    return forms_.add(forms_.ofLeaf(extension(upper, isSigned), 64), lower);
  }
  return FormId::None;
}

}  // namespace ptxopt::analysis
