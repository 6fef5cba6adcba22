// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipelines: which passes run in which order, and the engine that runs them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/launch/assumptions.h"
#include "passes/engine/pass.h"

namespace ptxopt::passes {

struct PipelineStep {
  const PassInfo* pass = nullptr;  // not null
  PassOptions options;             // the options of this step

  friend bool operator==(const PipelineStep&, const PipelineStep&) = default;
};

struct PassTime {
  std::string name;
  // Time of the pass over all functions, including analyses, summed over all threads.
  double seconds = 0;
};

struct RunOptions {
  // If a step occurs again with the same options, it runs only on functions that have changed since
  // its last run on them began, in other ways than by its own Pass::runOnModule().
  std::vector<PipelineStep> pipeline;
  std::vector<std::string> disabledPasses;               // --disable-pass=NAME
  std::uint64_t changeLimit = ChangeBudget::kUnlimited;  // --opt-bisect-limit=N
  unsigned threads = 1;  // functions processed at once; the result does not depend on it
  // The assumptions of the passes.  They reach passes as analyses.
  analysis::AssumptionTable assumptions;
  std::vector<std::string> keptKernels;  // no pass changes these: --keep-kernel=NAME
  bool remarks = false;
  bool claims = false;  // collect the facts about the input on which passes rely (docs/facts.md)
  bool verifyEach = false;
  // Called before and after each step, on one thread, with the name of the pass.  Used by
  // PassInfo::dumpFlag and --print-after.
  std::function<void(std::string_view pass, const ir::Module& module)> beforePass;
  std::function<void(std::string_view pass, const ir::Module& module)> afterPass;
  // Called from any thread while a pass takes long, with its current position; may be null.
  std::function<void(const std::string& where)> progress;
};

struct RunResult {
  bool changed = false;
  std::vector<Remark> remarks;  // by pass, then function, then position
  // By pass, then function.  Only from passes before which no pass changed anything but barriers in
  // the function.
  std::vector<facts::Claim> claims;
  std::map<std::string, std::map<std::string, std::uint64_t>> statistics;  // pass -> counter -> n
  std::vector<PassTime> times;
  // Problems that a pass introduced (verifyEach): internal errors.
  std::vector<std::string> verifierProblems;
};

// Runs the pipeline over every function with a body.  Cost beside the passes: O(functions).
RunResult runPipeline(ir::Module& module, const RunOptions& options);

}  // namespace ptxopt::passes
