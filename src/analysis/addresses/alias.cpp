// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/alias.h"

#include <algorithm>

#include "analysis/addresses/difference_builder.h"
#include "analysis/addresses/thread_dimensions.h"

namespace ptxopt::analysis {

namespace {

using Kind = MemoryBase::Kind;

bool areTwo(Threads threads) {
  return threads != Threads::Same && threads != Threads::Any;
}

// Every thread has its own local memory.
Spaces sharedSpaces(Spaces spaces, Threads threads) {
  return areTwo(threads) ? spaces.without(isa::Space::Local) : spaces;
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
    case AliasRule::FarPointers:
      return "pointers far enough apart";
  }
  return {};
}

namespace {

// `threads` of one CTA that execute both differ in nothing.
bool areOne(const Access& a, const Access& b, Threads threads) {
  const unsigned dimensions = freeDimensions(a, b, threads);
  if (dimensions == 0) return true;
  if (a.origin != b.origin) return false;
  // The same form is 0 on both sides.
  return std::ranges::any_of(a.zeros, [&](FormId zero) {
    if (std::ranges::find(b.zeros, zero) == b.zeros.end()) return false;
    DifferenceBuilder builder(a, b, threads);
    return meansSameThread(builder.of(zero, zero, isa::Space::None), Interval::of(0), dimensions);
  });
}

}  // namespace

AliasRule singleThread(const Access& a, const Access& b, Threads threads) {
  if (areOne(a, b, threads)) return AliasRule::OneThread;
  const bool areLeaders =
      a.electionMask != 0 && a.electionMask == b.electionMask && a.origin == b.origin;
  return areLeaders && areOne(a, b, Threads::DifferentWarps) ? AliasRule::OneLeader
                                                             : AliasRule::None;
}

bool overlapIsOfStore(const Access& store, const Access& other) {
  if (store.isCollective || other.isCollective || store.origin != other.origin ||
      store.address == FormId::None || other.address == FormId::None || store.size == 0 ||
      other.size == 0 || !haveOneWindow(store, other)) {
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
    const std::optional<unsigned> dimension = threadDimension(leaf.key);
    if (!dimension) return false;
    dimensions |= 1u << *dimension;
  }
  const Interval window{1 - std::int64_t{store.size}, std::int64_t{other.size} - 1};
  const Difference difference = DifferenceBuilder(store, other, Threads::Different)
                                    .of(store.address, other.address, commonSpace(store, other));
  dimensions &= freeDimensions(store, other, Threads::Different);
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
  if (areWarps && isAffine && areOne(a, b, threads)) return AliasRule::OneWarp;
  if (areTwo(threads) && !areWarps && isAffine) {
    const AliasRule one = singleThread(a, b, threads);
    if (one != AliasRule::None) return one;
  }
  if (!isAffine || a.origin != b.origin || a.address == FormId::None || b.address == FormId::None ||
      a.size == 0 || b.size == 0 || !haveOneWindow(a, b)) {
    return AliasRule::None;
  }
  // a - b is in here if and only if they meet.
  const Interval window{1 - std::int64_t{a.size}, std::int64_t{b.size} - 1};
  for (const ExtensionDifference extensions :
       {ExtensionDifference::Whole, ExtensionDifference::Opened}) {
    const Difference difference =
        DifferenceBuilder(a, b, threads, extensions).of(a.address, b.address, commonSpace(a, b));
    if (const AliasRule avoided = avoids(difference, window); avoided != AliasRule::None) {
      return avoided;
    }
    if (areTwo(threads) && meansSameThread(difference, window, freeDimensions(a, b, threads))) {
      return areWarps ? AliasRule::WarpInjective : AliasRule::Injective;
    }
    if (!difference.hasExtensions) break;
  }
  return AliasRule::None;
}

}  // namespace ptxopt::analysis
