// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/pointer_distance.h"

#include <algorithm>
#include <bit>

#include "analysis/addresses/difference_builder.h"

namespace ptxopt::analysis {

namespace {

constexpr unsigned kPointerBits = 64;
// Pointers of one program often differ by multiples of powers of two below this one.
constexpr unsigned kLeastBits = 32;
// At most one in 2^kSpareBits of the differences may mean that accesses meet, and at most so many
// bytes on each side.
constexpr unsigned kSpareBits = 8;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 32;

// The only parameter that the address of `a` contains, once, and that of `b` does not.
std::optional<LeafId> ownPointer(const LinearForms& forms, const LinearForm& a,
                                 const LinearForm& b) {
  std::optional<LeafId> found;
  for (const Term& term : a.terms) {
    const LeafKey& key = forms.leaf(term.leaf).key;
    if (key.kind != LeafKind::Parameter) continue;
    if (std::ranges::find(b.terms, term.leaf, &Term::leaf) != b.terms.end()) continue;
    if (found || term.coefficient != 1 || key.bits != kPointerBits) return std::nullopt;
    found = term.leaf;
  }
  return found;
}

LaunchPointer pointerOf(const LeafKey& key) {
  return {ir::SymbolId{key.id}, key.offset};
}

// What first - second is wherever first - second + the difference is in the window, modulo 2^bits;
// none without bounds.
std::optional<Interval> meeting(const Difference& difference, Interval window, unsigned bits) {
  Interval sum = Interval::of(difference.constant);
  for (const Digit& digit : difference.digits) {
    const bool isMultiple = static_cast<unsigned>(std::countr_zero(digit.size())) >= bits;
    if (!isMultiple) sum = sum + digit.values * digit.coefficient;
  }
  const Interval result = window - sum;
  const Interval small{-kMostBytes, kMostBytes};
  const bool isSmall = result.isBounded() && small.contains(result.lowest) &&
                       small.contains(result.highest) && !result.isEmpty();
  if (!isSmall) return std::nullopt;
  const bool isRare = bits == kPointerBits ||
                      result.highest - result.lowest < std::int64_t{1} << (bits - kSpareBits);
  return isRare ? std::optional(result) : std::nullopt;
}

PointerDistance distance(const Access& of, LaunchPointer first, LaunchPointer second, unsigned bits,
                         Interval meeting) {
  const ir::Function* const kernel = &of.origin->ssa().cfg().function();
  if (first < second) return {kernel, first, second, bits, meeting};
  return {kernel, second, first, bits, -meeting};
}

std::optional<PointerDistance> distanceByAddresses(const Access& a, const Access& b,
                                                   Threads threads) {
  const bool areComparable = !a.isCollective && !b.isCollective && a.origin == b.origin &&
                             a.address != FormId::None && b.address != FormId::None &&
                             a.size != 0 && b.size != 0 && haveOneWindow(a, b);
  if (!areComparable) return std::nullopt;
  const LinearForms& forms = a.origin->forms();
  const auto first = ownPointer(forms, forms.form(a.address), forms.form(b.address));
  const auto second = ownPointer(forms, forms.form(b.address), forms.form(a.address));
  if (!first || !second) return std::nullopt;

  DifferenceBuilder builder(a, b, threads, ExtensionDifference::Opened);
  builder.leaveOut(*first);
  builder.leaveOut(*second);
  const Difference difference = builder.of(a.address, b.address, isa::Space::None);
  if (difference.bits != kPointerBits) return std::nullopt;
  std::vector<unsigned> powers = {kPointerBits};
  for (const Digit& digit : difference.digits) {
    powers.push_back(static_cast<unsigned>(std::countr_zero(digit.size())));
  }
  std::ranges::sort(powers, std::greater());
  const Interval window{1 - std::int64_t{a.size}, std::int64_t{b.size} - 1};
  for (const unsigned bits : powers) {
    if (bits < kLeastBits) break;
    const auto found = meeting(difference, window, bits);
    if (!found) continue;
    return distance(a, pointerOf(forms.leaf(*first).key), pointerOf(forms.leaf(*second).key), bits,
                    *found);
  }
  return std::nullopt;
}

// The only pointer through which it goes, if the size of its memory is known.  Only accesses to
// .global have such a base, so pointers are numbers of one window.
std::optional<std::pair<LaunchPointer, std::int64_t>> memoryOf(const Access& access) {
  if (access.bases.size() != 1) return std::nullopt;
  const MemoryBase& base = access.bases[0];
  if (base.kind != MemoryBase::Kind::Parameter) return std::nullopt;
  for (const ir::PointedBytes& pointed : base.variable->pointed) {
    if (pointed.offset != base.offset) continue;
    const LaunchPointer pointer{base.variable->symbol, base.offset};
    return std::pair(pointer, static_cast<std::int64_t>(pointed.bytes));
  }
  return std::nullopt;
}

std::optional<PointerDistance> distanceBySizes(const Access& a, const Access& b) {
  const auto first = memoryOf(a);
  const auto second = memoryOf(b);
  const bool areTwo = first && second && first->first != second->first && a.origin == b.origin;
  if (!areTwo) return std::nullopt;
  return distance(a, first->first, second->first, kPointerBits,
                  {1 - first->second, second->second - 1});
}

}  // namespace

std::optional<PointerDistance> distanceToKeepApart(const Access& a, const Access& b,
                                                   Threads threads) {
  const auto byAddresses = distanceByAddresses(a, b, threads);
  return byAddresses ? byAddresses : distanceBySizes(a, b);
}

void addDistance(std::vector<PointerDistance>& all, const PointerDistance& more) {
  const auto known = std::ranges::find_if(all, [&](const PointerDistance& one) {
    return one.kernel == more.kernel && one.first == more.first && one.second == more.second &&
           one.bits == more.bits;
  });
  if (known == all.end()) {
    all.push_back(more);
  } else {
    known->meeting = hull(known->meeting, more.meeting);
  }
}

}  // namespace ptxopt::analysis
