// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/number_table.h"

#include <gtest/gtest.h>

namespace ptxopt {
namespace {

enum class Thing : std::uint32_t { None = ~0u };
enum class Other : std::uint32_t { None = ~0u };

TEST(NumberTable, HasNoNumberForAnIdThatWasNotSet) {
  NumberTable<Thing> table;
  EXPECT_EQ(table.of(Thing{0}), table.kNone);
  table.set(Thing{3}, 7);
  EXPECT_EQ(table.of(Thing{2}), table.kNone);
  EXPECT_EQ(table.of(Thing{3}), 7u);
  EXPECT_EQ(table.of(Thing{4}), table.kNone);
}

TEST(NumberTable, TakesTheLastNumberOfAnId) {
  NumberTable<Thing> table;
  table.set(Thing{5}, 1);
  table.set(Thing{0}, 2);
  table.set(Thing{5}, 3);
  EXPECT_EQ(table.of(Thing{5}), 3u);
  EXPECT_EQ(table.of(Thing{0}), 2u);
}

TEST(NumberTable, HoldsIdsOfAnotherKind) {
  NumberTable<Thing, Other> table;
  table.set(Thing{1}, Other{4});
  EXPECT_EQ(table.of(Thing{0}), Other::None);
  EXPECT_EQ(table.of(Thing{1}), Other{4});
}

}  // namespace
}  // namespace ptxopt
