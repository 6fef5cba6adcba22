#include "analysis/alias.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

namespace ptxopt::analysis {

namespace {

constexpr unsigned kMostNesting = 3;  // of extended forms
constexpr unsigned kAllDimensions = 7;
constexpr std::uint64_t kUnbounded = ~std::uint64_t{0};

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                   : static_cast<std::uint64_t>(value);
}
std::uint64_t saturatingAdd(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kUnbounded : sum;
}
std::uint64_t saturatingMultiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kUnbounded : product;
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
  std::uint64_t most() const {  // of the absolute numbers
    if (!values.isBounded()) return kUnbounded;
    return std::max(magnitude(values.lowest), magnitude(values.highest));
  }
};

// The difference is constant + the sum of the digits, modulo 2^bits.
struct Difference {
  unsigned bits = 64;
  std::int64_t constant = 0;
  std::vector<Digit> digits;
};

class DifferenceBuilder {
 public:
  DifferenceBuilder(const Addresses& addresses, const Access& a, const Access& b, Threads threads,
                    const AliasAssumptions& assumptions, unsigned nesting = 0)
      : addresses_(addresses),
        forms_(addresses.forms()),
        a_(a),
        b_(b),
        threads_(threads),
        assumptions_(assumptions),
        nesting_(nesting) {}

  // `dropped`: the window of the space in which both accesses are, if it is one.
  Difference of(FormId left, FormId right, isa::Space dropped) {
    const Form a = forms_.form(left);
    const Form b = forms_.form(right);
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
    for (const Pair& pair : pairs_) add(pair);
    return std::move(difference_);
  }

 private:
  struct Pair {
    LeafId leaf = 0;
    std::uint64_t left = 0;  // coefficients
    std::uint64_t right = 0;
  };

  static bool isGeneric(const Access& access) {
    return access.instruction->form->space == isa::Space::None;
  }

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
    if (values.isSingle() && threadDimensions == 0) {
      // Modulo 2^bits, so wrapping does no harm.
      const std::uint64_t sum =
          static_cast<std::uint64_t>(difference_.constant) +
          static_cast<std::uint64_t>(c) * static_cast<std::uint64_t>(values.lowest);
      difference_.constant = signedResidue(residue(sum, difference_.bits), difference_.bits);
      return;
    }
    difference_.digits.push_back({c, values, threadDimensions});
  }

  void add(const Pair& pair) {
    const Leaf& leaf = forms_.leaf(pair.leaf);
    const Interval left = intervalOf(a_, pair.leaf);
    const Interval right = intervalOf(b_, pair.leaf);
    const bool isSameNumber = threads_ == Threads::Same ? leaf.stable : leaf.uniform;
    if (isSameNumber) {
      addDigit(pair.left - pair.right, intersection(left, right));
      return;
    }
    if (pair.left == pair.right) {
      addDigit(pair.left, left - right, dimensionsOf(pair.leaf));
      return;
    }
    if (pair.left != 0) addDigit(pair.left, left);
    if (pair.right != 0) addDigit(std::uint64_t{0} - pair.right, right);
  }

  // The dimensions of the thread id that equal numbers of this leaf determine.
  unsigned dimensionsOf(LeafId id) const {
    if (threads_ == Threads::Same) return 0;
    if (const std::optional<unsigned> k = threadDimension(id); k && *k < 3) return 1u << *k;
    const Leaf& leaf = forms_.leaf(id);
    const bool isExtended =
        leaf.key.kind == LeafKind::SignExtended || leaf.key.kind == LeafKind::ZeroExtended;
    return isExtended && determinesThread(leaf.key.id) ? kAllDimensions : 0;
  }

  bool determinesThread(FormId form) const;

  // tid.x + ntid.x * (tid.y + ntid.y * tid.z), times some coefficient: another number for every
  // thread, whatever the shape (C8(ii).4).
  void takeLinearId() {
    const auto find = [&](std::vector<std::pair<std::string_view, unsigned>> names) -> Pair* {
      for (Pair& pair : pairs_) {
        if (pair.left == pair.right && isProduct(pair.leaf, names)) return &pair;
      }
      return nullptr;
    };
    Pair* const x = find({{"%tid", 0}});
    Pair* const y = find({{"%ntid", 0}, {"%tid", 1}});
    Pair* const z = find({{"%ntid", 0}, {"%ntid", 1}, {"%tid", 2}});
    if (x == nullptr || y == nullptr || y->left != x->left) return;
    const bool isFlat = isPinned(2);
    if (!isFlat && (z == nullptr || z->left != x->left)) return;
    std::int64_t threads = 1;
    for (const std::uint32_t extent : addresses_.shape().most) threads *= extent;
    addDigit(x->left, {1 - threads, threads - 1}, kAllDimensions);
    x->left = x->right = y->left = y->right = 0;
    if (z != nullptr && z->left != 0 && !isFlat) z->left = z->right = 0;
    std::erase_if(pairs_, [](const Pair& pair) { return pair.left == 0 && pair.right == 0; });
  }

  bool isProduct(LeafId id, std::vector<std::pair<std::string_view, unsigned>> names) const {
    const Leaf& leaf = forms_.leaf(id);
    std::vector<LeafId> factors = {id};
    if (leaf.key.kind == LeafKind::Product) {
      const std::span<const std::uint32_t> list = forms_.list(leaf);
      factors.assign(list.begin(), list.end());
    }
    if (factors.size() != names.size()) return false;
    for (const LeafId factor : factors) {
      const auto at = std::ranges::find_if(names, [&](const auto& name) {
        return specialComponent(factor, name.first) == name.second;
      });
      if (at == names.end()) return false;
      names.erase(at);
    }
    return true;
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
  const unsigned nesting_;
  Difference difference_;
  std::vector<Pair> pairs_;
};

