// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "parse/parser.h"
#include "print/printer.h"

namespace ptxopt::passes {
namespace {

std::unique_ptr<ir::Module> parsed(const std::string& text) {
  Diagnostics diagnostics;
  return parse::parse(std::make_shared<SourceText>("k.ptx", text), diagnostics);
}

// Ten kernels of three barriers, one of which may go; long enough for several threads.
std::unique_ptr<ir::Module> tenKernels() {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n.shared .b32 s[4];\n";
  for (int k = 0; k < 10; ++k) {
    text += ".visible .entry k" + std::to_string(k) +
            "()\n{\n\t.reg .b32 %r<3>;\n\tst.shared.u32 [s], 1;\n\tbar.sync 0;\n\tbar.sync 0;\n"
            "\tld.shared.u32 %r1, [s+4];\n\tbar.sync 0;\n\tst.shared.u32 [s], %r1;\n\tret;\n}\n";
  }
  return parsed(text);
}

RunOptions optionsFor(const char* pipeline) {
  RunOptions options;
  options.pipeline = parsePipeline(pipeline);
  options.remarks = true;
  return options;
}

RunOptions basicDbe() {
  return optionsFor("basic-dbe");
}

TEST(PipelineText, SplitsStepsAtCommasOutsideOfBrackets) {
  const auto steps = parsePipeline("basic-dbe,basic-dbe");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].pass->name, "basic-dbe");
  EXPECT_TRUE(parsePipeline("").empty());
}

TEST(PipelineText, SaysWhatIsWrong) {
  const auto messageOf = [](std::string_view text) -> std::string {
    try {
      parsePipeline(text);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(messageOf("no-such-pass").find("no pass 'no-such-pass'"), std::string::npos);
  EXPECT_NE(messageOf("basic-dbe<x").find("unbalanced"), std::string::npos);
  EXPECT_NE(messageOf("basic-dbe>").find("unbalanced"), std::string::npos);
  EXPECT_NE(messageOf("basic-dbe<x=1>").find("there is no option 'x'"), std::string::npos);
  EXPECT_NE(messageOf("basic-dbe<>y").find("after"), std::string::npos);
  EXPECT_NE(messageOf("basic-dbe,").find("no pass ''"), std::string::npos);
}

TEST(PipelineText, LevelsHoldOnlyPassesThatExist) {
  EXPECT_EQ(pipelineOfLevel(0), "");
  for (int level = 1; level <= 3; ++level) {
    EXPECT_FALSE(parsePipeline(pipelineOfLevel(level)).empty()) << "-O" << level;
  }
}

// Kernels that have no barrier are through all passes before the first one that has some is looked
// at: nothing may look into them any more.  The thread sanitizer sees it.
TEST(Pipeline, BarrierPassesLookOnlyIntoFunctionsThatNobodyChanges) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n.shared .b32 s[4];\n";
  for (int k = 0; k < 8; ++k) {
    text +=
        ".visible .entry plain" + std::to_string(k) +
        "(.param .u64 p)\n{\n\t.reg .b32 %r<3>;\n\t.reg .b64 %rd<4>;\n\tld.param.u64 %rd1, [p];\n";
    for (int repeat = 0; repeat < 40; ++repeat) {
      text +=
          "\tadd.u64 %rd2, %rd1, 8;\n\tld.global.u32 %r1, [%rd2];\n\tadd.u64 %rd3, %rd1, 8;\n"
          "\tst.global.u32 [%rd3], %r1;\n";
    }
    text += "\tret;\n}\n";
  }
  for (int k = 0; k < 2; ++k) {
    text += ".visible .entry barriers" + std::to_string(k) +
            "()\n{\n\t.reg .b32 %r<3>;\n\tst.shared.u32 [s], 1;\n\tbar.sync 0;\n\tbar.sync 0;\n"
            "\tld.shared.u32 %r1, [s];\n\tst.shared.u32 [s+4], %r1;\n\tret;\n}\n";
  }
  const auto one = parsed(text);
  const auto four = parsed(text);
  RunOptions options = optionsFor("dead-sync,early-cse,common-base");
  options.remarks = false;
  runPipeline(*one, options);
  options.threads = 4;
  runPipeline(*four, options);
  EXPECT_EQ(print::print(*one).text(), print::print(*four).text());
}

TEST(Pipeline, OutputAndRemarksDoNotDependOnTheNumberOfThreads) {
  const auto one = tenKernels();
  const auto four = tenKernels();
  RunOptions options = basicDbe();
  const RunResult a = runPipeline(*one, options);
  options.threads = 4;
  const RunResult b = runPipeline(*four, options);
  EXPECT_EQ(print::print(*one).text(), print::print(*four).text());
  ASSERT_EQ(a.remarks.size(), b.remarks.size());
  for (std::size_t k = 0; k < a.remarks.size(); ++k) {
    EXPECT_EQ(a.remarks[k].function->nameText(), b.remarks[k].function->nameText());
    EXPECT_EQ(a.remarks[k].place.begin, b.remarks[k].place.begin);
  }
  EXPECT_EQ(a.statistics.at("basic-dbe").at("barriers-removed"), 10u);
}

TEST(Pipeline, StopsAfterTheNthChange) {
  const std::string whole = print::print(*tenKernels()).text();
  std::size_t previous = whole.size();
  for (std::uint64_t limit : {0u, 1u, 2u, 7u, 10u, 11u}) {
    const auto module = tenKernels();
    RunOptions options = basicDbe();
    options.changeLimit = limit;
    options.threads = 4;
    const RunResult result = runPipeline(*module, options);
    const std::size_t size = print::print(*module).text().size();
    const std::size_t removed = (whole.size() - size) / std::string("\tbar.sync 0;\n").size();
    EXPECT_EQ(removed, std::min<std::uint64_t>(limit, 10)) << "limit " << limit;
    EXPECT_EQ(result.changed, removed != 0);
    EXPECT_LE(size, previous);
    previous = size;
  }
}

// Nothing is counted or said twice.
TEST(Pipeline, AStepThatStandsAgainAddsOnlyWhatItChanges) {
  const auto once = tenKernels();
  const auto twice = tenKernels();
  RunOptions options = basicDbe();
  options.pipeline = parsePipeline("dead-sync");
  const RunResult a = runPipeline(*once, options);
  options.pipeline = parsePipeline("dead-sync,dead-sync,dead-sync");
  const RunResult b = runPipeline(*twice, options);
  EXPECT_EQ(print::print(*once).text(), print::print(*twice).text());
  EXPECT_EQ(a.statistics, b.statistics);
  EXPECT_EQ(a.statistics.at("dead-sync").at("barriers-kept"), 10u);
  EXPECT_EQ(a.remarks.size(), b.remarks.size());
  // The third one has nothing to do: the second one has changed nothing.
  EXPECT_EQ(a.times.size(), 1u);
  EXPECT_EQ(b.times.size(), 2u);
}

// The module part of a pass also reports about functions that nothing has changed.
TEST(Pipeline, ALaterRoundReplacesWhatAnEarlierOneReported) {
  const char* const text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry unchanged(.param .u64 p)
{
	.reg .b64 %rd<3>;
	.shared .b32 s[4];
	ld.param.u64 %rd1, [p];
	mov.u64 %rd2, s;
	st.global.u64 [%rd1], %rd2;
	ret;
}
.visible .entry changed(.param .u64 p)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	ld.global.u32 %r1, [%rd1];
	ld.global.u32 %r2, [%rd1];
	add.u32 %r1, %r1, %r2;
	st.global.u32 [%rd1], %r1;
	ret;
}
)";
  const auto module = parsed(text);
  const RunResult result = runPipeline(*module, optionsFor("global-opt,early-cse,global-opt"));
  EXPECT_EQ(std::ranges::count_if(result.remarks,
                                  [](const Remark& remark) {
                                    return std::holds_alternative<KeptVariable>(remark.content);
                                  }),
            1);
}

