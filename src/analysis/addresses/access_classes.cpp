// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/access_classes.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "support/limits.h"

namespace ptxopt::analysis {

// ---- sets --------------------------------------------------------------------------------------

EffectMarks AccessSet::addMarks(EffectMarks marks) {
  const auto added = static_cast<EffectMarks>(marks & ~marks_);
  marks_ |= marks;
  return added;
}

bool AccessSet::add(Key key) {
  // Most sets have several keys.
  if (keys_.capacity() == 0) keys_.reserve(kUsualSize);
  if (keys_.empty() || keys_.back() < key) {
    keys_.push_back(key);
    return true;
  }
  const auto at = std::lower_bound(keys_.begin(), keys_.end(), key);
  if (*at == key) return false;
  keys_.insert(at, key);
  return true;
}

void AccessSet::add(std::span<const Key> keys, std::vector<Key>& added) {
  added.clear();
  constexpr std::size_t kWorthSearching = 8;  // keys of the set for each key to look up
  const bool areFew = keys.size() * kWorthSearching < keys_.size();
  auto at = keys_.begin();
  for (const Key key : keys) {
    if (areFew) {
      at = std::lower_bound(at, keys_.end(), key);
    } else {
      while (at != keys_.end() && *at < key) ++at;
    }
    if (at == keys_.end() || *at != key) added.push_back(key);
  }
  if (added.empty()) return;

  const auto before = static_cast<std::ptrdiff_t>(keys_.size());
  keys_.resize(keys_.size() + added.size());
  auto from = keys_.begin() + before;
  auto to = keys_.end();
  for (std::size_t k = added.size(); k-- > 0;) {
    while (from != keys_.begin() && from[-1] > added[k]) *--to = *--from;
    *--to = added[k];
  }
}

void AccessSet::absorb(AccessSet&& other) {
  marks_ |= other.marks_;
  if (keys_.size() < other.keys_.size()) keys_.swap(other.keys_);
  for (const Key key : other.keys_) add(key);
  other = {};
}

bool AccessSet::contains(Key key) const {
  return std::binary_search(keys_.begin(), keys_.end(), key);
}

std::pair<const AccessSet::Key*, const AccessSet::Key*> AccessSet::range(Key first,
                                                                         Key last) const {
  const auto begin = std::lower_bound(keys_.begin(), keys_.end(), first);
  const auto end = std::lower_bound(begin, keys_.end(), last);
  return {keys_.data() + (begin - keys_.begin()), keys_.data() + (end - keys_.begin())};
}

// ---- classes -----------------------------------------------------------------------------------

std::optional<AccessSet::Key> AccessClasses::keyOf(AccessKinds kinds, const Place& place,
                                                   const Access* access, StoreOfAll storeOfAll) {
  AccessClass of = {kinds, Domain::Any, nullptr, AddressId::None};
  std::uint32_t object = Bucket::kAnyObject;
  if (precision_ != Precision::Flags) {
    if (place.isHarmless) return std::nullopt;
    of.domain = place.domain;
    of.object = place.object;
    if (of.object != nullptr) {
      object = objects_.try_emplace(of.object, static_cast<std::uint32_t>(objects_.size()))
                   .first->second;
    }
  }
  const Bucket at(of.domain, object);
  if (precision_ == Precision::Affine && access != nullptr) {
    of.address = addressOf(*access, storeOfAll);
  }
  if (const ClassId known = find(at, of); known != ClassId::None) return ClassKey(at, known);
  const AccessSet::Key anywhere = intern(at, {kinds, of.domain, of.object, AddressId::None});
  intern(at.withoutObject(), {kinds, of.domain, nullptr, AddressId::None});
  return of.address == AddressId::None ? anywhere : intern(at, of);
}

std::optional<AccessSet::Key> AccessClasses::keyOfSync(const Access& executor, bool isOuter) {
  AccessKinds kinds = kRead | kWrite | kStrongRead | kStrongWrite | kSync;
  if (isOuter) kinds |= kOuter;
  AccessClass of = {kinds, Domain::Any, nullptr, AddressId::None};
  const Bucket at(Bucket::kSyncDomain);
  intern(at, of);
  of.address = addressOf(executor, StoreOfAll::No);
  if (of.address == AddressId::None) return std::nullopt;
  return intern(at, of);
}

std::uint64_t AccessClasses::hashOf(Bucket at, const AccessClass& of) {
  return mixedHash(mixedHash(Bucket::Hash{}(at), indexOf(of.address)), of.kinds);
}

ClassId AccessClasses::find(Bucket at, const AccessClass& of) const {
  return ClassId{classIndex_.find(hashOf(at, of), [&](std::uint32_t number) {
    const AccessClass& other = classes_[ClassId{number}];
    return buckets_[ClassId{number}] == at && other.kinds == of.kinds &&
           other.address == of.address;
  })};
}

AccessSet::Key AccessClasses::intern(Bucket at, const AccessClass& of) {
  if (const ClassId known = find(at, of); known != ClassId::None) return {at, known};
  assert(!byBytes_ && "a class that candidatesFor() would not know");
  const ClassId added = classes_.push_back(of);
  buckets_.push_back(at);
  classIndex_.add(hashOf(at, of), indexOf(added));
  countWithoutAddress_ += std::size_t{of.address == AddressId::None};
  return {at, added};
}

namespace {

// Equal in everything that alias.h uses.
bool areAlike(const Access& a, const Access& b) {
  return a.origin == b.origin && a.address == b.address && a.size == b.size &&
         a.instruction->desc->space == b.instruction->desc->space &&  // whether it is generic
         a.isCollective == b.isCollective && a.window == b.window && a.bytes == b.bytes &&
         a.thread == b.thread && a.bases == b.bases && a.restrictions == b.restrictions &&
         a.electionMask == b.electionMask && a.zeros == b.zeros && a.tests == b.tests;
}

std::uint64_t hashOfAddress(const Access& access, StoreOfAll storeOfAll) {
  std::uint64_t hash = reinterpret_cast<std::uintptr_t>(access.origin);
  hash = mixedHash(hash, std::uint64_t{indexOf(access.address)} << 32 | access.size);
  hash = mixedHash(hash, static_cast<std::uint64_t>(access.bytes.lowest));
  for (const Interval& id : access.thread) {
    hash = mixedHash(hash, static_cast<std::uint64_t>(id.lowest ^ id.highest << 32));
  }
  for (const FormId zero : access.zeros) hash = mixedHash(hash, indexOf(zero));
  for (const Access::Test& test : access.tests) hash = mixedHash(hash, indexOf(test.left));
  return mixedHash(hash, static_cast<std::uint64_t>(storeOfAll));
}

}  // namespace

AddressId AccessClasses::addressOf(const Access& access, StoreOfAll storeOfAll) {
  const std::uint64_t hash = hashOfAddress(access, storeOfAll);
  const AddressId known{addressIndex_.find(hash, [&](std::uint32_t number) {
    const Address& other = addresses_[AddressId{number}];
    return other.storeOfAll == storeOfAll && areAlike(*other.access, access);
  })};
  if (known != AddressId::None) return known;
  if (addresses_.size() >= limits_.addresses) {
    hasTooManyAddresses_ = true;
    return AddressId::None;
  }
  const AddressId added = addresses_.push_back({&access, storeOfAll});
  addressIndex_.add(hash, indexOf(added));
  return added;
}

AccessSet::Key AccessClasses::withoutAddress(AccessSet::Key key) const {
  AccessClass wanted = of(key);
  wanted.address = AddressId::None;
  return {key.bucket(), find(key.bucket(), wanted)};
}

AccessSet::Key AccessClasses::withoutObject(AccessSet::Key key) const {
  const Bucket at = key.bucket().withoutObject();
  AccessClass wanted = of(key);
  wanted.address = AddressId::None;
  return {at, find(at, wanted)};
}

namespace {

// Memory that other CTAs reach at most where shared memory is external.
bool isOfCta(Domain domain) {
  return domain == Domain::Shared || domain == Domain::Tensor;
}

}  // namespace

bool AccessClasses::mayOverlapAndMatter(const AccessClass& above, const AccessClass& below) const {
  const bool isSync = ((above.kinds | below.kinds) & kSync) != 0;
  const bool isSpared = ((above.kinds & kOuter) != 0 && isOfCta(below.domain)) ||
                        ((below.kinds & kOuter) != 0 && isOfCta(above.domain));
  if (isSpared) return false;  // docs/soundness/ C4.4
  const bool isTensor = above.domain == Domain::Tensor || below.domain == Domain::Tensor;
  if (isTensor && !isSync) {
    return above.domain == below.domain && tensorConflict(above.kinds, below.kinds, protocol_);
  }
  const bool mayOverlap =
      above.domain == Domain::Any || below.domain == Domain::Any ||
      (above.domain == below.domain &&
       (above.object == nullptr || below.object == nullptr || above.object == below.object));
  if (!mayOverlap) return false;
  const auto upper = static_cast<AccessKinds>(above.kinds & kMbarrierKinds);
  const auto lower = static_cast<AccessKinds>(below.kinds & kMbarrierKinds);
  if (upper != 0 && lower != 0) return mbarrierConflict(upper, lower, protocol_);
  if (upper != 0 || lower != 0) {
    // docs/soundness/ G1.3
    const AccessKinds kinds = above.kinds | below.kinds;
    return (kinds & kAsync) == 0 && (kinds & (kWrite | kSync)) != 0;
  }
  if (((above.kinds | below.kinds) & kWrite) != 0) return true;
  // docs/soundness/ C4.3
  const bool isExternal =
      sharedIsExternal_ || (above.domain != Domain::Shared && below.domain != Domain::Shared);
  return isExternal && (above.kinds & kStrongRead) != 0;
}

namespace {

bool areFar(Relation relation) {
  return relation == Relation::FarPointers || relation == Relation::OneRowFarPointers;
}

Threads threadsOf(Relation relation) {
  switch (relation) {
    case Relation::TwoWarps:
      return Threads::DifferentWarps;
    case Relation::OneRow:
    case Relation::OneRowFarPointers:
      return Threads::OfOneRow;
    default:
      return Threads::Different;
  }
}

}  // namespace

// For two classes that have addresses.
AliasRule AccessClasses::compare(const AccessClass& above, const AccessClass& below,
                                 Relation relation) const {
  const Address& upper = addresses_[above.address];
  const Address& lower = addresses_[below.address];
  const AccessKinds kinds = above.kinds | below.kinds;
  const bool areSync = (kinds & kSync) != 0;
  const Threads threads = threadsOf(relation);
  if (areFar(relation)) {
    const bool canBeFar = (kinds & (kSync | kAsync | kMbarrierKinds | kTensorKinds)) == 0 &&
                          distanceToKeepApart(*upper.access, *lower.access, threads);
    return canBeFar ? AliasRule::FarPointers : AliasRule::None;
  }
  // An address in tensor memory is not looked at, but who executes the instruction.
  if (areSync || above.domain == Domain::Tensor) {
    const bool isOfRow = relation == Relation::OneRow;
    return singleThread(*upper.access, *lower.access, isOfRow ? threads : Threads::Different);
  }
  const AliasRule rule = disjoint(*upper.access, *lower.access, threads, assumptions_);
  if (rule != AliasRule::None) return rule;
  if (const AliasRule each = compareEach(above.address, below.address, threads);
      each != AliasRule::None) {
    return each;
  }
  const auto isRaceElse = [&](const Address& store, const Address& other, bool isUpper) {
    return (store.storeOfAll == StoreOfAll::Both ||
            (isUpper && store.storeOfAll == StoreOfAll::Above)) &&
           overlapIsOfStore(*store.access, *other.access);
  };
  return isRaceElse(upper, lower, true) || isRaceElse(lower, upper, false) ? AliasRule::RaceFree
                                                                           : AliasRule::None;
}

AliasRule AccessClasses::rule(const AccessClass& above, const AccessClass& below,
                              Relation relation) const {
  if (above.address == AddressId::None || below.address == AddressId::None ||
      work_ >= limits_.work) {
    return AliasRule::None;
  }
  const std::size_t count = addresses_.size();
  std::vector<std::uint8_t>& rules = rules_[static_cast<std::size_t>(relation)];
  if (rules.size() != count * count) rules.assign(count * count, 0);
  std::uint8_t& known = rules[indexOf(above.address) * count + indexOf(below.address)];
  ++work_;
  if (known == 0) {
    work_ += kWorkOfComparison;
    known = static_cast<std::uint8_t>(1 + static_cast<unsigned>(compare(above, below, relation)));
  }
  return static_cast<AliasRule>(known - 1);
}

namespace {

std::span<const Access> variantsOf(const Access& access) {
  return access.variants.empty() ? std::span(&access, 1) : std::span(access.variants);
}

}  // namespace

// Compares each variant of one address with each of the other; thread by thread if necessary.
AliasRule AccessClasses::compareEach(AddressId above, AddressId below, Threads threads) const {
  const Access& one = *addresses_[above].access;
  const Access& other = *addresses_[below].access;
  const auto upper = variantsOf(one);
  const auto lower = variantsOf(other);
  // disjoint() has already compared the two accesses themselves.
  const bool areOthers = !one.variants.empty() || !other.variants.empty();
  AliasRule rule = AliasRule::None;
  for (std::size_t a = 0; a < upper.size(); ++a) {
    for (std::size_t b = 0; b < lower.size(); ++b) {
      if (areOthers) work_ += kWorkOfComparison;
      rule = areOthers ? disjoint(upper[a], lower[b], threads, assumptions_) : AliasRule::None;
      if (rule != AliasRule::None) continue;
      if (!haveOneWindow(upper[a], lower[b]) ||
          !areSeparateByThread(threadAddresses(above, a), threadAddresses(below, b), threads)) {
        return AliasRule::None;
      }
      rule = threads == Threads::DifferentWarps ? AliasRule::WarpInjective : AliasRule::Injective;
    }
  }
  return rule;
}

bool AccessClasses::areSeparateByThread(const ThreadAddresses* above, const ThreadAddresses* below,
                                        Threads threads) const {
  if (above == nullptr || below == nullptr) return false;
  const std::uint64_t work = above->size() + below->size();
  if (work > workOnThreadsLeft_) return false;
  workOnThreadsLeft_ -= work;
  return above->isSeparateFrom(*below, threads);
}

const ThreadAddresses* AccessClasses::threadAddresses(AddressId id, std::size_t variant) const {
  const auto variants = variantsOf(*addresses_[id].access);
  ofThreads_.resize(addresses_.size());
  std::vector<OfThreads>& ofAddress = ofThreads_[indexOf(id)];
  ofAddress.resize(variants.size());
  OfThreads& known = ofAddress[variant];
  if (!std::exchange(known.isAsked, true)) {
    if (ThreadForms* const forms = threadForms(*variants[variant].origin)) {
      known.addresses = ThreadAddresses::of(variants[variant], *forms, workOnThreadsLeft_);
    }
  }
  return known.addresses ? &*known.addresses : nullptr;
}

ThreadForms* AccessClasses::threadForms(const Addresses& origin) const {
  const auto [at, isNew] = threadForms_.try_emplace(&origin);
  if (isNew) at->second = ThreadForms::of(origin);
  return at->second ? &*at->second : nullptr;
}

AliasRule AccessClasses::separation(const AccessClass& above, const AccessClass& below,
                                    Relation relation) const {
  if (areFar(relation)) {
    const bool isOfRow = relation == Relation::OneRowFarPointers;
    const AliasRule always =
        separation(above, below, isOfRow ? Relation::OneRow : Relation::TwoThreads);
    if (always != AliasRule::None) return always;
    const AliasRule far = rule(above, below, relation);
    if (far == AliasRule::FarPointers) {
      addDistance(distances_,
                  *distanceToKeepApart(*accessOf(above), *accessOf(below), threadsOf(relation)));
    }
    return far;
  }
  if (relation == Relation::OneRow) {
    const AliasRule always = rule(above, below, Relation::TwoThreads);
    return always != AliasRule::None ? always : rule(above, below, relation);
  }
  if (relation == Relation::TwoThreads) return rule(above, below, relation);
  // bar.warp.sync orders only weak pairs (docs/soundness/ A3.1, F8).
  constexpr AccessKinds kOthers =
      kStrongRead | kStrongWrite | kAsync | kMbarrierKinds | kTensorKinds;
  const bool isWeak = ((above.kinds | below.kinds) & kOthers) == 0;
  const AliasRule ofWarps = isWeak ? rule(above, below, relation) : AliasRule::None;
  return ofWarps != AliasRule::None ? ofWarps : rule(above, below, Relation::TwoThreads);
}

std::vector<PointerDistance> AccessClasses::takeDistances() const {
  return std::exchange(distances_, {});
}

bool AccessClasses::mayConflict(const AccessClass& above, const AccessClass& below,
                                Relation relation) const {
  return mayOverlapAndMatter(above, below) && separation(above, below, relation) == AliasRule::None;
}

const MemoryBase* AccessClasses::knownBase(const AccessClass& of) const {
  const Access* access = accessOf(of);
  const bool isKnown = access != nullptr && access->bases.size() == 1 &&
                       access->bases[0].kind != MemoryBase::Kind::Unknown &&
                       access->bytes.isBounded() && !access->bytes.isEmpty();
  return isKnown ? &access->bases[0] : nullptr;
}

AccessClasses::BytesOfBuckets AccessClasses::bytesOfBuckets() const {
  BytesOfBuckets all;
  std::unordered_map<Bucket, std::vector<IntervalIndex::Entry>, Bucket::Hash> entries;
  for (const ClassId id : classes_.ids()) {
    const AccessClass& of = classes_[id];
    const Bucket at = buckets_[id];
    ClassesByBytes& classes = all[at];
    std::vector<IntervalIndex::Entry>& known = entries[at];
    const MemoryBase* const base = knownBase(of);
    if (known.empty() && base != nullptr) classes.base = *base;
    if (base != nullptr && *base == classes.base) {
      known.push_back({accessOf(of)->bytes, indexOf(id)});
    } else {
      classes.others.push_back(id);
    }
  }
  for (auto& [at, known] : entries) all[at].ranges = IntervalIndex(std::move(known));
  return all;
}

std::optional<std::vector<ClassId>> AccessClasses::candidatesFor(AccessSet::Key key) const {
  const MemoryBase* const base = knownBase(of(key));
  if (base == nullptr) return std::nullopt;
  if (!byBytes_) byBytes_ = bytesOfBuckets();
  const ClassesByBytes& classes = byBytes_->at(key.bucket());
  if (*base != classes.base) return std::nullopt;
  std::vector<ClassId> candidates = classes.others;
  classes.ranges.forEachMeeting(accessOf(of(key))->bytes,
                                [&](std::uint32_t id) { candidates.push_back(ClassId{id}); });
  std::ranges::sort(candidates);
  return candidates;
}

namespace {

// Marks that conflict with `mark` on the other side; T also conflicts with accesses.
constexpr EffectMarks kFencesAndSync = kAnySync | kCtaFence;

EffectMarks conflicting(EffectMarks marks) {
  EffectMarks other = 0;
  if ((marks & kFencesAndSync) != 0) other |= kFencesAndSync;
  if ((marks & kBarrierResource) != 0) other |= kBarrierResource | kThreadEnd;
  if ((marks & kThreadEnd) != 0) other |= kBarrierResource;
  return other;
}

// An access that conflicts with a T among the marks of the other side, and that T.
std::optional<std::pair<AccessSet::Key, EffectMark>> ordered(const AccessSet& set,
                                                             EffectMarks marks) {
  if ((marks & kOpaqueSync) != 0 && !set.keys().empty()) {
    return std::pair(set.keys().front(), kOpaqueSync);
  }
  if ((marks & kOuterSync) == 0) return std::nullopt;
  // Tensor memory lies between global memory and what may be any.
  for (const auto& [first, last] :
       {set.range(ClassKey::firstOf(Domain::Global), ClassKey::firstOf(Domain::Tensor)),
        set.range(ClassKey::firstOf(Domain::Any), ClassKey::last())}) {
    if (first != last) return std::pair(*first, kOuterSync);
  }
  return std::nullopt;
}

}  // namespace

std::optional<AccessClasses::Conflict> AccessClasses::conflictOfMarks(const AccessSet& above,
                                                                      const AccessSet& below) {
  Conflict found;
  if (const EffectMarks lower = below.marks() & conflicting(above.marks()); lower != 0) {
    found.belowMarks = lower;
    found.aboveMarks = above.marks() & conflicting(lower);
    return found;
  }
  if (const auto lower = ordered(below, above.marks())) {
    found.below = lower->first;
    found.aboveMarks = lower->second;
    return found;
  }
  if (const auto upper = ordered(above, below.marks())) {
    found.above = upper->first;
    found.belowMarks = upper->second;
    return found;
  }

  if ((below.marks() & kCtaFence) != 0 && hasSync(above)) {
    found.above = above.keys().back();
    found.belowMarks = kCtaFence;
    return found;
  }
  if ((above.marks() & kCtaFence) != 0 && hasSync(below)) {
    found.aboveMarks = kCtaFence;
    found.below = below.keys().back();
    return found;
  }
  return std::nullopt;
}

std::optional<AccessClasses::Conflict> AccessClasses::conflict(const AccessSet& above,
                                                               const AccessSet& below,
                                                               Precision precision,
                                                               Relation relation) const {
  if (const auto ofMarks = conflictOfMarks(above, below)) return ofMarks;
  Conflict found;
  const bool isAboveSmaller = above.keys().size() <= below.keys().size();
  const AccessSet& smaller = isAboveSmaller ? above : below;
  const AccessSet& larger = isAboveSmaller ? below : above;
  const auto isConflict = [&](AccessSet::Key key, AccessSet::Key other) {
    found.above = isAboveSmaller ? key : other;
    found.below = isAboveSmaller ? other : key;
    const AccessClass& upper = of(*found.above);
    const AccessClass& lower = of(*found.below);
    return precision == Precision::Affine ? mayConflict(upper, lower, relation)
                                          : mayOverlapAndMatter(upper, lower);
  };
  const auto search = [&](AccessSet::Key key, AccessSet::Key first, AccessSet::Key last) {
    const auto [begin, end] = larger.range(first, last);
    return std::any_of(begin, end, [&](AccessSet::Key other) { return isConflict(key, other); });
  };
  const auto searchBucket = [&](AccessSet::Key key) {
    const Bucket at = key.bucket();
    const auto [begin, end] = larger.range(ClassKey::firstOf(at), ClassKey::lastOf(at));
    if (end - begin > kFewClasses && precision == Precision::Affine) {
      const auto candidates = candidatesFor(key);
      if (candidates && candidates->size() < static_cast<std::size_t>(end - begin)) {
        // clang 14 cannot capture structured bindings implicitly.
        return std::ranges::any_of(*candidates, [&, begin = begin, end = end](ClassId id) {
          const AccessSet::Key other(at, id);
          return std::binary_search(begin, end, other) && isConflict(key, other);
        });
      }
    }
    return std::any_of(begin, end, [&](AccessSet::Key other) { return isConflict(key, other); });
  };
  const auto searchAnyDomain = [&](AccessSet::Key key) {
    return search(key, ClassKey::firstOf(Domain::Any), ClassKey::last());
  };
  for (const AccessSet::Key key : smaller.keys()) {
    const Bucket at = key.bucket();
    const Bucket anyObject = at.withoutObject();
    const auto inDomain = [&] {
      if (!at.hasObject()) {
        return search(key, ClassKey::firstOf(at.domain()), ClassKey::lastOf(anyObject));
      }
      return searchBucket(key) ||
             search(key, ClassKey::firstOf(anyObject), ClassKey::lastOf(anyObject));
    };
    const bool isFound = at.domain() >= Domain::Any ? search(key, ClassKey(), ClassKey::last())
                                                    : inDomain() || searchAnyDomain(key);
    if (isFound) return found;
  }
  return std::nullopt;
}

bool AccessClasses::anyConflict(const AccessSet& above, const AccessSet& below, Relation relation,
                                const std::function<bool(const Conflict&)>& visit) const {
  std::size_t compared = 0;
  Conflict found;
  for (const AccessSet::Key upper : above.keys()) {
    for (const AccessSet::Key lower : below.keys()) {
      if (reaches(compared++, Limit::ComparedClasses)) return false;
      const bool mayConflict =
          mayOverlapAndMatter(of(upper), of(lower)) &&
          (of(upper).address == AddressId::None || of(lower).address == AddressId::None ||
           compare(of(upper), of(lower), relation) == AliasRule::None);
      found.above = upper;
      found.below = lower;
      if (mayConflict && visit(found)) return true;
    }
  }
  return false;
}

}  // namespace ptxopt::analysis
