// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every row of the table against the newest ptxas at hand: its example is taken at its version and
// target, and refused before them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "isa/isa.h"
#include "ptxas_oracle.h"

namespace ptxopt::isa {
namespace {

// One question: is the example of `row` refused (or taken) there?
struct Question {
  const Row* row;
  enum class Kind { Accept, RefuseVersion, RefuseTarget } kind;
  Version version;
  Target target;
};

std::vector<Target> alternatives(std::string_view requirement) {
  std::vector<Target> result;
  while (!requirement.empty()) {
    const std::size_t bar = requirement.find('|');
    const std::string word = "sm_" + std::string(requirement.substr(0, bar));
    const std::optional<Target> target = parseTarget(word);
    EXPECT_TRUE(target) << requirement;
    if (target) result.push_back(*target);
    if (bar == std::string_view::npos) break;
    requirement.remove_prefix(bar + 1);
  }
  return result;
}

std::optional<Version> firstVersion(Target target) {
  for (const KnownTarget& known : kKnownTargets) {
    if (known.target == target) return known.version;
  }
  return std::nullopt;
}

std::optional<Version> before(Version version) {
  const auto at = std::lower_bound(kKnownVersions.begin(), kKnownVersions.end(), version);
  if (at == kKnownVersions.begin()) return std::nullopt;
  return *std::prev(at);
}

// Targets that do not satisfy `requirement` and stand closest to one of its alternatives: for
// 90a sm_90, for 100f sm_100, for 80 sm_75.
std::vector<Target> targetsBefore(std::string_view requirement) {
  std::vector<Target> result;
  for (const Target& alternative : alternatives(requirement)) {
    std::optional<Target> closest;
    for (const KnownTarget& known : kKnownTargets) {
      if (known.target.suffix != 0 || satisfies(known.target, requirement)) continue;
      if (known.target.sm < alternative.sm + (alternative.suffix != 0 ? 1 : 0)) {
        closest = known.target;
      }
    }
    if (closest && std::find(result.begin(), result.end(), *closest) == result.end()) {
      result.push_back(*closest);
    }
  }
  return result;
}

std::string describe(const Row& row) {
  return std::string(row.example) + "   [" + std::string(row.syntax) + ", " +
         toString(row.version) + ", " + std::string(row.target) + "]";
}

TEST(RowsAgainstPtxas, ExamplesVersionsAndTargets) {
  const std::optional<PtxasOracle> oracle = PtxasOracle::find();
  if (!oracle) {
    GTEST_SKIP() << "no ptxas that knows PTX ISA " << toString(kKnownVersions.back())
                 << ": name one in PTXOPT_TEST_PTXAS or put it on PATH";
  }

  std::vector<Question> questions;
  int unprovenVersions = 0;
  int versionsOfNewTargets = 0;
  int unprovenTargets = 0;
  int unprovenExamples = 0;
  for (const Row& row : rows()) {
    if (!std::binary_search(kKnownVersions.begin(), kKnownVersions.end(), row.version)) {
      ADD_FAILURE() << "no such version: " << describe(row);
      continue;
    }
    const std::vector<Target> targets = alternatives(row.target);
    if ((row.unproven & kUnprovenExample) != 0) {
      ++unprovenExamples;
      continue;
    }
    bool isVersionAsked = false;
    for (const Target& target : targets) {
      const std::optional<Version> first = firstVersion(target);
      ASSERT_TRUE(first) << toString(target) << " in " << describe(row);
      questions.push_back({&row, Question::Kind::Accept, std::max(row.version, *first), target});
      const std::optional<Version> previous = before(row.version);
      if (previous && *previous >= *first && !isVersionAsked &&
          (row.unproven & kUnprovenVersion) == 0) {
        isVersionAsked = true;
        questions.push_back({&row, Question::Kind::RefuseVersion, *previous, target});
      }
    }
    if ((row.unproven & kUnprovenVersion) != 0) {
      ++unprovenVersions;
    } else if (!isVersionAsked && before(row.version)) {
      ++versionsOfNewTargets;
    }
    if ((row.unproven & kUnprovenTarget) != 0) {
      ++unprovenTargets;
      continue;
    }
    for (const Target& target : targetsBefore(row.target)) {
      questions.push_back({&row, Question::Kind::RefuseTarget,
                           std::max(row.version, firstVersion(target).value()), target});
    }
  }

  // Acceptance and refusals apart, so that the long files are those without an error.
  std::map<std::tuple<bool, Version, Target>, std::vector<const Question*>> groups;
  for (const Question& question : questions) {
    groups[{question.kind == Question::Kind::Accept, question.version, question.target}].push_back(
        &question);
  }
  for (const auto& [key, group] : groups) {
    std::vector<std::string_view> statements;
    for (const Question* question : group) statements.push_back(question->row->example);
    const auto& [isAccept, version, target] = key;
    const std::vector<std::string> messages = oracle->ask(version, target, statements);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::string where = " at .version " + toString(version) + " for " + toString(target) +
                                ": " + describe(*group[i]->row);
      if (isAccept) {
        EXPECT_EQ(messages[i], "") << "refused" << where;
      } else {
        EXPECT_NE(messages[i], "")
            << (group[i]->kind == Question::Kind::RefuseVersion ? "version: taken"
                                                                : "target: taken")
            << where;
      }
    }
  }
  std::printf(
      "%zu rows, %zu questions, %d runs of ptxas; not shown: %d versions that no earlier target "
      "has, "
      "%d versions and %d targets that ptxas does not check, %d examples that it does not take\n",
      rows().size(), questions.size(), oracle->runs(), versionsOfNewTargets, unprovenVersions,
      unprovenTargets, unprovenExamples);
}

}  // namespace
}  // namespace ptxopt::isa
