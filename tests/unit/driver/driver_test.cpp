// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/driver.h"
#include "passes/registry.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

namespace ptxopt::driver {
namespace {

const std::string kBarriers = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k()
{
	.reg .b32 %r<2>;
	bar.sync 0; // leading
	bar.warp.sync -1;
	barrier.cluster.arrive;
	mov.u32 %r1, 1;
	bar.arrive 1, 64;
	ret;
}
)";

std::shared_ptr<const SourceText> source(const std::string& text) {
  return std::make_shared<const SourceText>("k.ptx", text);
}

OptimizeOptions withPipeline(const char* pipeline) {
  OptimizeOptions options;
  options.run.pipeline = passes::parsePipeline(pipeline);
  return options;
}

TEST(Optimize, WithoutPassesGivesTheInput) {
  const OptimizeResult result = optimize(source(kBarriers), {});
  ASSERT_TRUE(result.ok);
  EXPECT_TRUE(result.diagnostics.all().empty());
  EXPECT_EQ(result.output.text(), kBarriers);
  EXPECT_TRUE(equals(result.output, kBarriers));
  EXPECT_FALSE(result.run.changed);
}

TEST(Optimize, CountsInstructionsAndBarriersOfTheCta) {
  const OptimizeResult result = optimize(source(kBarriers), {});
  EXPECT_EQ(result.before.instructions, 6u);
  EXPECT_EQ(result.before.ctaBarriers, 2u);
  EXPECT_EQ(result.after.instructions, 6u);
  OptimizeOptions options;
  options.countCode = false;
  EXPECT_EQ(optimize(source(kBarriers), options).before.instructions, 0u);
}

TEST(Optimize, RunsThePipeline) {
  const std::string text = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k()
{
	bar.sync 0;
	bar.sync 0;
	ret;
}
)";
  const OptimizeResult result = optimize(source(text), withPipeline("basic-dbe"));
  ASSERT_TRUE(result.ok);
  EXPECT_TRUE(result.run.changed);
  EXPECT_FALSE(equals(result.output, text));
  EXPECT_EQ(result.before.ctaBarriers, 2u);
  EXPECT_EQ(result.after.ctaBarriers, 0u);
}

TEST(Optimize, TellsOfInputThatIsNotPtx) {
  const OptimizeResult result = optimize(source("int main() {}"), {});
  EXPECT_FALSE(result.ok);
  EXPECT_FALSE(result.internalFault);
  ASSERT_TRUE(result.diagnostics.hasErrors());
  EXPECT_TRUE(format(result.diagnostics.all().front()).starts_with("k.ptx:1:1: error: "));
}

// A pipeline whose one step ends in an exception.
template <class Exception>
OptimizeResult optimizeWith(const Exception& exception) {
  OptimizeOptions options = withPipeline("basic-dbe");
  options.run.afterPass = [&](std::string_view, const ir::Module&) { throw exception; };
  return optimize(source(kBarriers), options);
}

TEST(Optimize, CallsAnExceptionAnInternalFault) {
  const OptimizeResult result = optimizeWith(std::out_of_range("no such block"));
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(result.internalFault);
  EXPECT_TRUE(result.output.pieces().empty());
  EXPECT_EQ(format(result.diagnostics.all().back()),
            "k.ptx: error: internal fault: no such block; please report this with the input at the "
            "project's issue tracker; input untouched");
  EXPECT_TRUE(optimizeWith(42).internalFault);
}

TEST(Optimize, DoesNotCallAFullMemoryAFault) {
  const OptimizeResult result = optimizeWith(std::bad_alloc());
  EXPECT_FALSE(result.ok);
  EXPECT_FALSE(result.internalFault);
  EXPECT_EQ(format(result.diagnostics.all().back()), "k.ptx: error: not enough memory");
}

TEST(Optimize, LeavesCodeForADebuggerAloneThatIsNotUnderstood) {
  std::string text = kBarriers;
  text.replace(text.find("sm_75"), 5, "sm_75, debug");
  text += "@@DWARF .byte 0x90\n";
  const OptimizeResult result = optimize(source(text), withPipeline("basic-dbe"));
  ASSERT_TRUE(result.ok);
  EXPECT_TRUE(equals(result.output, text));
  EXPECT_EQ(result.diagnostics.all().back().severity, Severity::Note);
}

TEST(Optimize, VerifiesTheInputWhereAsked) {
  std::string text = kBarriers;
  text.replace(text.find("mov.u32 %r1, 1"), 14, "mov.u64 %r1, 1");
  const OptimizeResult without = optimize(source(text), {});
  OptimizeOptions options;
  options.verifyInput = InputCheck::Warn;
  const OptimizeResult warned = optimize(source(text), options);
  options.verifyInput = InputCheck::Require;
  const OptimizeResult required = optimize(source(text), options);
  EXPECT_TRUE(without.ok);
  EXPECT_TRUE(warned.ok);
  EXPECT_GT(warned.diagnostics.all().size(), without.diagnostics.all().size());
  EXPECT_FALSE(warned.diagnostics.hasErrors());
  EXPECT_FALSE(required.ok);
  EXPECT_TRUE(required.diagnostics.hasErrors());
}

TEST(Optimize, LetsATextThatIsNoPtxBelowTheSurfaceThrough) {
  std::string text = kBarriers;
  text.replace(text.find("bar.sync"), 8, "`bar`");
  const OptimizeResult result = optimize(source(text), withPipeline("basic-dbe"));
  ASSERT_TRUE(result.ok);
  EXPECT_EQ(result.module, nullptr);
  EXPECT_TRUE(equals(result.output, text));
  ASSERT_EQ(result.diagnostics.all().size(), 1u);
  EXPECT_EQ(result.diagnostics.all().front().severity, Severity::Warning);
}

TEST(Optimize, NotesThePhases) {
  OptimizeOptions options = withPipeline("basic-dbe");
  options.verifyInput = InputCheck::Require;
  std::vector<std::string> names;
  for (const passes::PassTime& phase : optimize(source(kBarriers), options).phases) {
    names.push_back(phase.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"parse", "verify", "passes", "print"}));
}

TEST(Equals, ComparesPiecesWithAText) {
  EXPECT_TRUE(equals(print::Output(std::string("abc")), "abc"));
  EXPECT_FALSE(equals(print::Output(std::string("abc")), "abd"));
  EXPECT_FALSE(equals(print::Output(std::string("abc")), "ab"));
  EXPECT_TRUE(equals(print::Output(), ""));
}

}  // namespace
}  // namespace ptxopt::driver
