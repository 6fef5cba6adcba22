// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes of accesses, sets of classes, and which classes conflict: Conf of docs/soundness/ C0.2 up
// to the chosen precision.
//
// All accesses that the precision does not distinguish form one class, so that sets are small.  A
// class belongs to a bucket: a domain and an object in it, or the domain without an object, which
// may overlap any of its objects.  A T that is known to be executed by one thread has a bucket too;
// any other T is a mark.  Classes of two different objects never conflict and are never compared.
// With addresses, all accesses that alias.h cannot distinguish form one class; and in a large set,
// classes that are known to touch other bytes are skipped.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/addresses/alias.h"
#include "analysis/addresses/async_protocol.h"
#include "analysis/addresses/pointer_distance.h"
#include "analysis/addresses/thread_addresses.h"
#include "analysis/memory/memory_effects.h"
#include "support/hash_index.h"
#include "support/ids.h"
#include "support/interval_index.h"

namespace ptxopt::analysis {

enum class Precision : std::uint8_t {
  Flags,    // any read, any write
  Objects,  // spaces and objects
  Affine,   // addresses: byte ranges, and which thread executes the access (C3.7, C8)
};

// Which two threads of a CTA execute the two accesses of a pair.
enum class Relation : std::uint8_t {
  TwoThreads,
  OneRow,    // two threads of a CTA of one row: tid.y = tid.z = 0
  TwoWarps,  // two threads of different warps (C8.3.1)
  // As the first two, where the pointers of the launch are as far apart as they have to be
  // (C8(vi)).
  FarPointers,
  OneRowFarPointers,
};
inline constexpr std::size_t kRelations = 5;

enum class ClassId : std::uint32_t { None = ~0u };
enum class AddressId : std::uint32_t { None = ~0u };

// A weak store that all threads of the CTA execute together, without anything that orders them, if
// it is free of races (docs/soundness/ C8.2).  The enumerators say for which other accesses this
// fact holds.
enum class StoreOfAll : std::uint8_t {
  No,
  Above,  // it is the upper access of a pair: every thread that reaches the lower one has executed
          // it
  Both,
};

struct AccessClass {
  AccessKinds kinds = 0;
  Domain domain = Domain::Any;
  const ir::Variable* object = nullptr;  // null: any object of the domain
  AddressId address = AddressId::None;   // none: any address in the object
};

// Where a class belongs: a domain and the number of an object in it, or any object of the domain.
class Bucket {
 public:
  // After the domains of Domain: T, which conflicts with every domain.
  static constexpr Domain kSyncDomain{4};
  static constexpr std::uint32_t kObjectBits = 29;
  static constexpr std::uint32_t kAnyObject = (1u << kObjectBits) - 1;

  constexpr explicit Bucket(Domain domain, std::uint32_t object = kAnyObject)
      : number_(static_cast<std::uint32_t>(domain) << kObjectBits | object) {}

  constexpr Domain domain() const { return static_cast<Domain>(number_ >> kObjectBits); }
  constexpr bool hasObject() const { return (number_ & kAnyObject) != kAnyObject; }
  constexpr Bucket withoutObject() const { return Bucket(domain()); }

  friend constexpr bool operator==(Bucket, Bucket) = default;
  struct Hash {
    std::size_t operator()(Bucket of) const { return of.number_; }
  };

 private:
  friend class ClassKey;
  std::uint32_t number_;  // three bits of domain, 29 of object
};

// A class and its bucket, in one number: keys in order have the domains one after the other, in
// each of them the objects, and then what may be any object.
class ClassKey {
 public:
  constexpr ClassKey() = default;
  constexpr ClassKey(Bucket bucket, ClassId id)
      : number_(std::uint64_t{bucket.number_} << 32 | indexOf(id)) {}
  // The keys of a bucket, and those of a domain and all domains after it, are from the first one up
  // to but excluding the last one.
  static constexpr ClassKey firstOf(Bucket bucket) { return {bucket, ClassId{0}}; }
  static constexpr ClassKey lastOf(Bucket bucket) { return {bucket, ClassId::None}; }
  static constexpr ClassKey firstOf(Domain domain) { return firstOf(Bucket(domain, 0)); }
  static constexpr ClassKey last() { return lastOf(Bucket(Bucket::kSyncDomain)); }

  constexpr Bucket bucket() const {
    const auto upper = static_cast<std::uint32_t>(number_ >> 32);
    return Bucket(static_cast<Domain>(upper >> Bucket::kObjectBits), upper & Bucket::kAnyObject);
  }
  constexpr ClassId id() const { return ClassId{static_cast<std::uint32_t>(number_)}; }

