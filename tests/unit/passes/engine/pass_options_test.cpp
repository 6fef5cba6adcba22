// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/engine/pass_options.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "passes/registry.h"

namespace ptxopt::passes {
namespace {

using Kind = PassOption::Kind;

constexpr PassOption kKnown[] = {
    {"guard"},
    {"level", Kind::Number, {}, 1, 3},
    {"limit", Kind::Number},
    {"precision", Kind::Choice, "flags|objects|affine"},
    {"keep", Kind::Text, "KERNEL;..."},
    {"whole", Kind::OptionalText, "NAME"},
};

std::string errorOf(const PassOptions& given) {
  std::string error;
  EXPECT_FALSE(OptionValues::read(kKnown, given, error));
  return error;
}

TEST(PassOptions, AreSpelledWithTheirValues) {
  const std::vector<std::string> expected = {"guard",           "level=1|2|3",
                                             "limit=N",         "precision=flags|objects|affine",
                                             "keep=KERNEL;...", "whole, whole=NAME"};
  std::vector<std::string> spellings;
  for (const PassOption& option : kKnown) spellings.push_back(spelling(option));
  EXPECT_EQ(spellings, expected);
}

TEST(PassOptions, GiveTheirValuesOrADefault) {
  std::string error;
  const auto values = OptionValues::read(
      kKnown,
      {{"guard", ""}, {"level", "3"}, {"precision", "objects"}, {"keep", "k"}, {"whole", ""}},
      error);
  ASSERT_TRUE(values) << error;
  EXPECT_TRUE(values->has("guard"));
  EXPECT_TRUE(values->has("whole"));
  EXPECT_FALSE(values->has("limit"));
  EXPECT_EQ(values->number("level", 1), 3u);
  EXPECT_EQ(values->number("limit", 17), 17u);
  EXPECT_EQ(values->choice("precision", 2), 1u);
  EXPECT_EQ(values->text("keep"), "k");
  EXPECT_EQ(values->text("whole"), "");
}

TEST(PassOptions, WrongOnesAreNamed) {
  EXPECT_EQ(errorOf({{"gard", ""}}), "there is no option 'gard'");
  EXPECT_EQ(errorOf({{"guard", "1"}}), "guard takes no value");
  for (const char* level : {"0", "4", "-1", "x", "", "2x", "18446744073709551617"}) {
    EXPECT_EQ(errorOf({{"level", level}}),
              "level is a number from 1 to 3, not '" + std::string(level) + "'");
  }
  EXPECT_EQ(errorOf({{"limit", "-1"}}), "limit is a number, not '-1'");
  EXPECT_EQ(errorOf({{"precision", "lines"}}),
            "precision must be flags, objects or affine, not 'lines'");
}

TEST(PassOptions, OfAllPassesHaveDistinctNamesAndFlagsWithHelp) {
  std::set<std::string_view> flags;
  for (const PassInfo* pass : allPasses()) {
    std::set<std::string_view> names;
    for (const PassOption& option : pass->options) {
      EXPECT_TRUE(names.insert(option.name).second) << pass->name << ' ' << option.name;
      EXPECT_EQ(option.flag.empty(), option.help.empty()) << pass->name << ' ' << option.name;
      EXPECT_TRUE(option.flag.empty() || flags.insert(option.flag).second) << option.flag;
      const bool needsValues = option.kind == Kind::Choice || option.kind == Kind::Text ||
                               option.kind == Kind::OptionalText;
      EXPECT_EQ(needsValues, !option.values.empty()) << pass->name << ' ' << option.name;
    }
  }
}

}  // namespace
}  // namespace ptxopt::passes
