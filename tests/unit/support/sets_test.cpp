// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BitSet, SharedSet and SparseSet against std::set.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "support/bit_set.h"
#include "support/shared_set.h"
#include "support/sparse_set.h"

namespace ptxopt {
namespace {

using Reference = std::set<std::size_t>;

template <class Set>
Reference contents(const Set& set) {
  Reference all;
  set.forEach([&](std::size_t k) { all.insert(k); });
  return all;
}

struct MakeBitSet {
  explicit MakeBitSet(std::size_t universe) : size(universe) {}
  BitSet operator()(bool full = false) const { return BitSet(size, full); }
  std::size_t size;
};
struct MakeSharedSet {
  explicit MakeSharedSet(std::size_t universe) : pool(universe) {}
  SharedSet operator()(bool full = false) { return SharedSet(pool, full); }
  SharedSetPool pool;
};

template <class Maker>
class Sets : public testing::Test {};
using Makers = testing::Types<MakeBitSet, MakeSharedSet>;
TYPED_TEST_SUITE(Sets, Makers);

TYPED_TEST(Sets, FullAndEmpty) {
  for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 130u, 512u, 513u, 5000u}) {
    TypeParam make(size);
    const auto full = make(true);
    EXPECT_EQ(full.count(), size);
    const Reference all = contents(full);
    EXPECT_EQ(all.size(), size);
    EXPECT_TRUE(all.empty() || *all.rbegin() == size - 1);
    EXPECT_EQ(full.empty(), size == 0);
    EXPECT_TRUE(make().empty());
    EXPECT_TRUE(full == make(true));
  }
}

TYPED_TEST(Sets, AgreeWithTheReference) {
  constexpr std::size_t kSize = 1000;
  std::mt19937 random(4);
  TypeParam make(kSize);
  for (int round = 0; round < 2000; ++round) {
    // Stretches of elements and single ones.
    const auto fill = [&](auto& set, Reference& reference) {
      for (std::size_t n = random() % 6; n > 0; --n) {
        const std::size_t from = random() % kSize;
        const std::size_t length = random() % 3 == 0 ? random() % 60 : 1;
        for (std::size_t k = from; k < std::min(kSize, from + length); ++k) {
          EXPECT_EQ(set.set(k), reference.insert(k).second);
        }
      }
    };
    auto set = make();
    auto other = make();
    Reference reference;
    Reference otherReference;
    fill(set, reference);
    fill(other, otherReference);
    ASSERT_EQ(contents(set), reference);
    ASSERT_EQ(set.count(), reference.size());
    ASSERT_EQ(set == other, reference == otherReference);
    for (std::size_t k = 0; k < kSize; ++k) ASSERT_EQ(set.test(k), reference.count(k) == 1);

    const std::vector<std::uint32_t> list(otherReference.begin(), otherReference.end());
    Reference expected;
    switch (round % 5) {
      case 0:
        expected = reference;
        expected.insert(otherReference.begin(), otherReference.end());
        ASSERT_EQ(set.unite(other), expected != reference);
        break;
      case 1:
        expected = reference;
        for (const std::size_t k : otherReference) expected.erase(k);
        ASSERT_EQ(set.subtract(other), expected != reference);
        break;
      case 2:
        for (const std::size_t k : otherReference) {
          if (reference.count(k) == 1) expected.insert(k);
        }
        ASSERT_EQ(set.intersect(other), expected != reference);
        break;
      case 3:
        expected = reference;
        expected.insert(otherReference.begin(), otherReference.end());
        ASSERT_EQ(set.unite(std::span(list)), expected != reference);
        break;
      default:
        expected = reference;
        for (const std::size_t k : otherReference) expected.erase(k);
        ASSERT_EQ(set.subtract(std::span(list)), expected != reference);
        break;
    }
    ASSERT_EQ(contents(set), expected);
    set.clear();
    ASSERT_TRUE(set.empty());
  }
}

TEST(BitSet, FindsTheNextElement) {
  BitSet set(200);
  set.set(3);
  set.set(64);
  set.set(199);
  EXPECT_EQ(set.findNext(0), 3u);
  EXPECT_EQ(set.findNext(3), 3u);
  EXPECT_EQ(set.findNext(4), 64u);
  EXPECT_EQ(set.findNext(65), 199u);
  EXPECT_EQ(set.findNext(200), BitSet::kEnd);
  set.reset(199);
  EXPECT_EQ(set.findNext(65), BitSet::kEnd);
}

TEST(BitSet, KnowsWhetherSetsIntersect) {
  BitSet a(100);
  BitSet b(100);
  a.set(99);
  b.set(98);
  EXPECT_FALSE(a.intersects(b));
  b.set(99);
  EXPECT_TRUE(a.intersects(b));
}

TEST(SharedSet, StoresEqualPartsOnce) {
  constexpr std::size_t kUniverse = std::size_t{1} << 20;
  SharedSetPool pool(kUniverse);
  const SharedSet full(pool, true);
  EXPECT_EQ(full.count(), kUniverse);
  EXPECT_LT(pool.nodeCount(), 20u);
  // A chain of a thousand sets, each of them with one element less.
  std::vector<SharedSet> chain = {full};
  for (std::uint32_t k = 0; k < 1000; ++k) {
    chain.push_back(chain.back());
    const std::uint32_t element = k * 1000;
    EXPECT_TRUE(chain.back().subtract(std::span(&element, 1)));
  }
  EXPECT_EQ(chain.back().count(), kUniverse - 1000);
  EXPECT_LT(pool.nodeCount(), 20'000u);
  for (std::uint32_t k = 0; k < 1000; ++k) chain.back().set(k * 1000);
  EXPECT_TRUE(chain.back() == full);
}

TEST(SparseSet, AgreesWithTheReference) {
  std::mt19937 random(5);
  SparseSet set(50);
  Reference reference;
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t k = random() % 50;
    switch (random() % 20) {
      case 0:
        set.clear();
        reference.clear();
        break;
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
      case 6:
      case 7:
        set.reset(k);
        reference.erase(k);
        break;
      default:
        ASSERT_EQ(set.set(k), reference.insert(k).second);
    }
    ASSERT_EQ(set.count(), reference.size());
    ASSERT_EQ(set.test(k), reference.count(k) == 1);
    ASSERT_EQ(Reference(set.elements().begin(), set.elements().end()), reference);
  }
}

}  // namespace
}  // namespace ptxopt
