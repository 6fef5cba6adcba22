// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/alias.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <numeric>
#include <optional>

#include "analysis/threads/warp_numbers.h"

namespace ptxopt::analysis {

namespace {

constexpr unsigned kMostNesting = 3;  // of extended forms
// Dimensions of the thread id: a bit for each of x, y, z, and one for tid.x / 32, the warp in its
// row, which is less than x.
constexpr unsigned kWarpOfRow = 8;
constexpr unsigned kAllDimensions = 15;
constexpr std::int64_t kWarpSize = isa::kWarpSize;
constexpr std::uint64_t kUnbounded = ~std::uint64_t{0};

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                   : static_cast<std::uint64_t>(value);
}
// The largest of the absolute numbers.
std::uint64_t magnitude(Interval values) {
  if (!values.isBounded()) return kUnbounded;
  return std::max(magnitude(values.lowest), magnitude(values.highest));
}
std::uint64_t saturatingMultiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kUnbounded : product;
}

// The quotients of the first and of the last multiple of `unit` in a bounded interval; the last is
// before the first where there is none.
std::int64_t firstMultiple(Interval interval, std::int64_t unit) {
  return interval.lowest / unit + std::int64_t{interval.lowest % unit > 0};
}
std::int64_t lastMultiple(Interval interval, std::int64_t unit) {
  return interval.highest / unit - std::int64_t{interval.highest % unit < 0};
}

// ---- the difference of two addresses -----------------------------------------------------------

// coefficient * (a number of `values`), part of the difference of two addresses.
struct Digit {
  std::int64_t coefficient = 0;
  Interval values;
  // If not 0, a bit for each dimension of the thread id: the number is 0 only if the threads agree
  // in them.
  unsigned threadDimensions = 0;

  std::uint64_t size() const { return magnitude(coefficient); }
  std::uint64_t most() const { return magnitude(values); }
};

// ---- warps -------------------------------------------------------------------------------------

Interval quotient(Interval values, std::int64_t by) {  // of numbers that are not negative
  return {values.lowest / by, values.highest / by};
}

// All numbers of both are in one range of 32.
bool areOfOneWarp(Interval a, Interval b) {
  if (!a.isBounded() || !b.isBounded() || a.lowest < 0 || b.lowest < 0) return false;
  const Interval warps = hull(quotient(a, kWarpSize), quotient(b, kWarpSize));
  return warps.isSingle();
}

// The linear id (C8.3.6) where the access is executed; without bounds if the shape is not known.
Interval linearIdOf(const Access& access, const AliasAssumptions& assumptions) {
  const LaunchShape& shape = access.origin->shape();
  if (assumptions.oneRow || shape.isOneRow()) return access.thread[0];
  if (!shape.block) return {};
  const auto [x, y, z] = *shape.block;
  return access.thread[0] + access.thread[1] * std::int64_t{x} +
         access.thread[2] * (std::int64_t{x} * y);
}

// The difference is constant + the sum of the digits, modulo 2^bits.
struct Difference {
  unsigned bits = 64;
  std::int64_t constant = 0;
  std::vector<Digit> digits;
  // Some of it is a difference of extended forms that has not been looked into.
  bool hasExtensions = false;
};

// What the difference of two extended forms is made of.
enum class Extensions : std::uint8_t {
  Whole,   // some number of their width
  Opened,  // the difference of the forms, and a multiple of their ring (C8(ii).7)
};

class DifferenceBuilder {
 public:
  DifferenceBuilder(const Addresses& addresses, const Access& a, const Access& b, Threads threads,
                    const AliasAssumptions& assumptions, Extensions extensions = Extensions::Whole,
                    unsigned nesting = 0)
      : addresses_(addresses),
        forms_(addresses.forms()),
        a_(a),
        b_(b),
        threads_(threads),
        assumptions_(assumptions),
        extensions_(extensions),
        nesting_(nesting) {}

