// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of constructs: every word once, and ptxas takes each example at its version and target,
// and refuses it before them.
#include "isa/constructs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "ptxas_oracle.h"

namespace ptxopt::isa {
namespace {

TEST(Constructs, WordsAreDifferent) {
  std::set<std::pair<ConstructKind, std::string_view>> seen;
  for (const Construct& construct : constructs()) {
    EXPECT_TRUE(seen.insert({construct.kind, construct.word}).second) << construct.word;
    EXPECT_EQ(findConstruct(construct.kind, construct.word), &construct);
    EXPECT_TRUE(std::ranges::binary_search(knownVersions(), construct.version)) << construct.word;
  }
  EXPECT_EQ(findConstruct(ConstructKind::FunctionAttribute, ".frob"), nullptr);
  EXPECT_EQ(findConstruct(ConstructKind::Pragma, ".maxntid"), nullptr);
}

TEST(Constructs, PtxasTakesThemFromTheirVersionAndTargetOn) {
  const std::optional<PtxasOracle> oracle = PtxasOracle::find();
  if (!oracle) {
    GTEST_SKIP() << "no ptxas that knows PTX ISA " << toString(kNewestVersion)
                 << ": name one in PTXOPT_TEST_PTXAS or put it on PATH";
  }
  int unproven = 0;
  for (const Construct& construct : constructs()) {
    if ((construct.unproven & kUnprovenExample) != 0) {
      ++unproven;
      continue;
    }
    const auto first = std::ranges::find_if(knownTargets(), [&](const KnownTarget& known) {
      return satisfies(known.target, construct.target);
    });
    ASSERT_NE(first, knownTargets().end()) << construct.word;
    const auto ask = [&](Version version, Target target) {
      return oracle->askModule(version, target, construct.example);
    };
    const Version version = std::max(construct.version, first->version);
    EXPECT_EQ(ask(version, first->target), "") << construct.word;
    if (const auto at = std::ranges::lower_bound(knownVersions(), version);
        at != knownVersions().begin() && *std::prev(at) >= first->version) {
      const bool isProven = (construct.unproven & kUnprovenVersion) == 0;
      EXPECT_EQ(ask(*std::prev(at), first->target).empty(), !isProven) << construct.word;
      unproven += int{!isProven};
    }
    if (first == knownTargets().begin()) continue;
    const KnownTarget& below = *std::prev(first);
    EXPECT_NE(ask(std::max(version, below.version), below.target), "") << construct.word;
  }
  std::printf("%zu constructs, %d runs of ptxas; not shown: %d\n", constructs().size(),
              oracle->runs(), unproven);
}

}  // namespace
}  // namespace ptxopt::isa
