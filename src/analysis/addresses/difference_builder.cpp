// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/difference_builder.h"

#include <algorithm>
#include <span>

#include "analysis/addresses/thread_dimensions.h"
#include "analysis/threads/warp_numbers.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

bool isGeneric(const Access& access) {
  return access.window == isa::Space::None;
}

bool isExtension(const LeafKey& key) {
  return key.kind == LeafKind::SignExtended || key.kind == LeafKind::ZeroExtended;
}

}  // namespace

DifferenceBuilder::DifferenceBuilder(const Access& a, const Access& b, Threads threads,
                                     ExtensionDifference extensions, unsigned nesting)
    : forms_(a.origin->forms()),
      a_(a),
      b_(b),
      threads_(threads),
      extensions_(extensions),
      nesting_(nesting) {}

Difference DifferenceBuilder::of(FormId left, FormId right, isa::Space dropped) {
  const LinearForm a = forms_.form(left);
  const LinearForm b = forms_.form(right);
  // Equal addresses are equal in the smaller ring too.
  difference_.bits = std::min(a.bits, b.bits);
  difference_.constant = signedResidue(a.constant - b.constant, difference_.bits);
  collectPairs(a, b, dropped);
  if (threads_ != Threads::Same) takeLinearId();
  if (threads_ == Threads::DifferentWarps && rowsAreWholeWarps(a_.origin->shape())) {
    takeRows();
  }
  openExtensions();
  for (const Pair& pair : pairs_) add(pair);
  return std::move(difference_);
}

// The leaves of both, with their coefficients.
void DifferenceBuilder::collectPairs(const LinearForm& a, const LinearForm& b, isa::Space dropped) {
  auto x = a.terms.begin();
  auto y = b.terms.begin();
  while (x != a.terms.end() || y != b.terms.end()) {
    const bool takeX = y == b.terms.end() || (x != a.terms.end() && x->leaf <= y->leaf);
    const bool takeY = x == a.terms.end() || (y != b.terms.end() && y->leaf <= x->leaf);
    Pair pair;
    pair.leaf = takeX ? x->leaf : y->leaf;
    if (takeX) pair.left = residue((x++)->coefficient, difference_.bits);
    if (takeY) pair.right = residue((y++)->coefficient, difference_.bits);
    const LeafKey& key = forms_.leaf(pair.leaf).key;
    if (key.kind == LeafKind::GenericBase && dropped != isa::Space::None &&
        key.id == static_cast<std::uint32_t>(dropped)) {
      // A generic address of the window against an address in the space.
      if (isGeneric(a_) && pair.left == 1) pair.left = 0;
      if (isGeneric(b_) && pair.right == 1) pair.right = 0;
    }
    const bool isLeftOut = std::ranges::find(leftOut_, pair.leaf) != leftOut_.end();
    if (!isLeftOut && (pair.left != 0 || pair.right != 0)) pairs_.push_back(pair);
  }
}

void DifferenceBuilder::dropEmptyPairs() {
  std::erase_if(pairs_, [](const Pair& pair) { return pair.left == 0 && pair.right == 0; });
}

Interval DifferenceBuilder::intervalOf(const Access& access, LeafId leaf) const {
  Interval interval = forms_.leaf(leaf).interval;
  for (const auto& [other, known] : access.restrictions) {
    if (other == leaf) interval = intersection(interval, known);
  }
  if (const std::optional<unsigned> k = threadDimension(forms_.leaf(leaf).key)) {
    interval = intersection(interval, threadInterval(access, *k));
  }
  return interval;
}

Interval DifferenceBuilder::threadInterval(const Access& access, unsigned dimension) const {
  const bool isFlat = threads_ == Threads::OfOneRow && dimension > 0;
  return isFlat ? Interval::of(0) : access.thread[dimension];
}

void DifferenceBuilder::addDigit(std::uint64_t coefficient, Interval values,
                                 unsigned threadDimensions) {
  const std::int64_t c = signedResidue(coefficient, difference_.bits);
  if (c == 0) return;
  // Where threads cannot differ, nothing has to be told apart.
  const bool areEqual = values.lowest == 0 && threadDimensions != kAllDimensions;
  if (values.isSingle() && (threadDimensions == 0 || areEqual)) {
    // Modulo 2^bits, so wrapping does no harm.
    const std::uint64_t sum =
        static_cast<std::uint64_t>(difference_.constant) +
        static_cast<std::uint64_t>(c) * static_cast<std::uint64_t>(values.lowest);
    difference_.constant = signedResidue(residue(sum, difference_.bits), difference_.bits);
    return;
  }
  difference_.digits.push_back({c, values, threadDimensions});
}