  // `dropped`: the window of the space in which both accesses are, if it is one.
  Difference of(FormId left, FormId right, isa::Space dropped) {
    const LinearForm a = forms_.form(left);
    const LinearForm b = forms_.form(right);
    // Equal addresses are equal in the smaller ring too.
    difference_.bits = std::min(a.bits, b.bits);
    difference_.constant = signedResidue(a.constant - b.constant, difference_.bits);
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
      if (pair.left != 0 || pair.right != 0) pairs_.push_back(pair);
    }
    if (threads_ != Threads::Same) takeLinearId();
    if (threads_ == Threads::DifferentWarps &&
        rowsAreWholeWarps(addresses_.shape(), assumptions_.oneRow)) {
      takeRows();
    }
    openExtensions();
    for (const Pair& pair : pairs_) add(pair);
    return std::move(difference_);
  }

 private:
  struct Pair {
    LeafId leaf = 0;
    std::uint64_t left = 0;  // coefficients
    std::uint64_t right = 0;
  };

  static bool isGeneric(const Access& access) { return access.window == isa::Space::None; }

  Interval intervalOf(const Access& access, LeafId leaf) const {
    Interval interval = forms_.leaf(leaf).interval;
    for (const auto& [other, known] : access.restrictions) {
      if (other == leaf) interval = intersection(interval, known);
    }
    if (const std::optional<unsigned> k = threadDimension(leaf)) {
      interval = intersection(interval, threadInterval(access, *k));
    }
    return interval;
  }

  Interval threadInterval(const Access& access, unsigned dimension) const {
    return assumptions_.oneRow && dimension > 0 ? Interval::of(0) : access.thread[dimension];
  }

  std::optional<unsigned> specialComponent(LeafId leaf, std::string_view name) const {
    const LeafKey& key = forms_.leaf(leaf).key;
    if (key.kind != LeafKind::Special || isa::specialRegisters()[key.id / 4].name != name) {
      return std::nullopt;
    }
    return key.id % 4;
  }
  std::optional<unsigned> threadDimension(LeafId leaf) const {
    return specialComponent(leaf, "%tid");
  }

  void addDigit(std::uint64_t coefficient, Interval values, unsigned threadDimensions = 0) {
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

  // ---- extended forms (C8(ii).7) ----------------------------------------------------------------

  static bool isExtension(const LeafKey& key) {
    return key.kind == LeafKind::SignExtended || key.kind == LeafKind::ZeroExtended;
  }
  // The two threads see one number of it.
  bool isSameNumber(const Leaf& leaf) const {
    return threads_ == Threads::Same ? leaf.stable : leaf.uniform;
  }

  // Those of one kind and coefficient, one on each side.
  void openExtensions() {
    if (nesting_ == kMostNesting) return;
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
        if (extensions_ == Extensions::Whole) {
          difference_.hasExtensions = true;
          return;
        }
        open(left.left, leaf.key, other);
        left.left = right.right = 0;
        break;
      }
    }
    std::erase_if(pairs_, [](const Pair& pair) { return pair.left == 0 && pair.right == 0; });
  }

  void open(std::uint64_t coefficient, const LeafKey& left, const LeafKey& right) {
    DifferenceBuilder builder(addresses_, a_, b_, threads_, assumptions_, extensions_,
                              nesting_ + 1);
    const Difference inner = builder.of(left.id, right.id, isa::Space::None);
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

  void add(const Pair& pair) {
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

  unsigned dimensionsOfThread(LeafId leaf) const {
    if (threads_ == Threads::Same) return 0;
    const std::optional<unsigned> k = threadDimension(leaf);
    return k && *k < 3 ? 1u << *k : 0;
  }

  // The dimensions of the thread id that equal numbers of this leaf determine.
  unsigned dimensionsOf(LeafId id) const {
    if (threads_ == Threads::Same) return 0;
    if (const unsigned dimensions = dimensionsOfThread(id); dimensions != 0) return dimensions;
    const LeafKey& key = forms_.leaf(id).key;
    return isExtension(key) && determinesThread(key.id) ? kAllDimensions : 0;
  }

  bool determinesThread(FormId form) const;

  // tid.x + ntid.x * (tid.y + ntid.y * tid.z), times some coefficient: another number for every
  // thread, whatever the shape (C8(ii).4).
  void takeLinearId() {
    const auto find = [&](std::initializer_list<SpecialComponent> names) -> Pair* {
      for (Pair& pair : pairs_) {
        if (pair.left == pair.right && isProduct(pair.leaf, names)) return &pair;
      }
      return nullptr;
    };
    Pair* const x = find({{"%tid", 0}});
    if (x == nullptr) return;
    Pair* const y = find({{"%ntid", 0}, {"%tid", 1}});
    if (y == nullptr || y->left != x->left) return;
    Pair* const z = find({{"%ntid", 0}, {"%ntid", 1}, {"%tid", 2}});
    const bool isFlat = isPinned(2);
    if (!isFlat && (z == nullptr || z->left != x->left)) return;
    std::int64_t threads = 1;
    for (const std::uint32_t extent : addresses_.shape().most) threads *= extent;
    addDigit(x->left, {1 - threads, threads - 1}, kAllDimensions);
    x->left = x->right = y->left = y->right = 0;
    if (z != nullptr && z->left != 0 && !isFlat) z->left = z->right = 0;
    std::erase_if(pairs_, [](const Pair& pair) { return pair.left == 0 && pair.right == 0; });
  }

  using SpecialComponent = std::pair<std::string_view, unsigned>;

  // Of these, which are distinct.
  bool isProduct(LeafId id, std::initializer_list<SpecialComponent> names) const {
    const Leaf& leaf = forms_.leaf(id);
    const std::span<const LeafId> factors =
        leaf.key.kind == LeafKind::Product ? forms_.list(leaf) : std::span(&id, 1);
    return factors.size() == names.size() &&
           std::ranges::all_of(names, [&](const SpecialComponent& name) {
             return std::ranges::any_of(factors, [&](LeafId factor) {
               return specialComponent(factor, name.first) == name.second;
             });
           });
  }

  // What counts along a row of threads: the warp in its row is one digit for all of them.
  void takeRows() {
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
    std::erase_if(pairs_, [](const Pair& pair) { return pair.left == 0 && pair.right == 0; });
    const Interval left = quotient(threadInterval(a_, 0), kWarpSize);
    const Interval right = quotient(threadInterval(b_, 0), kWarpSize);
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
  bool isPinned(unsigned dimension) const {
    const Interval left = threadInterval(a_, dimension);
    return left.isSingle() && left == threadInterval(b_, dimension);
  }

  const Addresses& addresses_;
  const LinearForms& forms_;
  const Access& a_;
  const Access& b_;
  const Threads threads_;
  const AliasAssumptions& assumptions_;
  const Extensions extensions_;
  const unsigned nesting_;
  Difference difference_;
  std::vector<Pair> pairs_;
};

// ---- what the difference can be ----------------------------------------------------------------

// Without digits that are 0 wherever the difference is in `window`: those that are larger than all
// others can make up, as a multiple of a ring is (C8(ii).7).
Difference withoutLarge(Difference difference, Interval window) {
  std::ranges::sort(difference.digits, {}, &Digit::size);
  while (!difference.digits.empty()) {
    Interval others = Interval::of(difference.constant) - window;
    for (std::size_t k = 0; k + 1 < difference.digits.size(); ++k) {
      others = others + difference.digits[k].values * difference.digits[k].coefficient;
    }
    const Digit& largest = difference.digits.back();
    const Interval all = others + largest.values * largest.coefficient;
    // No multiple of 2^bits but 0 is among them.
    const std::uint64_t most = std::uint64_t{1} << std::min(difference.bits, 62u);
    const bool isZero = all.isBounded() && magnitude(all) < most &&
                        largest.size() > magnitude(others) && largest.values.contains(0);
    if (!isZero) break;
    difference.digits.pop_back();
  }
  return difference;
}

// Whether constant + digits can be a number of `window`, modulo 2^bits.
AliasRule avoids(const Difference& given, Interval window) {
  const Difference difference = withoutLarge(given, window);
  Interval sum = Interval::of(difference.constant);
  std::uint64_t divisor = 0;
  for (const Digit& digit : difference.digits) {
    sum = sum + digit.values * digit.coefficient;
    divisor = std::gcd(divisor, digit.size());
  }
  if (sum.isBounded()) {
    if (difference.bits < 63) {
      // Some number of the sum is one of the window plus a multiple of 2^bits?
      const std::int64_t modulus = std::int64_t{1} << difference.bits;
      const Interval distance = sum - window;
      if (distance.isBounded()) {
        if (firstMultiple(distance, modulus) > lastMultiple(distance, modulus)) {
          return AliasRule::Ranges;
        }
      }
    } else if (sum.highest < window.lowest || sum.lowest > window.highest) {
      // Bounds below 2^62 leave no room for a multiple of 2^64.
      const Interval half{-(std::int64_t{1} << 62), std::int64_t{1} << 62};
      if (half.contains(sum.lowest) && half.contains(sum.highest)) return AliasRule::Ranges;
    }
  }
  // Modulo the powers of two in the divisor, which divide the ring as well.
  if (divisor != 0) {
    const int twos = std::countr_zero(divisor);
    if (twos < 62) {
      // The first number from the lower end of the window on that has the residue of the constant.
      const auto gap = residue(static_cast<std::uint64_t>(difference.constant) -
                                   static_cast<std::uint64_t>(window.lowest),
                               static_cast<unsigned>(twos));
      if (gap > static_cast<std::uint64_t>(window.highest - window.lowest)) {
        return AliasRule::Residues;
      }
    }
  }
  return AliasRule::None;
}

// Whether a number of `window` means that all thread ids agree in `dimensions`.
//
// Digits in ascending order of their coefficients are those of a mixed radix, if each coefficient
// is larger than all that smaller digits and the window can make up (C8(ii).3): then the largest
// digit that is not 0 cannot be compensated.  Digits without bounds are counted modulo the largest
// power of two that divides all of them; the ring is one more of these (C8(iii).1).
bool meansSameThread(const Difference& difference, Interval window, unsigned dimensions) {
  if (dimensions == 0) return true;
  if (magnitude(difference.constant) >> 62 != 0) return false;
  // What is left for the digits to make up, after the smaller ones.
  Interval rest = window - Interval::of(difference.constant);

  unsigned modulusBits = difference.bits;
  std::vector<Digit> digits;
  for (const Digit& digit : difference.digits) {
    if (digit.most() == kUnbounded ||
        saturatingMultiply(digit.size(), digit.most()) == kUnbounded) {
      modulusBits = std::min(modulusBits, static_cast<unsigned>(std::countr_zero(digit.size())));
      if (digit.threadDimensions != 0) return false;
    } else {
      digits.push_back(digit);
    }
  }
  std::ranges::sort(digits, {}, &Digit::size);
  // Those after the last one of a thread id need not be told apart: together they are a multiple
  // of their divisor.
  std::size_t threadEnd = digits.size();
  std::uint64_t divisor = 0;
  while (threadEnd > 0 && digits[threadEnd - 1].threadDimensions == 0) {
    divisor = std::gcd(divisor, digits[--threadEnd].size());
  }
  unsigned determined = 0;
  bool areTogether = false;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    determined |= digits[k].threadDimensions;
    if (k == threadEnd) areTogether = divisor > magnitude(rest);
    if (determined != 0 && digits[k].size() <= magnitude(rest) && !areTogether) return false;
    rest = rest - digits[k].values * digits[k].coefficient;
  }
  const bool wraps =
      !rest.isBounded() || (modulusBits < 64 && magnitude(rest) >= std::uint64_t{1} << modulusBits);
  return !wraps && (dimensions & ~determined) == 0;
}

// The dimensions in which two threads that get to the accesses can differ; of two warps, those in
// which they must.
unsigned freeDimensions(const Access& a, const Access& b, Threads threads,
                        const AliasAssumptions& assumptions) {
  unsigned dimensions = 0;
  for (unsigned k = 0; k < 3; ++k) {
    const bool isFlat = assumptions.oneRow && k > 0;
    const bool isPinned = a.thread[k].isSingle() && a.thread[k] == b.thread[k];
    if (!isFlat && !isPinned) dimensions |= 1u << k;
  }
  if (threads != Threads::DifferentWarps) return dimensions;
  if (areOfOneWarp(linearIdOf(a, assumptions), linearIdOf(b, assumptions))) return 0;
  constexpr unsigned kX = 1;
  if ((dimensions & kX) != 0 && rowsAreWholeWarps(a.origin->shape(), assumptions.oneRow) &&
      rowsAreWholeWarps(b.origin->shape(), assumptions.oneRow)) {
    dimensions &= ~kX;
    if (!areOfOneWarp(a.thread[0], b.thread[0])) dimensions |= kWarpOfRow;
  }
  return dimensions;
}

bool DifferenceBuilder::determinesThread(FormId form) const {
  if (nesting_ == kMostNesting) return false;
  DifferenceBuilder inner(addresses_, a_, b_, threads_, assumptions_, extensions_, nesting_ + 1);
  const Difference difference = inner.of(form, form, isa::Space::None);
  return meansSameThread(difference, Interval::of(0),
                         freeDimensions(a_, b_, threads_, assumptions_));
}

// ---- spaces and objects ------------------------------------------------------------------------

using Kind = MemoryBase::Kind;

// Every thread has its own local memory.
Spaces sharedSpaces(Spaces spaces, Threads threads) {
  const bool areTwo = threads == Threads::Different || threads == Threads::DifferentWarps;
  return areTwo ? spaces.without(isa::Space::Local) : spaces;
}

AliasRule disjointBases(const Access& a, const MemoryBase& x, const Access& b, const MemoryBase& y,
                        Threads threads, const AliasAssumptions& assumptions) {
  if (!sharedSpaces(x.spaces, threads).intersects(sharedSpaces(y.spaces, threads))) {
    return AliasRule::Spaces;
  }
  if (x.kind == Kind::Unknown || y.kind == Kind::Unknown) return AliasRule::None;
  if (x.kind == Kind::Parameter || y.kind == Kind::Parameter) {
    const bool areDistinct = x.kind == y.kind
                                 ? assumptions.noaliasParams && x.variable != y.variable
                                 : assumptions.noaliasVariables;
    return areDistinct ? AliasRule::Objects : AliasRule::None;
  }
  if (x.kind == Kind::DynamicShared && y.kind == Kind::DynamicShared) return AliasRule::None;
  const bool isShared = x.spaces.isOnly(isa::Space::Shared);
  // What a function has in local memory is gone when it returns.
  const bool isGone = x.spaces.isOnly(isa::Space::Local) && a.origin != b.origin;
  const bool mayLeave = isShared && assumptions.flatShared;
  return x.variable != y.variable && !mayLeave && !isGone ? AliasRule::Objects : AliasRule::None;
}

// The only space of both.
isa::Space commonSpace(const Access& a, const Access& b) {
  for (const isa::Space space : {isa::Space::Shared, isa::Space::Local, isa::Space::Const}) {
    if (a.spaces.isOnly(space) && b.spaces.isOnly(space)) return space;
  }
  return isa::Space::None;
}

}  // namespace

