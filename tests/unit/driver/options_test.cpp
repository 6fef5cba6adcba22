// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/options.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace ptxopt::driver {
namespace {

Options parse(std::initializer_list<const char*> arguments) {
  std::vector<const char*> argv = {"ptxopt"};
  argv.insert(argv.end(), arguments);
  Options options;
  const auto status = parseCommandLine(static_cast<int>(argv.size()), argv.data(), options);
  EXPECT_FALSE(status.has_value());
  return options;
}

std::vector<std::string> passesOf(const Options& options) {
  std::vector<std::string> names;
  for (const passes::PipelineStep& step : options.pipeline) names.emplace_back(step.pass->name);
  return names;
}

TEST(CommandLine, DefaultsToLevelTwoAndStandardOutput) {
  const Options options = parse({"k.ptx"});
  EXPECT_EQ(options.inputs, std::vector<std::string>{"k.ptx"});
  EXPECT_EQ(options.output, "-");
  EXPECT_EQ(passesOf(options), passesOf(parse({"-O2", "k.ptx"})));
  EXPECT_EQ(options.changeLimit, passes::ChangeBudget::kUnlimited);
  EXPECT_EQ(options.threads, 0u);
  EXPECT_EQ(options.verbosity, 0);
  EXPECT_EQ(options.statistics, ReportFormat::None);
  EXPECT_FALSE(options.warnInput);
}

TEST(CommandLine, WritesNoResultForCheckAndDiff) {
  EXPECT_EQ(parse({"--check", "k.ptx"}).output, "");
  EXPECT_EQ(parse({"--diff", "k.ptx"}).output, "");
  EXPECT_EQ(parse({"--diff", "k.ptx", "-o", "x"}).output, "x");
  EXPECT_EQ(parse({"--output-dir=d", "a", "b"}).output, "");
}

TEST(CommandLine, TakesTheLastOfSeveralLevels) {
  EXPECT_TRUE(parse({"-O2", "-O0", "k.ptx"}).pipeline.empty());
  EXPECT_TRUE(parse({"-O0", "k.ptx"}).warnInput);
  EXPECT_FALSE(parse({"-O", "1", "k.ptx"}).pipeline.empty());
}

TEST(CommandLine, PrefersAPipelineToALevel) {
  const Options options = parse({"--passes=basic-dbe,basic-dbe", "-O0", "k.ptx"});
  EXPECT_EQ(passesOf(options), (std::vector<std::string>{"basic-dbe", "basic-dbe"}));
  EXPECT_FALSE(options.warnInput);
}

TEST(CommandLine, LetsFlagsWithValuesStandBeforeInputs) {
  const Options options = parse({"--stats", "k.ptx"});
  EXPECT_EQ(options.statistics, ReportFormat::Text);
  EXPECT_EQ(options.inputs.size(), 1u);
  EXPECT_EQ(parse({"--stats=json", "k.ptx"}).statistics, ReportFormat::Json);
}

TEST(CommandLine, CollectsRepeatableOptions) {
  const Options options = parse({"--disable-pass=basic-dbe", "--print-after", "all",
                                 "--print-after=basic-dbe", "k.ptx", "-v", "-j4"});
  EXPECT_EQ(options.disabledPasses, std::vector<std::string>{"basic-dbe"});
  EXPECT_EQ(options.printAfter, (std::vector<std::string>{"all", "basic-dbe"}));
  EXPECT_EQ(options.inputs, std::vector<std::string>{"k.ptx"});
  EXPECT_EQ(options.verbosity, 1);
  EXPECT_EQ(options.threads, 4u);
}

TEST(CommandLine, TakesTheDashForStandardStreams) {
  const Options options = parse({"-", "-o", "-"});
  EXPECT_EQ(options.inputs, std::vector<std::string>{"-"});
  EXPECT_EQ(options.output, "-");
}

TEST(CommandLine, TakesNamesBehindTwoDashes) {
  EXPECT_EQ(parse({"-q", "--", "-k.ptx"}).inputs, std::vector<std::string>{"-k.ptx"});
}

TEST(CommandLine, TakesEmptyValues) {
  const Options options = parse({"--passes=", "k.ptx"});
  EXPECT_TRUE(options.pipeline.empty());
  EXPECT_EQ(options.inputs, std::vector<std::string>{"k.ptx"});
  EXPECT_EQ(parse({"--", "--x="}).inputs, std::vector<std::string>{"--x="});
}

TEST(CommandLine, BoundsChanges) {
  EXPECT_EQ(parse({"--opt-bisect-limit=7", "k.ptx"}).changeLimit, 7u);
  EXPECT_EQ(parse({"--opt-bisect-limit=-1", "k.ptx"}).changeLimit,
            passes::ChangeBudget::kUnlimited);
}

TEST(CommandLine, EndsWithAStatusOnMistakes) {
  const char* const argv[] = {"ptxopt", "--bogus"};
  Options options;
  EXPECT_EQ(parseCommandLine(2, argv, options), kFailure);
}

TEST(ExitStatuses, TheWorstHolds) {
  EXPECT_EQ(worse(kSuccess, kSuccess), kSuccess);
  EXPECT_EQ(worse(kSuccess, kDiffers), kDiffers);
  EXPECT_EQ(worse(kFailure, kDiffers), kFailure);
  EXPECT_EQ(worse(kDiffers, kFailure), kFailure);
  EXPECT_EQ(worse(kInternalFault, kFailure), kInternalFault);
}

}  // namespace
}  // namespace ptxopt::driver