  constexpr auto operator<=>(const ClassKey&) const = default;

 private:
  std::uint64_t number_ = 0;
};

// A set of classes, and marks.  Classes are ordered by bucket.  Insertion moves O(size) words at
// worst, and O(1) if classes are added in the order in which they were made.
class AccessSet {
 public:
  using Key = ClassKey;

  EffectMarks marks() const { return marks_; }
  // Returns the marks that are new.
  EffectMarks addMarks(EffectMarks marks);
  // True if the key is new.
  bool add(Key key);
  // Adds keys in ascending order; `added` receives those that are new.  O(size); if the keys are
  // few and none is new, one binary search for each.
  void add(std::span<const Key> keys, std::vector<Key>& added);
  // Adds all of `other`, moving the smaller set.  It does not report which keys are new: compute
  // them first if needed.
  void absorb(AccessSet&& other);
  bool contains(Key key) const;

  const std::vector<Key>& keys() const { return keys_; }
  bool empty() const { return keys_.empty() && marks_ == 0; }
  // The keys from `first` up to but excluding `last`, as a range of the sorted set.
  std::pair<const Key*, const Key*> range(Key first, Key last) const;

 private:
  static constexpr std::size_t kUsualSize = 8;

  EffectMarks marks_ = 0;
  std::vector<Key> keys_;  // sorted
};

// Beyond these numbers of addresses and of comparisons, an access counts as any access to its
// object.  So do, beyond the work on threads, pairs that only a trial of all threads tells apart.
// Memory: a byte for each pair of addresses.
struct AccessLimits {
  std::size_t addresses = 512;
  std::uint64_t work = 20'000'000;
  std::uint64_t workOnThreads = 20'000'000;
};

// All classes are made before the first call of conflict().  It, and the other questions about
// pairs, fill caches and count work although they are const: an object must not be used by several
// threads at once.
class AccessClasses {
 public:
  // `sharedIsExternal`: docs/soundness/README.md, terms.
  AccessClasses(Precision precision, bool sharedIsExternal, AliasAssumptions assumptions = {},
                AccessLimits limits = {}, AsyncProtocol protocol = {})
      : precision_(precision),
        sharedIsExternal_(sharedIsExternal),
        assumptions_(assumptions),
        protocol_(protocol),
        limits_(limits),
        workOnThreadsLeft_(limits.workOnThreads) {}

  // The class of an access of `kinds` to `place`; none if the place takes part in no conflict.
  // `access` may be null; it is used only with addresses, and must outlive the object.
  std::optional<AccessSet::Key> keyOf(AccessKinds kinds, const Place& place,
                                      const Access* access = nullptr,
                                      StoreOfAll storeOfAll = StoreOfAll::No);
  // The class of a T that `executor` executes; none if there are too many such classes.  `executor`
  // must outlive the object.  `isOuter`: as kOuterSync.
  std::optional<AccessSet::Key> keyOfSync(const Access& executor, bool isOuter);
  // A limit was reached: some address counts as any address of its object.
  bool isLimitMet() const { return hasTooManyAddresses_ || isWorkSpent(); }
  // From now on no two addresses are compared.
  bool isWorkSpent() const { return work_ >= limits_.work; }
  // The class of the same kinds anywhere in the same object (without an object: in the same
  // domain); and anywhere in the same domain.  They exist once keyOf() has returned the key.
  AccessSet::Key withoutAddress(AccessSet::Key key) const;
  AccessSet::Key withoutObject(AccessSet::Key key) const;
  std::size_t count() const { return classes_.size(); }
  std::size_t countWithoutAddress() const { return countWithoutAddress_; }
  const AccessClass& of(AccessSet::Key key) const { return classes_[key.id()]; }
  // Some access of the class; null if the class has no address.
  const Access* accessOf(const AccessClass& of) const {
    return of.address == AddressId::None ? nullptr : addresses_[of.address].access;
  }

  // The two classes may conflict: for some instances by two threads of a CTA, `above` before a
  // barrier and `below` after it, the barrier must order the two.  A precision refines only this
  // predicate.
  bool mayConflict(const AccessClass& above, const AccessClass& below,
                   Relation relation = Relation::TwoThreads) const;
  // The rule that proves that two threads never touch a common byte in these classes; None if there
  // is no such rule, or if the limit on the work is reached.
  AliasRule separation(const AccessClass& above, const AccessClass& below,
                       Relation relation = Relation::TwoThreads) const;

  // What the answers about far pointers since the last call take for granted.
  std::vector<PointerDistance> takeDistances() const;