bool haveOneWindow(const Access& a, const Access& b) {
  return a.window == b.window || commonSpace(a, b) != isa::Space::None;
}

std::string_view spelling(AliasRule rule) {
  switch (rule) {
    case AliasRule::None:
      return "may overlap";
    case AliasRule::Spaces:
      return "different state spaces";
    case AliasRule::Objects:
      return "different objects";
    case AliasRule::Ranges:
      return "different byte ranges";
    case AliasRule::Residues:
      return "different residues";
    case AliasRule::OneThread:
      return "one thread on both sides";
    case AliasRule::OneLeader:
      return "one elected leader on both sides";
    case AliasRule::Injective:
      return "each thread has its own bytes";
    case AliasRule::OneWarp:
      return "one warp on both sides";
    case AliasRule::WarpInjective:
      return "each warp has its own bytes";
    case AliasRule::RaceFree:
      return "else there were a data race";
  }
  return {};
}

namespace {

// `threads` of one CTA that execute both differ in nothing.
bool areOne(const Access& a, const Access& b, Threads threads,
            const AliasAssumptions& assumptions) {
  const unsigned dimensions = freeDimensions(a, b, threads, assumptions);
  if (dimensions == 0) return true;
  if (a.origin != b.origin) return false;
  // The same form is 0 on both sides.
  return std::ranges::any_of(a.zeros, [&](FormId zero) {
    if (std::ranges::find(b.zeros, zero) == b.zeros.end()) return false;
    DifferenceBuilder builder(*a.origin, a, b, threads, assumptions);
    return meansSameThread(builder.of(zero, zero, isa::Space::None), Interval::of(0), dimensions);
  });
}

}  // namespace

