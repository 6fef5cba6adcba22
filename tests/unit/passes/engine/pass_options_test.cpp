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
    {.name = "level", .kind = Kind::Number, .least = 1, .most = 3, .preset = 1},
    {.name = "limit", .kind = Kind::Number, .preset = 17, .help = "The most\nthat there may be"},
    {.name = "precision", .kind = Kind::Choice, .values = "flags|objects|affine", .preset = 2},
    {"keep", Kind::Text, "KERNEL;..."},
    {"whole", Kind::OptionalText, "NAME"},
};

std::string errorOf(const PassOptions& given) {
  std::string error;
  EXPECT_FALSE(OptionValues::read(kKnown, given, error));
  return error;
}

// As if the user gave the defaults.
PassOptions presetsOf(const PassInfo& pass) {
  PassOptions given;
  for (const PassOption& option : pass.options) {
    if (const std::string preset = presetText(option); !preset.empty()) {
      given.emplace(option.name, preset);
    }
  }
  return given;
}

TEST(PassOptions, AreSpelledWithTheirValues) {
  const std::vector<std::string> expected = {"guard",           "level=1|2|3",
                                             "limit=N",         "precision=flags|objects|affine",
                                             "keep=KERNEL;...", "whole, whole=NAME"};
  std::vector<std::string> spellings;
  for (const PassOption& option : kKnown) spellings.push_back(spelling(option));
  EXPECT_EQ(spellings, expected);
}

TEST(PassOptions, SayTheirDefaults) {
  std::vector<std::string> texts;
  for (const PassOption& option : kKnown) texts.push_back(presetText(option));
  EXPECT_EQ(texts, (std::vector<std::string>{"", "1", "17", "affine", "", ""}));
  EXPECT_EQ(summary(kKnown[0]), "guard");
  EXPECT_EQ(summary(kKnown[3]), "precision=flags|objects|affine (default: affine)");
  EXPECT_EQ(helpText(kKnown[0]), "");
  EXPECT_EQ(helpText(kKnown[2]), "The most\nthat there may be (default: 17)");
  const std::string line(60, 'x');
  const PassOption full = {.name = "n", .kind = Kind::Number, .help = line};
  EXPECT_EQ(helpText(full), line + "\n(default: 0)");
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
  EXPECT_EQ(values->number("level"), 3u);
  EXPECT_EQ(values->number("limit"), 17u);
  EXPECT_EQ(values->choice("precision"), 1u);
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
  std::string error;
  for (const PassInfo* pass : allPasses()) {
    EXPECT_TRUE(OptionValues::read(pass->options, presetsOf(*pass), error)) << error;
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
