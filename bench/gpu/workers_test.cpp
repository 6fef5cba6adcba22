// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "workers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <map>

namespace ptxopt::gpu {
namespace {

using namespace std::chrono_literals;

struct Results {
  std::map<std::size_t, WorkResult> byJob;
  std::string hello;
  std::string problem;
};

Results run(std::size_t count, const Workload& workload, const WorkLimits& limits) {
  Results results;
  results.problem = runInProcesses(
      count, workload, limits, [&](const std::string& hello) { results.hello = hello; },
      [&](const WorkResult& result) {
        EXPECT_TRUE(results.byJob.emplace(result.job, result).second) << result.job;
      });
  return results;
}

Workload workload() {
  Workload result;
  result.start = [](std::string&) { return "hello"; };
  result.work = [](std::size_t job, const Report&, bool&) { return std::to_string(10 * job); };
  return result;
}

TEST(Workers, EachJobIsDoneOnce) {
  const Results results = run(100, workload(), {.processes = 4});
  EXPECT_EQ(results.hello, "hello");
  EXPECT_EQ(results.problem, "");
  ASSERT_EQ(results.byJob.size(), 100u);
  for (const auto& [job, result] : results.byJob) {
    EXPECT_EQ(result.text, std::to_string(10 * job));
    EXPECT_EQ(result.problem, "");
  }
}

TEST(Workers, NoJobsButAStart) {
  const Results results = run(0, workload(), {.processes = 4});
  EXPECT_EQ(results.hello, "hello");
  EXPECT_TRUE(results.byJob.empty());
}

TEST(Workers, ACrashCostsItsJobOnly) {
  Workload crashing = workload();
  crashing.work = [](std::size_t job, const Report& report, bool&) -> std::string {
    report("step " + std::to_string(job));
    if (job % 10 == 3) ::raise(SIGKILL);
    if (job % 10 == 4) ::_exit(9);
    return "done";
  };
  const Results results = run(40, crashing, {.processes = 3});
  ASSERT_EQ(results.byJob.size(), 40u);
  for (const auto& [job, result] : results.byJob) {
    const bool isLost = job % 10 == 3 || job % 10 == 4;
    EXPECT_EQ(result.text, isLost ? "step " + std::to_string(job) : "done");
    EXPECT_EQ(result.problem.empty(), !isLost) << result.problem;
  }
  EXPECT_EQ(results.byJob.at(3).problem, "the process was ended by a signal: Killed");
  EXPECT_EQ(results.byJob.at(4).problem, "the process ended with status 9");
}

TEST(Workers, AHangingJobIsKilled) {
  Workload hanging = workload();
  hanging.work = [](std::size_t job, const Report& report, bool&) -> std::string {
    report("before");
    while (job == 2) ::pause();
    return "done";
  };
  const Results results = run(6, hanging, {.processes = 2, .perReport = 1s});
  ASSERT_EQ(results.byJob.size(), 6u);
  EXPECT_EQ(results.byJob.at(2).text, "before");
  EXPECT_EQ(results.byJob.at(2).problem, "no answer in 1 seconds");
  EXPECT_EQ(results.byJob.at(5).text, "done");
}

TEST(Workers, ASpentProcessIsReplaced) {
  static int jobsOfThisProcess = 0;
  Workload spending = workload();
  spending.work = [](std::size_t job, const Report&, bool& isSpent) {
    isSpent = job % 2 == 0;
    return std::to_string(++jobsOfThisProcess);
  };
  const Results results = run(9, spending, {.processes = 1});
  ASSERT_EQ(results.byJob.size(), 9u);
  EXPECT_EQ(results.byJob.at(0).text, "1");
  EXPECT_EQ(results.byJob.at(1).text, "1");
  EXPECT_EQ(results.byJob.at(2).text, "2");
  EXPECT_EQ(results.byJob.at(8).text, "2");
}

TEST(Workers, WithoutADeviceNothingIsDone) {
  Workload without = workload();
  without.start = [](std::string& problem) {
    problem = "no device";
    return "";
  };
  const Results results = run(5, without, {.processes = 4});
  EXPECT_EQ(results.problem, "no device");
  EXPECT_TRUE(results.byJob.empty());
}

// Where the device takes one process at a time, that one does all.
TEST(Workers, OthersMayNotStart) {
  const pid_t caller = ::getpid();
  static int starts = 0;
  Workload first = workload();
  first.start = [caller](std::string& problem) {
    // The first child inherits 0; the caller's count grows with each result below.
    if (starts > 0) problem = "busy";
    EXPECT_NE(::getpid(), caller);
    return "hello";
  };
  first.work = [](std::size_t, const Report&, bool&) {
    ::usleep(10'000);
    return "done";
  };
  std::size_t count = 0;
  const std::string problem = runInProcesses(
      20, first, {.processes = 4}, [](const std::string&) { ++starts; },
      [&](const WorkResult& result) {
        EXPECT_EQ(result.text, "done");
        ++count;
      });
  EXPECT_EQ(problem, "");
  EXPECT_EQ(count, 20u);
}

TEST(Workers, NothingIsBegunAfterTheEnd) {
  Workload slow = workload();
  slow.work = [](std::size_t, const Report&, bool&) {
    ::usleep(200'000);
    return "done";
  };
  const Results results = run(100, slow, {.end = std::chrono::steady_clock::now() + 500ms});
  ASSERT_EQ(results.byJob.size(), 100u);
  EXPECT_EQ(results.byJob.at(0).text, "done");
  EXPECT_EQ(results.byJob.at(99).problem, "out of time");
}

}  // namespace
}  // namespace ptxopt::gpu
