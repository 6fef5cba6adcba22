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
  PassOptions options;             // that it takes
};

struct PassTime {
  std::string name;
  // Of the pass over all functions, analyses included, in all threads together.
  double seconds = 0;
};

struct RunOptions {
  std::vector<PipelineStep> pipeline;
  std::vector<std::string> disabledPasses;               // --disable-pass=NAME
  std::uint64_t changeLimit = ChangeBudget::kUnlimited;  // --opt-bisect-limit=N
  unsigned threads = 1;  // functions at once; the result does not depend on it
  // What the passes may assume; they find it in their analyses.
  analysis::AssumptionTable assumptions;
  std::vector<std::string> keptKernels;  // no pass touches these: --keep-kernel=NAME
  bool remarks = false;
  bool claims = false;  // what the passes believe of the input (docs/facts.md)
  bool verifyEach = false;
  // Called before and after each step, on one thread, with the name of the pass:
  // --dump-before-cssa,
  // --print-after.
  std::function<void(std::string_view pass, const ir::Module& module)> beforePass;
  std::function<void(std::string_view pass, const ir::Module& module)> afterPass;
  // Called while a pass takes long, with where it is, on any thread; null: nobody wants to know.
  std::function<void(const std::string& where)> progress;
};

struct RunResult {
  bool changed = false;
  std::vector<Remark> remarks;  // by pass, then function, then position
  // By pass, then function: of passes before which none changed the function but for its barriers.
  std::vector<facts::Claim> claims;
  std::map<std::string, std::map<std::string, std::uint64_t>> statistics;  // pass -> counter -> n
  std::vector<PassTime> times;
  // Problems that a pass brought in (verifyEach): an internal fault.
  std::vector<std::string> verifierProblems;
};

// Runs the pipeline over every function with a body.  Memory and time beside the passes' own:
// O(functions).
RunResult runPipeline(ir::Module& module, const RunOptions& options);

}  // namespace ptxopt::passes
