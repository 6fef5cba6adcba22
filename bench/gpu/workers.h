// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work for processes that may crash or hang, as a program does whose kernel never ends: nothing but
// the end of the process gets rid of such a kernel.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace ptxopt::gpu {

// What a process says while it works, on one line.  Texts hold no newline.
using Report = std::function<void(const std::string& soFar)>;

// Called in the processes, never in the caller's own.
struct Workload {
  // Once in each process, before any work.  Returns what the caller may want to know; sets
  // `problem` where the process can do no work.
  std::function<std::string(std::string& problem)> start;
  // Does one job and returns its result.  Each report starts the clock of the limit again.  Sets
  // `isSpent` where the process is to do no further job.
  std::function<std::string(std::size_t job, const Report& report, bool& isSpent)> work;
};

struct WorkResult {
  std::size_t job = 0;
  std::string text;     // what work() returned, else the last report of the job, if there was one
  std::string problem;  // why the job did not end, or was never begun; empty: it did
};

struct WorkLimits {
  unsigned processes = 1;
  std::chrono::seconds perReport{60};                        // for the start, too
  std::optional<std::chrono::steady_clock::time_point> end;  // no job is begun from then on
};

// Gives jobs 0 .. count - 1 to forked processes, one at a time to each.  A process that ends before
// its job does, or says nothing for too long and is killed, costs that job; another one takes its
// place.  Calls `onStart` with what the first process said at its start, and `onResult` once for
// each job, in any order, in this process.  Returns why no process could start; empty: one did.
// The caller has one thread.
std::string runInProcesses(std::size_t count, const Workload& workload, const WorkLimits& limits,
                           const std::function<void(const std::string&)>& onStart,
                           const std::function<void(const WorkResult&)>& onResult);

}  // namespace ptxopt::gpu
