// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa/targets.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ptxas_oracle.h"

namespace ptxopt::isa {
namespace {

TEST(Targets, VersionsAreReadAndWritten) {
  EXPECT_EQ(parseVersion("8.2"), (Version{8, 2}));
  for (const char* text : {"", "8", "8.", ".2", "8.2.1", "8.2x", "x", "300.1", "-1.0"}) {
    EXPECT_EQ(parseVersion(text), std::nullopt) << text;
  }
  EXPECT_EQ(toString(Version{9, 5}), "9.5");
  EXPECT_EQ(toString(Target{100, 'f'}), "sm_100f");
  EXPECT_EQ(toString(Target{75, 0}), "sm_75");
}

TEST(Targets, TheNewestVersionBelowALimit) {
  EXPECT_EQ(newestVersion({8, 2}), (Version{8, 2}));
  EXPECT_EQ(newestVersion({8, 99}), (Version{8, 8}));
  EXPECT_EQ(newestVersion({99, 0}), kNewestVersion);
  EXPECT_EQ(newestVersion({0, 9}), std::nullopt);
}

TEST(Targets, FirstVersions) {
  EXPECT_EQ(firstVersion({90, 0}), (Version{7, 8}));
  EXPECT_EQ(firstVersion({90, 'a'}), (Version{8, 0}));
  EXPECT_EQ(firstVersion({90, 'f'}), std::nullopt);
  EXPECT_EQ(firstVersion({999, 0}), std::nullopt);
  EXPECT_TRUE(isKnown({90, 'f'}));  // the number is known
  EXPECT_FALSE(isKnown({999, 0}));
}

TEST(Targets, ReleasesOfCudaAndDrivers) {
  EXPECT_EQ(ptxOfCuda({12, 2}), (Version{8, 2}));
  EXPECT_EQ(ptxOfCuda({12, 6}), (Version{8, 5}));
  EXPECT_EQ(ptxOfCuda({99, 0}), kNewestVersion);
  EXPECT_EQ(ptxOfCuda({7, 5}), std::nullopt);
  EXPECT_EQ(ptxOfDriver(550), (Version{8, 4}));
  EXPECT_EQ(ptxOfDriver(537), (Version{8, 2}));  // between two branches
  EXPECT_EQ(ptxOfDriver(999), (Version{9, 2}));
  EXPECT_EQ(ptxOfDriver(300), std::nullopt);
}

// Each target is taken from its version on, and refused before.
TEST(Targets, PtxasKnowsThemFromTheirVersionsOn) {
  const std::optional<PtxasOracle> oracle = PtxasOracle::find();
  if (!oracle) {
    GTEST_SKIP() << "no ptxas that knows PTX ISA " << toString(kNewestVersion)
                 << ": name one in PTXOPT_TEST_PTXAS or put it on PATH";
  }
  for (const KnownTarget& known : knownTargets()) {
    const auto ask = [&](Version version) {
      return oracle->askModule(version, known.target, ".entry k { ret; }");
    };
    EXPECT_EQ(ask(known.version), "") << toString(known.target);
    const auto at = std::ranges::lower_bound(knownVersions(), known.version);
    if (at == knownVersions().begin()) continue;
    EXPECT_NE(ask(*std::prev(at)), "") << toString(known.target);
  }
}

}  // namespace
}  // namespace ptxopt::isa
