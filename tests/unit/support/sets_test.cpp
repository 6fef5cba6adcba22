// BitSet, IntervalSet and SparseSet against std::set.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "support/bit_set.h"
#include "support/interval_set.h"
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

template <class Set>
class Sets : public testing::Test {};
using SetTypes = testing::Types<BitSet, IntervalSet>;
TYPED_TEST_SUITE(Sets, SetTypes);

TYPED_TEST(Sets, FullAndEmpty) {
  for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 130u}) {
    const TypeParam full(size, true);
    EXPECT_EQ(full.count(), size);
    EXPECT_EQ(contents(full).size(), size);
    EXPECT_EQ(full.empty(), size == 0);
    EXPECT_TRUE(TypeParam(size).empty());
  }
}

TYPED_TEST(Sets, AgreeWithTheReference) {
  constexpr std::size_t kSize = 150;
  std::mt19937 random(4);
  for (int round = 0; round < 2000; ++round) {
    // Stretches of elements and single ones.
    const auto fill = [&](TypeParam& set, Reference& reference) {
      for (std::size_t n = random() % 6; n > 0; --n) {
        const std::size_t from = random() % kSize;
        const std::size_t length = random() % 3 == 0 ? random() % 60 : 1;
        for (std::size_t k = from; k < std::min(kSize, from + length); ++k) {
          EXPECT_EQ(set.set(k), reference.insert(k).second);
        }
      }
    };
    TypeParam set(kSize);
    TypeParam other(kSize);
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

TEST(IntervalSet, JoinsNeighboursToOneRun) {
  IntervalSet set;
  set.set(5);
  set.set(7);
  EXPECT_EQ(set.runs().size(), 2u);
  set.set(6);
  ASSERT_EQ(set.runs().size(), 1u);
  EXPECT_EQ(set.runs()[0], (IntervalSet::Run{5, 8}));
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
