// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes of accesses, sets of them, and which classes conflict: Conf of docs/soundness/ C0.2 up
// to the precision asked for.
//
// All accesses that no question here tells apart are one class, so that sets are small.  A class
// stands in a bucket: a domain and an object of it, or the domain without an object, which any
// object of it may overlap.  T of which it is known that one thread executes it has a bucket too;
// any other T is a mark.  Classes of two objects never conflict, and nobody compares them.
// Where addresses count, all accesses that alias.h cannot tell apart are one class; and in a large
// set those whose bytes are others than those of a class are not looked at.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/addresses/alias.h"
#include "analysis/addresses/thread_addresses.h"
#include "analysis/memory/memory_effects.h"
#include "support/hash_index.h"
#include "support/interval_index.h"

namespace ptxopt::analysis {

enum class Precision : std::uint8_t {
  Flags,    // any read, any write
  Objects,  // spaces and objects
  Affine,   // addresses: byte ranges, and which thread it is (C3.7, C8)
};

// Which two threads of a CTA execute a pair, and in which launches.
enum class Relation : std::uint8_t {
  TwoThreads,
  TwoThreadsOfOneRow,  // where ntid.y = ntid.z = 1 (docs/soundness/ C8(ii).5)
  TwoWarps,            // threads of two warps (C8.3.1)
};
inline constexpr std::size_t kRelations = 3;

using ClassId = std::uint32_t;
using AddressId = std::uint32_t;

// A weak store that all threads of the CTA execute together, while nothing orders them, as far as
// it is free of races (docs/soundness/ C8.2): which other accesses that says something about.
enum class StoreOfAll : std::uint8_t {
  No,
  Above,  // it is the upper one of a pair: who gets to the lower one has executed it
  Both,
};

struct AccessClass {
  AccessKinds kinds = 0;
  Domain domain = Domain::Any;
  const ir::Variable* object = nullptr;  // null: any of the domain
  AddressId address = kNone;             // none: any of the object
};

// A set of classes, and marks.  Classes are ordered by bucket.  Insertion is O(size) words moved at
// worst, and O(1) where classes come in the order in which they were made.
class AccessSet {
 public:
  // What a set of accesses is to the outside: a bucket and a class in one number.
  using Key = std::uint64_t;

  EffectMarks marks() const { return marks_; }
  // New marks only.
  EffectMarks addMarks(EffectMarks marks);
  // True if it is new.
  bool add(Key key);
  // Adds keys in ascending order; what is new is left in `added`.  O(size), but with few keys, none
  // of which is new, a binary search for each.
  void add(std::span<const Key> keys, std::vector<Key>& added);
  // Adds all of `other`; small into large.  Returns nothing: ask before what is new.
  void absorb(AccessSet&& other);
  bool contains(Key key) const;

  const std::vector<Key>& keys() const { return keys_; }
  bool empty() const { return keys_.empty() && marks_ == 0; }
  // The keys from `first` on that are below `last`: a range in the order of the set.
  std::pair<const Key*, const Key*> range(Key first, Key last) const;

 private:
  static constexpr std::size_t kUsualSize = 8;

  EffectMarks marks_ = 0;
  std::vector<Key> keys_;  // sorted
};

// Addresses beyond these, and pairs of them beyond that work, count as any of their object. Memory:
// a byte for each pair of addresses.
struct AccessLimits {
  std::size_t addresses = 512;
  std::uint64_t work = 20'000'000;
};

class AccessClasses {
 public:
  // `sharedIsExternal`: docs/soundness/README.md, terms.
  AccessClasses(Precision precision, bool sharedIsExternal, AliasAssumptions assumptions = {},
                AccessLimits limits = {})
      : precision_(precision),
        sharedIsExternal_(sharedIsExternal),
        assumptions_(assumptions),
        limits_(limits) {}

  // The class of an access of `kinds` to `place`; none for a place that is in no conflict.
  // `access`, which must outlive the object, is looked at where addresses count, and may be null.
  std::optional<AccessSet::Key> keyOf(AccessKinds kinds, const Place& place,
                                      const Access* access = nullptr,
                                      StoreOfAll storeOfAll = StoreOfAll::No);
  // The class of T that is executed as `executor` says, which must outlive the object; none where
  // there are too many.
  std::optional<AccessSet::Key> keyOfSync(const Access& executor);
  // One of the limits: some address counts as any of its object.
  bool isLimitMet() const { return hasTooManyAddresses_ || work_ >= limits_.work; }
  // The class of the same kinds anywhere in the same object or, without one, in the same domain;
  // anywhere in the same domain.  They exist after keyOf() of the key.
  AccessSet::Key withoutAddress(AccessSet::Key key) const;
  AccessSet::Key withoutObject(AccessSet::Key key) const;
  std::size_t count() const { return classes_.size(); }
  std::size_t countWithoutAddress() const { return countWithoutAddress_; }
  const AccessClass& of(AccessSet::Key key) const {
    return classes_[static_cast<ClassId>(key & kClassMask)];
  }
  // An access of a class that has an address; null for any other.
  const Access* accessOf(const AccessClass& of) const {
    return of.address == kNone ? nullptr : addresses_[of.address].access;
  }

  // For some instances by two threads of a CTA, the upper one before a barrier and the lower one
  // after it, the barrier orders the two.  The one predicate that a precision refines.
  bool mayConflict(const AccessClass& above, const AccessClass& below,
                   Relation relation = Relation::TwoThreads) const;
  // The rule by which two threads never touch a common byte in these; None where there is none, or
  // the limit on the work is met.
  AliasRule separation(const AccessClass& above, const AccessClass& below,
                       Relation relation = Relation::TwoThreads) const;