// ---- what the difference can be ----------------------------------------------------------------

// The quotients of the first and of the last multiple of `unit` in a bounded interval; the last is
// before the first where there is none.
std::int64_t firstMultiple(Interval interval, std::int64_t unit) {
  return interval.lowest / unit + std::int64_t{interval.lowest % unit > 0};
}
std::int64_t lastMultiple(Interval interval, std::int64_t unit) {
  return interval.highest / unit - std::int64_t{interval.highest % unit < 0};
}

// Whether constant + digits can be a number of `window`, modulo 2^bits.
AliasRule avoids(const Difference& difference, Interval window) {
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
  const std::uint64_t low = magnitude(window.lowest - difference.constant);
  const std::uint64_t high = magnitude(window.highest - difference.constant);
  const std::uint64_t reach = std::max(low, high);

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
  // Those behind the last one of a thread id need not be told apart: together they are a multiple
  // of their divisor.
  std::size_t threadEnd = digits.size();
  std::uint64_t divisor = 0;
  while (threadEnd > 0 && digits[threadEnd - 1].threadDimensions == 0) {
    divisor = std::gcd(divisor, digits[--threadEnd].size());
  }
  std::uint64_t sum = reach;  // of what smaller digits and the window can make up
  unsigned determined = 0;
  bool areTogether = false;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    determined |= digits[k].threadDimensions;
    if (k == threadEnd) areTogether = divisor > sum;
    if (determined != 0 && digits[k].size() <= sum && !areTogether) return false;
    sum = saturatingAdd(sum, saturatingMultiply(digits[k].size(), digits[k].most()));
  }
  const bool wraps =
      sum == kUnbounded || (modulusBits < 64 && sum >= std::uint64_t{1} << modulusBits);
  return !wraps && (dimensions & ~determined) == 0;
}

// The dimensions in which two threads that get to the accesses can differ.
unsigned freeDimensions(const Access& a, const Access& b, const AliasAssumptions& assumptions) {
  unsigned dimensions = 0;
  for (unsigned k = 0; k < 3; ++k) {
    const bool isFlat = assumptions.oneRow && k > 0;
    const bool isPinned = a.thread[k].isSingle() && a.thread[k] == b.thread[k];
    if (!isFlat && !isPinned) dimensions |= 1u << k;
  }
  return dimensions;
}

bool DifferenceBuilder::determinesThread(FormId form) const {
  if (nesting_ == kMostNesting) return false;
  DifferenceBuilder inner(addresses_, a_, b_, threads_, assumptions_, nesting_ + 1);
  const Difference difference = inner.of(form, form, isa::Space::None);
  return meansSameThread(difference, Interval::of(0), freeDimensions(a_, b_, assumptions_));
}

// ---- spaces and objects ------------------------------------------------------------------------

using Kind = MemoryBase::Kind;

// Every thread has its own local memory.
Spaces sharedSpaces(Spaces spaces, Threads threads) {
  return threads == Threads::Different ? spaces.without(isa::Space::Local) : spaces;
}

AliasRule disjointBases(const Access& a, const MemoryBase& x, const Access& b, const MemoryBase& y,
                        Threads threads, const AliasAssumptions& assumptions) {
  if (!sharedSpaces(x.spaces, threads).intersects(sharedSpaces(y.spaces, threads))) {
    return AliasRule::Spaces;
  }
  if (x.kind == Kind::Unknown || y.kind == Kind::Unknown) return AliasRule::None;
  if (x.kind == Kind::Parameter || y.kind == Kind::Parameter) {
    const bool areDistinct = x.kind == y.kind && x.variable != y.variable;
    return areDistinct && assumptions.noaliasParams ? AliasRule::Objects : AliasRule::None;
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
    case AliasRule::Injective:
      return "each thread has its own bytes";
  }
  return {};
}

bool singleThread(const Access& a, const Access& b, const AliasAssumptions& assumptions) {
  const unsigned dimensions = freeDimensions(a, b, assumptions);
  if (dimensions == 0) return true;
  if (a.origin != b.origin) return false;
  // The same form is 0 on both sides.
  return std::ranges::any_of(a.zeros, [&](FormId zero) {
    if (std::ranges::find(b.zeros, zero) == b.zeros.end()) return false;
    DifferenceBuilder builder(*a.origin, a, b, Threads::Different, assumptions);
    return meansSameThread(builder.of(zero, zero, isa::Space::None), Interval::of(0), dimensions);
  });
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
  if (threads == Threads::Different && isAffine && singleThread(a, b, assumptions)) {
    return AliasRule::OneThread;
  }
  if (!isAffine || a.origin != b.origin || a.address == kNone || b.address == kNone ||
      a.size == 0 || b.size == 0) {
    return AliasRule::None;
  }
  // a - b is in here if and only if they meet.
  const Interval window{1 - std::int64_t{a.size}, std::int64_t{b.size} - 1};
  const Difference difference = DifferenceBuilder(*a.origin, a, b, threads, assumptions)
                                    .of(a.address, b.address, commonSpace(a, b));
  if (const AliasRule avoided = avoids(difference, window); avoided != AliasRule::None) {
    return avoided;
  }
  const bool isInjective = threads == Threads::Different &&
                           meansSameThread(difference, window, freeDimensions(a, b, assumptions));
  return isInjective ? AliasRule::Injective : AliasRule::None;
}

}  // namespace ptxopt::analysis
