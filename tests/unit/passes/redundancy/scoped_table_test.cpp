// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/scoped_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace ptxopt::passes {
namespace {

using Key = std::vector<std::uint64_t>;

TEST(ScopedTable, TheLastOneEnteredIsFound) {
  ScopedTable table;
  EXPECT_EQ(table.find(Key{1}), ScopedTable::kNothing);
  table.insert(Key{1, 2}, 10);
  table.insert(Key{1, 2}, 11);
  table.insert(Key{1}, 12);
  EXPECT_EQ(table.find(Key{1, 2}), 11u);
  EXPECT_EQ(table.find(Key{1}), 12u);
  EXPECT_EQ(table.find(Key{2, 1}), ScopedTable::kNothing);
}

TEST(ScopedTable, GoingBackTakesOutWhatWasEnteredSince) {
  ScopedTable table;
  table.insert(Key{1}, 10);
  const std::size_t mark = table.mark();
  table.insert(Key{1}, 11);
  table.insert(Key{2}, 12);
  table.undoTo(mark);
  EXPECT_EQ(table.find(Key{1}), 10u);
  EXPECT_EQ(table.find(Key{2}), ScopedTable::kNothing);
  EXPECT_EQ(table.entered(), 3u);
}

// Against a stack of maps, through growth and scopes.
TEST(ScopedTable, AgreesWithMaps) {
  std::mt19937 random(7);
  ScopedTable table;
  std::vector<std::pair<std::size_t, std::map<Key, std::uint32_t>>> scopes = {{0, {}}};
  for (std::uint32_t step = 0; step < 20'000; ++step) {
    const Key key(1 + random() % 3, random() % 200);
    switch (random() % 16) {
      case 0:
        scopes.emplace_back(table.mark(), scopes.back().second);
        break;
      case 1:
        if (scopes.size() == 1) break;
        table.undoTo(scopes.back().first);
        scopes.pop_back();
        break;
      case 2:
      case 3:
      case 4:
        table.insert(key, step);
        scopes.back().second[key] = step;
        break;
      default: {
        const auto& known = scopes.back().second;
        const auto found = known.find(key);
        const std::uint32_t expected = found == known.end() ? ScopedTable::kNothing : found->second;
        ASSERT_EQ(table.find(key), expected);
        ASSERT_EQ(table.findByComparing(key), expected);
      }
    }
  }
  EXPECT_GT(table.longestChain(), 0u);
}

}  // namespace
}  // namespace ptxopt::passes