  struct Conflict {
    // A class or, where it is none, the marks that conflict with the other side.
    std::optional<AccessSet::Key> above, below;
    EffectMarks aboveMarks = 0, belowMarks = 0;
  };
  // Some pair, one from each set.  O(the smaller set times log the larger one) as long as no pair
  // of one bucket with common bytes is free of a conflict; such pairs are counted against the limit
  // on the work.
  // `precision`: at most this one.
  std::optional<Conflict> conflict(const AccessSet& above, const AccessSet& below,
                                   Precision precision = Precision::Affine,
                                   Relation relation = Relation::TwoThreads) const;
  // For those who explain: calls visit(conflict) for pairs of accesses that conflict at the finest
  // precision, until it returns true or many have been compared.  Leaves no trace in the limits.
  bool anyConflict(const AccessSet& above, const AccessSet& below, Relation relation,
                   const std::function<bool(const Conflict&)>& visit) const;

 private:
  static constexpr AccessSet::Key kClassMask = 0xffff'ffff;
  static constexpr unsigned kBucketShift = 32;
  static constexpr unsigned kDomainShift = 62;
  static constexpr std::uint32_t kNoObject = (1u << 30) - 1;
  static AccessSet::Key bucket(Domain domain, std::uint32_t object) {
    return static_cast<AccessSet::Key>(domain) << kDomainShift | static_cast<AccessSet::Key>(object)
                                                                     << kBucketShift;
  }
  static AccessSet::Key bucketOf(AccessSet::Key key) { return key & ~kClassMask; }
  static Domain domainOf(AccessSet::Key key) { return static_cast<Domain>(key >> kDomainShift); }
  // After those of Domain: T, which is in conflict with every domain.
  static constexpr unsigned kSyncDomain = 3;
  static constexpr AccessSet::Key kFirstSync = AccessSet::Key{kSyncDomain} << kDomainShift;
  static bool hasSync(const AccessSet& set) {
    return !set.keys().empty() && set.keys().back() >= kFirstSync;
  }
  static bool hasObject(AccessSet::Key key) {
    return (key >> kBucketShift & kNoObject) != kNoObject;
  }

  // Of so few there is no need to ask which bytes they touch.
  static constexpr std::ptrdiff_t kFewClasses = 16;
  static constexpr std::uint64_t kWorkOfComparison = 50;  // in look-ups
  static constexpr std::uint64_t kMostWorkOnThreads = 20'000'000;

  static std::uint64_t hashOf(AccessSet::Key at, const AccessClass& of);
  // kNone where there is none.
  ClassId find(AccessSet::Key at, const AccessClass& of) const;
  AccessSet::Key intern(AccessSet::Key at, const AccessClass& of);
  AddressId addressOf(const Access& access, StoreOfAll storeOfAll);
  AliasRule rule(const AccessClass& above, const AccessClass& below, Relation relation) const;
  AliasRule compare(const AccessClass& above, const AccessClass& below, Relation relation) const;
  AliasRule compareEach(AddressId above, AddressId below, Threads threads,
                        const AliasAssumptions& assumptions) const;
  bool areSeparateByThread(const ThreadAddresses* above, const ThreadAddresses* below,
                           Threads threads) const;
  const ThreadAddresses* threadAddresses(AddressId id, std::size_t variant) const;
  ThreadForms* threadForms(const Addresses& origin) const;  // null where there are none
  bool mayOverlapAndMatter(const AccessClass& above, const AccessClass& below) const;

  // The classes of a bucket by the bytes that they touch.
  struct ClassesByBytes {
    MemoryBase base;  // of those in `ranges`
    IntervalIndex ranges;
    std::vector<ClassId> others;
  };
  using BytesOfBuckets = std::unordered_map<AccessSet::Key, ClassesByBytes>;
  BytesOfBuckets bytesOfBuckets() const;
  // The base of which the bytes are known that a class touches; null where there is none.
  const MemoryBase* knownBase(const AccessClass& of) const;
  // The classes of the bucket of `key`, in ascending order, but for those that touch other bytes of
  // the same base (AliasRule::Ranges).  None: nothing is known about its bytes.
  std::optional<std::vector<ClassId>> rivalsOf(AccessSet::Key key) const;

  struct Address {
    const Access* access;
    StoreOfAll storeOfAll;
  };

  Precision precision_;
  bool sharedIsExternal_;
  AliasAssumptions assumptions_;
  AccessLimits limits_;
  bool hasTooManyAddresses_ = false;
  std::vector<AccessClass> classes_;
  std::unordered_map<const ir::Variable*, std::uint32_t> objects_;
  std::vector<AccessSet::Key> buckets_;  // by class
  HashIndex classIndex_;                 // by bucket, kinds and AddressId
  std::size_t countWithoutAddress_ = 0;
  std::vector<Address> addresses_;  // one of each
  HashIndex addressIndex_;
  // By two AddressIds; 0: not asked yet, else 1 + rule.
  mutable std::array<std::vector<std::uint8_t>, kRelations> rules_;
  mutable std::uint64_t work_ = 0;
  mutable std::optional<BytesOfBuckets> byBytes_;  // once asked for
  struct OfThreads {
    bool isAsked = false;
    std::optional<ThreadAddresses> addresses;
  };
  mutable std::deque<std::vector<OfThreads>> ofThreads_;  // by AddressId and variant
  mutable std::unordered_map<const Addresses*, std::optional<ThreadForms>> threadForms_;
  mutable std::uint64_t workOnThreadsLeft_ = kMostWorkOnThreads;
};

}  // namespace ptxopt::analysis
