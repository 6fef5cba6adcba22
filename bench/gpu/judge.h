// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is found out about one launch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cases.h"
#include "device.h"

namespace ptxopt::gpu {

struct JudgeOptions {
  std::vector<NamedPipeline> pipelines;
  std::uint32_t schedules = 3;           // runs on the CPU
  std::uint64_t stepLimit = 20'000'000;  // thread-instructions of each
  bool runsUnfinished = false;           // on the GPU, what reaches the limit: it may have no end
  double tolerance = 1e-5;               // of f32 and f64 where functions are approximate
  std::uint32_t pairs = 0;               // of batches whose time is measured
  bool timesUnchanged = false;           // against themselves
  bool byGraph = true;
};

// A row of the table of results, as it goes between processes, too.
struct Row {
  std::string step;     // what was being done last: "interpreter", "original", or a pipeline
  std::string mode;     // "exact", or "within 1e-05"
  std::string verdict;  // "same", "different", "not compared", "to be compared"
  std::string detail;
  // By pipeline: "same", "unchanged", "as -O1", "different: ...", "not compared: ..."; as many as
  // were come to.
  std::vector<std::string> optimized;

  bool isGood() const;       // nothing different
  std::string line() const;  // cells with tabs between
  static Row ofLine(const std::string& line);
};

// A column says that a rewritten kernel ran and did the same.
bool isSame(const std::string& optimized);

class Judge {
 public:
  // Without a device, says what would be compared.
  Judge(Device* device, const JudgeOptions& options) : device_(device), options_(options) {}

  // Compares the GPU with the interpreter, and each pipeline's output with its input on the GPU.
  // Calls `report` with the row so far before each step that may not come to an end.  Sets
  // `isSpent` where the device is of no more use to this process.
  Row compare(const Case& one, const std::function<void(const Row&)>& report, bool& isSpent) const;

  // Measures what a pipeline changed.  Cells of a row of the table of times, after those that name
  // the launch; empty where there is nothing to measure, as the code of the kernel is the same.
  std::string time(const Case& one, const NamedPipeline& pipeline, bool& isSpent) const;

 private:
  struct Expectation;
  Expectation expectation(const Case& one) const;
  bool compareOriginal(const Case& one, const Expectation& expected, Row& row,
                       std::vector<interp::NamedBytes>& actual, bool& isSpent) const;

  Device* device_;
  const JudgeOptions& options_;
};

}  // namespace ptxopt::gpu
