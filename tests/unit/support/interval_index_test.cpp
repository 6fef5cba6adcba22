// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/interval_index.h"

#include <gtest/gtest.h>

#include <random>

namespace ptxopt {
namespace {

std::vector<std::uint32_t> meeting(const IntervalIndex& index, Interval interval) {
  std::vector<std::uint32_t> found;
  index.forEachMeeting(interval, [&](std::uint32_t id) { found.push_back(id); });
  std::ranges::sort(found);
  return found;
}

TEST(IntervalIndex, HasNothingWhereThereIsNothing) {
  EXPECT_TRUE(meeting(IntervalIndex(), {}).empty());
}

TEST(IntervalIndex, FindsWhatTouchesABound) {
  const IntervalIndex index({{{0, 3}, 0}, {{4, 7}, 1}, {{8, 11}, 2}});
  EXPECT_EQ(meeting(index, {3, 3}), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(meeting(index, {4, 8}), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_TRUE(meeting(index, {12, 99}).empty());
}

TEST(IntervalIndex, FindsALongOneBehindManyShortOnes) {
  std::vector<IntervalIndex::Entry> entries = {{{0, 1000}, 99}};
  for (std::uint32_t k = 0; k < 50; ++k) entries.push_back({{k * 10, k * 10 + 1}, k});
  const IntervalIndex index(entries);
  EXPECT_EQ(meeting(index, {305, 306}), (std::vector<std::uint32_t>{99}));
  EXPECT_EQ(meeting(index, {300, 306}), (std::vector<std::uint32_t>{30, 99}));
}

TEST(IntervalIndex, FindsWhatAComparisonOfAllFinds) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    std::vector<IntervalIndex::Entry> entries;
    const auto some = [&] {
      const std::int64_t lowest = static_cast<std::int64_t>(random() % 200) - 100;
      return Interval{lowest, lowest + static_cast<std::int64_t>(random() % 30)};
    };
    const auto count = static_cast<std::uint32_t>(random() % 60);
    for (std::uint32_t id = 0; id < count; ++id) entries.push_back({some(), id});
    const IntervalIndex index(entries);
    for (int query = 0; query < 20; ++query) {
      const Interval interval = some();
      std::vector<std::uint32_t> expected;
      for (const IntervalIndex::Entry& entry : entries) {
        if (!intersection(entry.interval, interval).isEmpty()) expected.push_back(entry.id);
      }
      EXPECT_EQ(meeting(index, interval), expected);
    }
  }
}

}  // namespace
}  // namespace ptxopt