AliasRule singleThread(const Access& a, const Access& b, const AliasAssumptions& assumptions) {
  if (areOne(a, b, Threads::Different, assumptions)) return AliasRule::OneThread;
  const bool areLeaders =
      a.electionMask != 0 && a.electionMask == b.electionMask && a.origin == b.origin;
  return areLeaders && areOne(a, b, Threads::DifferentWarps, assumptions) ? AliasRule::OneLeader
                                                                          : AliasRule::None;
}

bool overlapIsOfStore(const Access& store, const Access& other,
                      const AliasAssumptions& assumptions) {
  if (store.isCollective || other.isCollective || store.origin != other.origin ||
      store.address == kNone || other.address == kNone || store.size == 0 || other.size == 0 ||
      !haveOneWindow(store, other)) {
    return false;
  }
  const LinearForms& forms = store.origin->forms();
  // Where all threads store to one address, as programs do with one value, nothing is said.
  if (forms.isUniform(store.address)) return false;
  const LinearForm own = forms.form(store.address);
  const LinearForm others = forms.form(other.address);
  // What the thread touches by `other` is part of what it stores.
  const bool isSameForm = own.bits == others.bits && std::ranges::equal(own.terms, others.terms);
  if (isSameForm && forms.isStable(store.address)) {
    const std::uint64_t offset = residue(others.constant - own.constant, own.bits);
    if (offset < store.size && other.size <= store.size - offset) return true;
  }
  // Threads that agree in these dimensions store to the same bytes.
  unsigned dimensions = 0;
  for (const Term& term : own.terms) {
    const Leaf& leaf = forms.leaf(term.leaf);
    if (leaf.uniform) continue;
    const LeafKey& key = leaf.key;
    if (key.kind != LeafKind::Special || isa::specialRegisters()[key.id / 4].name != "%tid" ||
        key.id % 4 > 2) {
      return false;
    }
    dimensions |= 1u << (key.id % 4);
  }
  const Interval window{1 - std::int64_t{store.size}, std::int64_t{other.size} - 1};
  const Difference difference =
      DifferenceBuilder(*store.origin, store, other, Threads::Different, assumptions)
          .of(store.address, other.address, commonSpace(store, other));
  dimensions &= freeDimensions(store, other, Threads::Different, assumptions);
  return meansSameThread(difference, window, dimensions);
}