TEST(Pipeline, WhatNoRoundFoundInTheEndIsNotCounted) {
  const char* const text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
	.reg .b32 %r<2>;
	.shared .b32 s[4];
	st.shared.u32 [s], 1;
	bar.sync 0;
	ld.shared.u32 %r1, [s];
	ret;
}
)";
  const auto module = parsed(text);
  const RunResult result = runPipeline(*module, optionsFor("dead-sync,early-cse,dead-sync"));
  const auto& counters = result.statistics.at("dead-sync");
  EXPECT_EQ(counters.at("barriers-removed"), 1u);
  EXPECT_FALSE(counters.contains("barriers-kept"));
}

TEST(Pipeline, DisabledPassesAreLeftOut) {
  const auto module = tenKernels();
  RunOptions options = basicDbe();
  options.disabledPasses = {"basic-dbe"};
  EXPECT_FALSE(runPipeline(*module, options).changed);
}

TEST(Pipeline, TellsWhenAPassIsDone) {
  const auto module = tenKernels();
  RunOptions options = basicDbe();
  std::vector<std::string> seen;
  options.afterPass = [&](std::string_view pass, const ir::Module&) { seen.emplace_back(pass); };
  options.verifyEach = true;
  const RunResult result = runPipeline(*module, options);
  EXPECT_EQ(seen, std::vector<std::string>{"basic-dbe"});
  EXPECT_TRUE(result.verifierProblems.empty());
  ASSERT_EQ(result.times.size(), 1u);
}

}  // namespace
}  // namespace ptxopt::passes