// ---- extended forms (C8(ii).7) -----------------------------------------------------------------

// The two threads see one number of it.
bool DifferenceBuilder::isSameNumber(const Leaf& leaf) const {
  return threads_ == Threads::Same ? leaf.stable : leaf.uniform;
}

// Those of one kind and coefficient, one on each side.
void DifferenceBuilder::openExtensions() {
  if (reaches(nesting_, Limit::DifferenceNesting)) return;
  for (Pair& left : pairs_) {
    const Leaf& leaf = forms_.leaf(left.leaf);
    if (left.left == 0 || !isExtension(leaf.key)) continue;
    if (left.right != 0 && (left.right != left.left || isSameNumber(leaf))) continue;
    for (Pair& right : pairs_) {
      const LeafKey& other = forms_.leaf(right.leaf).key;
      const bool isPartner = left.right != 0 ? &right == &left : right.left == 0;
      if (!isPartner || right.right != left.left || other.kind != leaf.key.kind ||
          other.bits != leaf.key.bits) {
        continue;
      }
      if (extensions_ == ExtensionDifference::Whole) {
        difference_.hasExtensions = true;
        return;
      }
      open(left.left, leaf.key, other);
      left.left = right.right = 0;
      break;
    }
  }
  dropEmptyPairs();
}

void DifferenceBuilder::open(std::uint64_t coefficient, const LeafKey& left, const LeafKey& right) {
  DifferenceBuilder builder(a_, b_, threads_, extensions_, nesting_ + 1);
  const Difference inner = builder.of(left.extended(), right.extended(), isa::Space::None);
  Interval sum = Interval::of(inner.constant);
  for (const Digit& digit : inner.digits) {
    sum = sum + digit.values * digit.coefficient;
    addDigit(coefficient * static_cast<std::uint64_t>(digit.coefficient), digit.values,
             digit.threadDimensions);
  }
  addDigit(coefficient * static_cast<std::uint64_t>(inner.constant), Interval::of(1));
  // Two numbers of the ring are less than its modulus apart.
  const std::int64_t modulus = std::int64_t{1} << left.bits;
  const Interval apart = Interval{1 - modulus, modulus - 1} - sum;
  Interval multiples;
  if (apart.isBounded()) {
    multiples = {firstMultiple(apart, modulus), lastMultiple(apart, modulus)};
  }
  addDigit(coefficient * static_cast<std::uint64_t>(modulus), multiples);
}

void DifferenceBuilder::add(const Pair& pair) {
  const Leaf& leaf = forms_.leaf(pair.leaf);
  const Interval left = intervalOf(a_, pair.leaf);
  const Interval right = intervalOf(b_, pair.leaf);
  if (isSameNumber(leaf)) {
    addDigit(pair.left - pair.right, intersection(left, right));
    return;
  }
  if (pair.left == pair.right) {
    addDigit(pair.left, left - right, dimensionsOf(pair.leaf));
    return;
  }
  if (const unsigned dimensions = dimensionsOfThread(pair.leaf); dimensions != 0) {
    // Of one known thread it is a number: the other coefficient does as well (C8(ii).8).
    const std::uint64_t more = pair.left - pair.right;
    if (right.isSingle()) {
      addDigit(more, right);
      addDigit(pair.left, left - right, dimensions);
      return;
    }
    if (left.isSingle()) {
      addDigit(more, left);
      addDigit(pair.right, left - right, dimensions);
      return;
    }
  }
  if (pair.left != 0) addDigit(pair.left, left);
  if (pair.right != 0) addDigit(std::uint64_t{0} - pair.right, right);
}

unsigned DifferenceBuilder::dimensionsOfThread(LeafId leaf) const {
  if (threads_ == Threads::Same) return 0;
  const std::optional<unsigned> k = threadDimension(forms_.leaf(leaf).key);
  return k ? 1u << *k : 0;
}