  struct Conflict {
    // A class, or if there is none, the marks that conflict with the other side.
    std::optional<AccessSet::Key> above, below;
    EffectMarks aboveMarks = 0, belowMarks = 0;
  };
  // Some pair of a class above and a class below.  O(the smaller set times log of the larger one),
  // unless pairs in one bucket with common bytes turn out not to conflict; the limit on the work
  // counts such pairs.  `precision` is the finest precision to use.
  std::optional<Conflict> conflict(const AccessSet& above, const AccessSet& below,
                                   Precision precision = Precision::Affine,
                                   Relation relation = Relation::TwoThreads) const;
  // For explanations: calls visit(conflict) for pairs of accesses that conflict at the finest
  // precision, until it returns true or many pairs have been compared.  Does not count against the
  // limits.
  bool anyConflict(const AccessSet& above, const AccessSet& below, Relation relation,
                   const std::function<bool(const Conflict&)>& visit) const;

 private:
  static bool hasSync(const AccessSet& set) {
    return !set.keys().empty() && set.keys().back().bucket().domain() == Bucket::kSyncDomain;
  }

  // With so few classes, comparing their bytes first does not pay.
  static constexpr std::ptrdiff_t kFewClasses = 16;
  static constexpr std::uint64_t kWorkOfComparison = 50;  // in look-ups

  static std::uint64_t hashOf(Bucket at, const AccessClass& of);
  // None if there is no such class.
  ClassId find(Bucket at, const AccessClass& of) const;
  AccessSet::Key intern(Bucket at, const AccessClass& of);
  AddressId addressOf(const Access& access, StoreOfAll storeOfAll);
  AliasRule rule(const AccessClass& above, const AccessClass& below, Relation relation) const;
  AliasRule compare(const AccessClass& above, const AccessClass& below, Relation relation) const;
  AliasRule compareEach(AddressId above, AddressId below, Threads threads) const;
  bool areSeparateByThread(const ThreadAddresses* above, const ThreadAddresses* below,
                           Threads threads) const;
  const ThreadAddresses* threadAddresses(AddressId id, std::size_t variant) const;
  ThreadForms* threadForms(const Addresses& origin) const;  // null if there are none
  // A pair in which one side is marks.
  static std::optional<Conflict> conflictOfMarks(const AccessSet& above, const AccessSet& below);
  bool mayOverlapAndMatter(const AccessClass& above, const AccessClass& below) const;

  // The classes of a bucket by the bytes that they touch.
  struct ClassesByBytes {
    MemoryBase base;  // the base of those in `ranges`
    IntervalIndex ranges;
    std::vector<ClassId> others;
  };
  using BytesOfBuckets = std::unordered_map<Bucket, ClassesByBytes, Bucket::Hash>;
  BytesOfBuckets bytesOfBuckets() const;
  // The base relative to which the bytes of the class are known; null if they are unknown.
  const MemoryBase* knownBase(const AccessClass& of) const;
  // The classes of the bucket of `key`, in ascending order, without those that touch other bytes of
  // the same base (AliasRule::Ranges).  None: the bytes of the class are unknown.
  std::optional<std::vector<ClassId>> candidatesFor(AccessSet::Key key) const;

  struct Address {
    const Access* access;
    StoreOfAll storeOfAll;
  };

  Precision precision_;
  bool sharedIsExternal_;
  AliasAssumptions assumptions_;
  AsyncProtocol protocol_;
  AccessLimits limits_;
  bool hasTooManyAddresses_ = false;
  IdVector<ClassId, AccessClass> classes_;
  std::unordered_map<const ir::Variable*, std::uint32_t> objects_;
  IdVector<ClassId, Bucket> buckets_;
  HashIndex classIndex_;  // by bucket, kinds and AddressId
  std::size_t countWithoutAddress_ = 0;
  IdVector<AddressId, Address> addresses_;
  HashIndex addressIndex_;
  // By two AddressIds; 0: not computed yet, else 1 + rule.
  mutable std::array<std::vector<std::uint8_t>, kRelations> rules_;
  mutable std::vector<PointerDistance> distances_;  // of takeDistances()
  mutable std::uint64_t work_ = 0;
  mutable std::optional<BytesOfBuckets> byBytes_;  // of all classes; computed on demand
  struct OfThreads {
    bool isAsked = false;
    std::optional<ThreadAddresses> addresses;
  };
  mutable std::deque<std::vector<OfThreads>> ofThreads_;  // by address and variant
  mutable std::unordered_map<const Addresses*, std::optional<ThreadForms>> threadForms_;
  mutable std::uint64_t workOnThreadsLeft_;
};

}  // namespace ptxopt::analysis