AliasRule disjoint(const Access& a, const Access& b, Threads threads,
                   const AliasAssumptions& assumptions) {
  AliasRule rule = AliasRule::Spaces;
  for (const MemoryBase& x : a.bases) {
    for (const MemoryBase& y : b.bases) {
      const AliasRule one = disjointBases(a, x, b, y, threads, assumptions);
      if (one != AliasRule::Spaces && rule != AliasRule::None) rule = one;
    }
  }
  if (rule != AliasRule::None) return rule;

  const bool isOneObject = a.bases.size() == 1 && b.bases.size() == 1 && a.bases == b.bases &&
                           a.bases[0].kind != Kind::Unknown;
  if (isOneObject && a.bytes.isBounded() && b.bytes.isBounded() &&
      intersection(a.bytes, b.bytes).isEmpty()) {
    return AliasRule::Ranges;
  }
  const bool isAffine = !a.isCollective && !b.isCollective;  // C8.1
  const bool areWarps = threads == Threads::DifferentWarps;
  const bool areTwo = areWarps || threads == Threads::Different;
  if (areWarps && isAffine && areOne(a, b, threads, assumptions)) return AliasRule::OneWarp;
  if (threads == Threads::Different && isAffine) {
    const AliasRule one = singleThread(a, b, assumptions);
    if (one != AliasRule::None) return one;
  }
  if (!isAffine || a.origin != b.origin || a.address == kNone || b.address == kNone ||
      a.size == 0 || b.size == 0 || !haveOneWindow(a, b)) {
    return AliasRule::None;
  }
  // a - b is in here if and only if they meet.
  const Interval window{1 - std::int64_t{a.size}, std::int64_t{b.size} - 1};
  for (const Extensions extensions : {Extensions::Whole, Extensions::Opened}) {
    const Difference difference =
        DifferenceBuilder(*a.origin, a, b, threads, assumptions, extensions)
            .of(a.address, b.address, commonSpace(a, b));
    if (const AliasRule avoided = avoids(difference, window); avoided != AliasRule::None) {
      return avoided;
    }
    if (areTwo && meansSameThread(difference, window, freeDimensions(a, b, threads, assumptions))) {
      return areWarps ? AliasRule::WarpInjective : AliasRule::Injective;
    }
    if (!difference.hasExtensions) break;
  }
  return AliasRule::None;
}

}  // namespace ptxopt::analysis