// The dimensions of the thread id that equal numbers of this leaf determine.
unsigned DifferenceBuilder::dimensionsOf(LeafId id) const {
  if (threads_ == Threads::Same) return 0;
  if (const unsigned dimensions = dimensionsOfThread(id); dimensions != 0) return dimensions;
  const LeafKey& key = forms_.leaf(id).key;
  return isExtension(key) && determinesThread(key.extended()) ? kAllDimensions : 0;
}

bool DifferenceBuilder::determinesThread(FormId form) const {
  if (reaches(nesting_, Limit::DifferenceNesting)) return false;
  DifferenceBuilder inner(a_, b_, threads_, extensions_, nesting_ + 1);
  const Difference difference = inner.of(form, form, isa::Space::None);
  return meansSameThread(difference, Interval::of(0), freeDimensions(a_, b_, threads_));
}

// tid.x + ntid.x * (tid.y + ntid.y * tid.z), times some coefficient: another number for every
// thread, whatever the shape (C8(ii).4).
void DifferenceBuilder::takeLinearId() {
  using Which = SpecialName::Which;
  const auto find = [&](std::initializer_list<SpecialComponent> names) -> Pair* {
    for (Pair& pair : pairs_) {
      if (pair.left == pair.right && isProduct(pair.leaf, names)) return &pair;
    }
    return nullptr;
  };
  Pair* const x = find({{Which::Tid, 0}});
  if (x == nullptr) return;
  Pair* const y = find({{Which::Ntid, 0}, {Which::Tid, 1}});
  if (y == nullptr || y->left != x->left) return;
  Pair* const z = find({{Which::Ntid, 0}, {Which::Ntid, 1}, {Which::Tid, 2}});
  const bool isFlat = isPinned(2);
  if (!isFlat && (z == nullptr || z->left != x->left)) return;
  std::int64_t threads = 1;
  for (const std::uint32_t extent : a_.origin->shape().most) threads *= extent;
  addDigit(x->left, {1 - threads, threads - 1}, kAllDimensions);
  x->left = x->right = y->left = y->right = 0;
  if (z != nullptr && z->left != 0 && !isFlat) z->left = z->right = 0;
  dropEmptyPairs();
}

// Of these, which are distinct.
bool DifferenceBuilder::isProduct(LeafId id, std::initializer_list<SpecialComponent> names) const {
  const Leaf& leaf = forms_.leaf(id);
  const std::uint32_t number = indexOf(id);
  const IdSpan<LeafId> factors = leaf.key.kind == LeafKind::Product
                                     ? forms_.factors(leaf)
                                     : IdSpan<LeafId>(std::span(&number, 1));
  return factors.size() == names.size() &&
         std::ranges::all_of(names, [&](const SpecialComponent& name) {
           return std::ranges::any_of(factors, [&](LeafId factor) {
             const auto special = specialOf(forms_.leaf(factor).key);
             return special && SpecialComponent(special->which, special->component) == name;
           });
         });
}

// What counts along a row of threads: the warp in its row is one digit for all of them.
void DifferenceBuilder::takeRows() {
  Pair warp;
  for (Pair& pair : pairs_) {
    const auto number = rowNumber(forms_, pair.leaf);
    if (!number) continue;
    if (pair.left != 0) addDigit(pair.left, number->rest);
    if (pair.right != 0) addDigit(std::uint64_t{0} - pair.right, number->rest);
    warp.left += pair.left * number->unit;
    warp.right += pair.right * number->unit;
    pair.left = pair.right = 0;
  }
  dropEmptyPairs();
  const Interval left = warpsOf(threadInterval(a_, 0));
  const Interval right = warpsOf(threadInterval(b_, 0));
  warp.left = residue(warp.left, difference_.bits);
  warp.right = residue(warp.right, difference_.bits);
  if (warp.left == warp.right) {
    addDigit(warp.left, left - right, kWarpOfRow);
  } else {
    addDigit(warp.left, left);
    addDigit(std::uint64_t{0} - warp.right, right);
  }
}

// All threads that get to the accesses have the same id in this dimension.
bool DifferenceBuilder::isPinned(unsigned dimension) const {
  const Interval left = threadInterval(a_, dimension);
  return left.isSingle() && left == threadInterval(b_, dimension);
}

}  // namespace ptxopt::analysis
