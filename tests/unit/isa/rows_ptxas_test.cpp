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

std::optional<Version> before(Version version) {
  const auto at = std::lower_bound(knownVersions().begin(), knownVersions().end(), version);
  if (at == knownVersions().begin()) return std::nullopt;
  return *std::prev(at);
}

// Targets that do not satisfy `requirement` and stand closest to one of its alternatives: for
// 90a sm_90, for 100f sm_100, for 80 sm_75.
std::vector<Target> targetsBefore(std::string_view requirement) {
  std::vector<Target> result;
  for (const Target& alternative : alternatives(requirement)) {
    std::optional<Target> closest;
    for (const KnownTarget& known : knownTargets()) {
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
    GTEST_SKIP() << "no ptxas that knows PTX ISA " << toString(kNewestVersion)
                 << ": name one in PTXOPT_TEST_PTXAS or put it on PATH";
  }

  std::vector<Question> questions;
  int unprovenVersions = 0;
  int versionsOfNewTargets = 0;
  int unprovenTargets = 0;
  int unprovenExamples = 0;
  for (const Row& row : rows()) {
    if (!std::binary_search(knownVersions().begin(), knownVersions().end(), row.version)) {
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

// What was introduced for a target is there for every later one, unless the table says that it was
// withdrawn.
TEST(RowsAgainstPtxas, NewestVersionAndTargets) {
  const std::optional<PtxasOracle> oracle = PtxasOracle::find();
  if (!oracle) {
    GTEST_SKIP() << "no ptxas that knows PTX ISA " << toString(kNewestVersion)
                 << ": name one in PTXOPT_TEST_PTXAS or put it on PATH";
  }
  int withdrawn = 0;
  for (const Target target : {Target{52, 0}, Target{75, 0}, Target{90, 0}, Target{121, 0}}) {
    std::vector<const Row*> asked;
    std::vector<std::string_view> statements;
    for (const Row& row : rows()) {
      if ((row.unproven & kUnprovenExample) != 0 || !satisfies(target, row.target)) continue;
      asked.push_back(&row);
      statements.push_back(row.example);
    }
    const std::vector<std::string> messages = oracle->ask(kNewestVersion, target, statements);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const bool isGone = asked[i]->withdrawn.holds(kNewestVersion, target);
      withdrawn += int{isGone};
      EXPECT_EQ(messages[i].empty(), !isGone)
          << toString(target) << ": " << describe(*asked[i]) << ": " << messages[i];
    }
  }
  std::printf("%d withdrawn, %d runs of ptxas\n", withdrawn, oracle->runs());
}

// No later target has a row earlier than the first one, but for those that the table names.
TEST(RowsAgainstPtxas, LaterTargetsAtTheVersionBefore) {
  const std::optional<PtxasOracle> oracle = PtxasOracle::find();
  if (!oracle) {
    GTEST_SKIP() << "no ptxas that knows PTX ISA " << toString(kNewestVersion)
                 << ": name one in PTXOPT_TEST_PTXAS or put it on PATH";
  }
  std::map<std::pair<Version, Target>, std::vector<const Row*>> groups;
  for (const Target target : {Target{75, 0}, Target{90, 0}, Target{100, 'a'}, Target{121, 'a'}}) {
    for (const Row& row : rows()) {
      const auto last = before(row.version);
      const bool isAsked = row.unproven == kProven && satisfies(target, row.target) && last &&
                           *last >= firstVersion(target);
      if (isAsked) groups[{*last, target}].push_back(&row);
    }
  }
  for (const auto& [key, group] : groups) {
    const auto& [version, target] = key;
    std::vector<std::string_view> statements;
    for (const Row* row : group) statements.push_back(row->example);
    const std::vector<std::string> messages = oracle->ask(version, target, statements);
    for (std::size_t i = 0; i < group.size(); ++i) {
      EXPECT_EQ(messages[i].empty(), group[i]->earlier.holds(version, target))
          << "taken or refused at .version " << toString(version) << " for " << toString(target)
          << ": " << describe(*group[i]);
    }
  }
  std::printf("%d runs of ptxas\n", oracle->runs());
}

// At the version before, the first target that lost a row still has it.
TEST(RowsAgainstPtxas, Withdrawals) {
  const std::optional<PtxasOracle> oracle = PtxasOracle::find();
  if (!oracle) {
    GTEST_SKIP() << "no ptxas that knows PTX ISA " << toString(kNewestVersion)
                 << ": name one in PTXOPT_TEST_PTXAS or put it on PATH";
  }
  for (const Row& row : rows()) {
    if (row.withdrawn.isNever()) continue;
    const auto first = std::ranges::find_if(knownTargets(), [&](const KnownTarget& known) {
      return satisfies(known.target, row.withdrawn.target) && satisfies(known.target, row.target);
    });
    ASSERT_NE(first, knownTargets().end()) << describe(row);
    const auto ask = [&](Version version, Target target) {
      return oracle->ask(version, target, {row.example}).front();
    };
    EXPECT_NE(ask(std::max(row.withdrawn.version, first->version), first->target), "")
        << describe(row);
    if (const auto last = before(row.withdrawn.version); last && *last >= first->version) {
      EXPECT_EQ(ask(*last, first->target), "") << describe(row);
    }
    if (first == knownTargets().begin()) continue;
    if (const KnownTarget& lower = *std::prev(first); satisfies(lower.target, row.target)) {
      EXPECT_EQ(ask(kNewestVersion, lower.target), "") << describe(row);
    }
  }
}

}  // namespace
}  // namespace ptxopt::isa
