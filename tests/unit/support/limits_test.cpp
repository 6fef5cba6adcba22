// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/limits.h"

#include <gtest/gtest.h>

#include <set>

namespace ptxopt {
namespace {

TEST(Limits, CountOnlyWhatMeetsThem) {
  const std::uint64_t before = timesMet(Limit::FormTerms);
  EXPECT_FALSE(exceeds(most(Limit::FormTerms), Limit::FormTerms));
  EXPECT_FALSE(reaches(most(Limit::FormTerms) - 1, Limit::FormTerms));
  EXPECT_EQ(timesMet(Limit::FormTerms), before);
  EXPECT_TRUE(exceeds(most(Limit::FormTerms) + 1, Limit::FormTerms));
  EXPECT_TRUE(reaches(most(Limit::FormTerms), Limit::FormTerms));
  EXPECT_EQ(timesMet(Limit::FormTerms), before + 2);
}

TEST(Limits, CanBeTighter) {
  tightenLimits(4);
  EXPECT_FALSE(exceeds(most(Limit::FormTerms) / 4, Limit::FormTerms));
  EXPECT_TRUE(exceeds(most(Limit::FormTerms) / 4 + 1, Limit::FormTerms));
  tightenLimits(std::size_t{1} << 40);
  EXPECT_FALSE(reaches(0, Limit::FormTerms));
  EXPECT_TRUE(reaches(1, Limit::FormTerms));
  tightenLimits(1);
  EXPECT_FALSE(exceeds(most(Limit::FormTerms), Limit::FormTerms));
}

TEST(Limits, HaveNamesOfTheirOwn) {
  std::set<std::string_view> keys;
  for (const LimitInfo& limit : kLimits) {
    EXPECT_TRUE(keys.insert(limit.key).second) << limit.key;
    EXPECT_GT(limit.most, 0u) << limit.key;
    EXPECT_FALSE(limit.consequence.empty()) << limit.key;
  }
}

}  // namespace
}  // namespace ptxopt
