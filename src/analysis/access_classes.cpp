#include "analysis/access_classes.h"

#include <algorithm>

namespace ptxopt::analysis {

// ---- sets --------------------------------------------------------------------------------------

EffectMarks AccessSet::addMarks(EffectMarks marks) {
  const auto added = static_cast<EffectMarks>(marks & ~marks_);
  marks_ |= marks;
  return added;
}

bool AccessSet::add(Key key) {
  if (keys_.empty() || keys_.back() < key) {
    keys_.push_back(key);
    return true;
  }
  const auto at = std::lower_bound(keys_.begin(), keys_.end(), key);
  if (*at == key) return false;
  keys_.insert(at, key);
  return true;
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

std::optional<AccessSet::Key> AccessClasses::keyOf(AccessKinds kinds, const Place& place) {
  AccessClass of = {kinds, Domain::Any, nullptr};
  std::uint32_t object = kNoObject;
  if (precision_ != Precision::Flags) {
    if (place.isHarmless) return std::nullopt;
    of.domain = place.domain;
    of.object = place.object;
    if (of.object != nullptr) {
      object = objects_.try_emplace(of.object, static_cast<std::uint32_t>(objects_.size()))
                   .first->second;
    }
  }
  const AccessSet::Key key = intern(bucket(of.domain, object), of);
  intern(bucket(of.domain, kNoObject), {kinds, of.domain, nullptr});
  return key;
}

AccessSet::Key AccessClasses::intern(AccessSet::Key at, const AccessClass& of) {
  const auto [found, isNew] =
      byBucketAndKinds_.try_emplace(at | of.kinds, static_cast<ClassId>(classes_.size()));
  if (isNew) classes_.push_back(of);
  return at | found->second;
}

AccessSet::Key AccessClasses::withoutObject(AccessSet::Key key) const {
  const AccessSet::Key at = bucket(domainOf(key), kNoObject);
  return at | byBucketAndKinds_.at(at | of(key).kinds);
}

bool AccessClasses::mayConflict(const AccessClass& above, const AccessClass& below) const {
  const bool mayOverlap =
      above.domain == Domain::Any || below.domain == Domain::Any ||
      (above.domain == below.domain &&
       (above.object == nullptr || below.object == nullptr || above.object == below.object));
  if (!mayOverlap) return false;
  if (((above.kinds | below.kinds) & kWrite) != 0) return true;
  // docs/soundness.md C4.3
  const bool isExternal =
      sharedIsExternal_ || (above.domain != Domain::Shared && below.domain != Domain::Shared);
  return isExternal && (above.kinds & kStrongRead) != 0;
}

namespace {

// Marks that conflict with `mark` on the other side; with kOpaqueSync, every access does as well.
constexpr EffectMarks kFencesAndSync = kOpaqueSync | kCtaFence;

EffectMarks conflicting(EffectMarks marks) {
  EffectMarks other = 0;
  if ((marks & kOpaqueSync) != 0) other |= kFencesAndSync;
  if ((marks & kCtaFence) != 0) other |= kFencesAndSync;
  if ((marks & kBarrierResource) != 0) other |= kBarrierResource | kThreadEnd;
  if ((marks & kThreadEnd) != 0) other |= kBarrierResource;
  return other;
}

}  // namespace

std::optional<AccessClasses::Conflict> AccessClasses::conflict(const AccessSet& above,
                                                               const AccessSet& below) const {
  Conflict found;
  if (const EffectMarks lower = below.marks() & conflicting(above.marks()); lower != 0) {
    found.belowMarks = lower;
    found.aboveMarks = above.marks() & conflicting(lower);
    return found;
  }
  if ((above.marks() & kOpaqueSync) != 0 && !below.keys().empty()) {
    found.aboveMarks = kOpaqueSync;
    found.below = below.keys().front();
    return found;
  }
  if ((below.marks() & kOpaqueSync) != 0 && !above.keys().empty()) {
    found.above = above.keys().front();
    found.belowMarks = kOpaqueSync;
    return found;
  }

  const bool isAboveSmaller = above.keys().size() <= below.keys().size();
  const AccessSet& smaller = isAboveSmaller ? above : below;
  const AccessSet& larger = isAboveSmaller ? below : above;
  const auto search = [&](AccessSet::Key key, AccessSet::Key first, AccessSet::Key last) {
    const auto [begin, end] = larger.range(first, last);
    for (const AccessSet::Key* other = begin; other != end; ++other) {
      found.above = isAboveSmaller ? key : *other;
      found.below = isAboveSmaller ? *other : key;
      if (mayConflict(of(*found.above), of(*found.below))) return true;
    }
    return false;
  };
  const auto domainBegin = [](unsigned domain) {
    return static_cast<AccessSet::Key>(domain) << kDomainShift;
  };
  for (const AccessSet::Key key : smaller.keys()) {
    const auto domain = static_cast<unsigned>(domainOf(key));
    constexpr auto kAny = static_cast<unsigned>(Domain::Any);
    const AccessSet::Key noObject = bucket(domainOf(key), kNoObject);
    const bool isFound = domain == kAny ? search(key, 0, ~AccessSet::Key{0})
                         : hasObject(key)
                             ? search(key, bucketOf(key), bucketOf(key) | kClassMask) ||
                                   search(key, noObject, noObject | kClassMask) ||
                                   search(key, domainBegin(kAny), ~AccessSet::Key{0})
                             : search(key, domainBegin(domain), domainBegin(domain + 1)) ||
                                   search(key, domainBegin(kAny), ~AccessSet::Key{0});
    if (isFound) return found;
  }
  return std::nullopt;
}

}  // namespace ptxopt::analysis
