// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/number_table.h"

#include <gtest/gtest.h>

namespace ptxopt {
namespace {

TEST(NumberTable, HasNoNumberForAnIdThatWasNotSet) {
  NumberTable table;
  EXPECT_EQ(table.of(0), NumberTable::kNone);
  table.set(3, 7);
  EXPECT_EQ(table.of(2), NumberTable::kNone);
  EXPECT_EQ(table.of(3), 7u);
  EXPECT_EQ(table.of(4), NumberTable::kNone);
}

TEST(NumberTable, TakesTheLastNumberOfAnId) {
  NumberTable table;
  table.set(5, 1);
  table.set(0, 2);
  table.set(5, 3);
  EXPECT_EQ(table.of(5), 3u);
  EXPECT_EQ(table.of(0), 2u);
}

}  // namespace
}  // namespace ptxopt
