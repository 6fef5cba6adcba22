// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CTAs on several threads of the host, and what a launch description prints.
#include <gtest/gtest.h>

#include "coverage.h"

namespace ptxopt::interp {
namespace {

std::string kernel(const std::string& body) {
  return R"(
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 count;
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mad.wide.u32 %rd2, %r4, 4, %rd1;
)" + body +
         "\n  ret;\n}\n";
}

Outcome runWith(const std::string& body, std::uint32_t jobs) {
  const auto module = parseText("test.ptx", kernel(body));
  Launch launch;
  launch.grid = {8};
  launch.block = Dim3{64};
  std::string error;
  launch.arguments.push_back(*parseArgument("buffer:4096", error));
  MachineOptions options;
  options.detectsRaces = false;
  options.jobs = jobs;
  auto outcome = run(*module, launch, options, error);
  if (!outcome) throw std::runtime_error(error);
  EXPECT_TRUE(outcome->completed);
  EXPECT_TRUE(outcome->findings.empty());
  return std::move(*outcome);
}

std::uint32_t countOf(const Outcome& outcome) {
  return as<std::uint32_t>(outcome.memory[1].bytes)[0];
}

TEST(Parallel, IndependentCtasGiveOneResult) {
  const std::string body = R"(
    mul.lo.u32 %r5, %r4, %r4;
    st.global.u32 [%rd2], %r5;
    red.global.add.u32 [count], %r1;)";
  const Outcome alone = runWith(body, 1);
  for (const std::uint32_t jobs : {2u, 3u, 16u}) {
    const Outcome outcome = runWith(body, jobs);
    EXPECT_EQ(outcome.checksum(), alone.checksum());
    EXPECT_EQ(outcome.steps, alone.steps);
  }
  EXPECT_EQ(countOf(alone), 8u * 64 * 63 / 2);
}

// Read-modify-writes of several threads of the host must not get lost; the lock is opened by a
// plain release store beside them.
TEST(Parallel, ALockOfAllCtas) {
  const std::string body = R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 exit;
    mov.u32 %r6, 0;
  take:
    atom.acquire.gpu.global.cas.b32 %r5, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r5, 0;
    @%p1 bra take;
    ld.relaxed.gpu.global.u32 %r7, [count];
    add.u32 %r7, %r7, 1;
    st.relaxed.gpu.global.u32 [count], %r7;
    st.release.gpu.global.u32 [%rd1], 0;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p1, %r6, 200;
    @%p1 bra take;)";
  EXPECT_EQ(countOf(runWith(body, 4)), 8u * 200);
}

// All CTAs wait for the last: each thread of the host must let the others go on.
TEST(Parallel, ABarrierOfTheGrid) {
  const std::string body = R"(
    bar.sync 0;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra wait;
    red.release.gpu.global.add.u32 [count], 1;
  wait:
    ld.acquire.gpu.global.u32 %r5, [count];
    setp.lt.u32 %p1, %r5, 8;
    @%p1 bra wait;
    st.global.u32 [%rd2], %r5;)";
  const Outcome outcome = runWith(body, 4);
  for (const std::uint32_t word : as<std::uint32_t>(outcome.memory[0].bytes)) {
    EXPECT_TRUE(word == 8 || word == 0);
  }
  EXPECT_EQ(as<std::uint32_t>(outcome.memory[0].bytes)[511], 8u);
}

TEST(Launch, Prints) {
  std::string error;
  const auto launch =
      findLaunch("// LAUNCH: {\"args\": [\"buffer:64\"], \"print\": [\"count\"]}\n", "", error);
  ASSERT_TRUE(launch) << error;
  EXPECT_EQ(launch->printed, std::vector<std::string>{"count"});
  const auto module = parseText("test.ptx", kernel("add.u32 %r5, %r1, 1;"));
  EXPECT_TRUE(run(*module, *launch, {}, error)) << error;
  Launch other = *launch;
  other.printed = {"nothing"};
  EXPECT_FALSE(run(*module, other, {}, error));
  EXPECT_NE(error.find("'nothing'"), std::string::npos);
}

}  // namespace
}  // namespace ptxopt::interp
