// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/engine/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>

#include "analysis/addresses/address.h"
#include "analysis/flow/loops.h"
#include "analysis/flow/manager.h"
#include "ir/verifier.h"
#include "passes/engine/kept_functions.h"
#include "support/parallel.h"

namespace ptxopt::passes {

namespace {

// The state of one function in the pipeline.
struct Work {
  ir::Function* function;
  analysis::FunctionAnalyses analyses;
  std::size_t problems = 0;      // found by the last verification
  bool isOfInput = true;         // unchanged except for barriers
  std::uint32_t changes = 0;     // passes that changed it so far
  bool hasKeptAnalyses = false;  // of before a barrier went
  // By distinct step.
  struct LastRun {
    std::uint32_t changesBefore = kNone;  // none: it did not run yet
    std::map<std::string_view, std::uint64_t> found;
  };
  std::vector<LastRun> lastRuns;

  Work(ir::Function& f, const analysis::Assumptions& assumptions) : function(&f), analyses(f) {
    analyses.provide(assumptions);
  }
};

// The result of one step for one function.
struct Outcome {
  bool isRun = false;  // on the function
  bool changed = false;
  std::vector<Remark> remarks;
  std::vector<facts::Claim> claims;
  std::map<std::string_view, std::uint64_t> statistics;
  std::map<std::string_view, std::uint64_t> found;  // as in PassContext
  std::vector<std::string> problems;
  std::chrono::duration<double> time{};
};

// A step with the data that all its functions share.
struct Stage {
  const PipelineStep* step = nullptr;
  std::size_t distinct = 0;  // the number of the first equal step
  std::unique_ptr<Pass> pass;
  std::optional<analysis::ModuleAnalyses> analyses = {};  // while functions are processed
  bool isOfInput = true;  // all functions are unchanged except for barriers
  Outcome ofModule = {};
  std::vector<Outcome> outcomes = {};  // by function
};

class Stopwatch {
 public:
  std::chrono::duration<double> elapsed() const { return Clock::now() - start_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// Gives the remarks about the function their places.  O(statements) if there are any.
void locateAll(const ir::Function& function, std::span<Remark> remarks) {
  const auto isOf = [&](const Remark& remark) { return remark.function == &function; };
  if (std::ranges::none_of(remarks, isOf)) return;
  const ir::Function* one[] = {&function};
  const ir::SourceLines lines(function.module(), one);
  for (Remark& remark : remarks) {
    if (isOf(remark)) locate(remark, lines);
  }
}

class Engine {
 public:
  Engine(ir::Module& module, const RunOptions& options)
      : module_(module),
        options_(options),
        assumptions_(module, options.assumptions),
        budget_(options.changeLimit) {
    const KeptFunctions kept(module, options.keptKernels);
    for (ir::Function& function : module.functions()) {
      if (!function.hasBody() || function.isOpaque) continue;
      if (const char* reason = kept.whyKept(function)) {
        function.isKept = true;
        remarkKept(function, reason);
      } else {
        work_.emplace_back(function, assumptions_.of(function));
      }
    }
    // The N-th change must be the same in every run.
    threads_ = budget_.limited() ? 1 : std::max(1u, options.threads);
  }

  RunResult run() {
    if (module_.isFrozen()) return {};
    if (options_.verifyEach) {
      for (Work& work : work_) work.problems = ir::verify(*work.function).size();
    }
    std::vector<Stage> stages;
    for (const PipelineStep& step : options_.pipeline) {
      const auto& disabled = options_.disabledPasses;
      if (std::ranges::find(disabled, step.pass->name) != disabled.end()) continue;
      std::string error;
      const auto first = std::ranges::find(options_.pipeline, step);
      stages.push_back({&step, static_cast<std::size_t>(first - options_.pipeline.begin()),
                        step.pass->create(step.options, error)});
    }
    for (Work& work : work_) work.lastRuns.resize(options_.pipeline.size());
    hasRun_.resize(options_.pipeline.size());
    for (std::span<Stage> rest = stages; !rest.empty();) {
      std::size_t count = 1;
      while (count < rest.size() && mayFollow(rest.first(count), rest[count])) ++count;
      runStages(rest.first(count), count == rest.size());
      rest = rest.subspan(count);
    }
    return std::move(result_);
  }

 private:
  void remarkKept(const ir::Function& function, const char* reason) {
    if (!options_.remarks) return;
    Remark remark;
    remark.function = &function;
    remark.content = KeptFunction{reason};
    locateAll(function, {&remark, 1});
    result_.remarks.push_back(std::move(remark));
  }

  // Whether some functions may run through all these stages one by one.  Not with a change limit,
  // whose N-th change must always be the same, nor if a caller observes single steps.
  bool mayFollow(std::span<const Stage> before, const Stage& stage) const {
    if (budget_.limited() || options_.beforePass || options_.afterPass) return false;
    const auto isLocal = [&](const Work& work) { return stage.pass->isLocal(*work.function); };
    return std::ranges::any_of(work_, isLocal) &&
           std::ranges::none_of(
               before, [&](const Stage& other) { return other.step->pass == stage.step->pass; });
  }

  // What passes find out about a module may take analyses of its functions, which number the
  // instructions anew.  Analyses that were kept although barriers went have the old numbers.
  void dropKeptAnalyses() {
    for (Work& work : work_) {
      if (std::exchange(work.hasKeptAnalyses, false)) work.analyses.invalidateAll();
    }
  }

  void runStages(std::span<Stage> stages, bool areLast) {
    if (std::ranges::all_of(stages, [&](const Stage& stage) { return isDone(stage); })) return;
    dropKeptAnalyses();
    if (options_.beforePass) options_.beforePass(stages.front().step->pass->name, module_);
    for (Stage& stage : stages) {
      const Stopwatch watch;
      stage.isOfInput = std::ranges::all_of(work_, [](const Work& work) { return work.isOfInput; });
      stage.ofModule = runOnModule(*stage.pass, stage.isOfInput);
      stage.analyses.emplace(module_);
      stage.analyses->provide(assumptions_);
      stage.pass->setWantRemarks(options_.remarks);
      stage.pass->prepare(module_, *stage.analyses);
      stage.ofModule.time = watch.elapsed();
    }
    for (Stage& stage : stages) stage.outcomes.resize(work_.size());
    // By function: the first stage that it has not been through.
    std::vector<std::size_t> next(work_.size(), 0);
    for (std::size_t first = 0; !work_.empty() && first < stages.size();) {
      if (first != 0) {
        dropKeptAnalyses();
        stages[first].pass->prepare(module_, *stages[first].analyses);
      }
      parallelFor(work_.size(), threads_, [&](std::size_t k) {
        if (next[k] == first) next[k] = runFrom(first, stages, k, areLast);
      });
      first = *std::ranges::min_element(next);
    }
    for (Stage& stage : stages) {
      std::chrono::duration<double> time = stage.ofModule.time;
      for (const Outcome& outcome : stage.outcomes) time += outcome.time;
      stage.analyses.reset();
      result_.times.push_back({std::string(stage.step->pass->name), time.count()});
      mergeFunctions(stage);
    }
    if (options_.afterPass) options_.afterPass(stages.back().step->pass->name, module_);
  }

  // Returns the first stage that has to wait for other functions, or the number of stages.
  std::size_t runFrom(std::size_t first, std::span<Stage> stages, std::size_t k, bool areLast) {
    for (std::size_t s = first; s < stages.size(); ++s) {
      Stage& stage = stages[s];
      if (s != first && !stage.pass->isLocal(*work_[k].function)) return s;
      if (!isDone(work_[k], stage)) stage.outcomes[k] = runOn(work_[k], stage);
    }
    // The analyses are not needed any more; free their memory for the next function.
    if (areLast) work_[k].analyses.invalidateAll();
    return stages.size();
  }

  // The step has run on the function, and nothing, that run included, has changed the function
  // since Pass::run() began.  What runOnModule() of the step changed before does not count.
  static bool isDone(const Work& work, const Stage& stage) {
    return work.lastRuns[stage.distinct].changesBefore == work.changes;
  }
  bool isDone(const Stage& stage) const {
    return hasRun_[stage.distinct] &&
           std::ranges::all_of(work_, [&](const Work& work) { return isDone(work, stage); });
  }

  Outcome runOnModule(Pass& pass, bool isOfInput) {
    if (module_.isDebug()) return {};  // docs/soundness/ E.12.3
    analysis::ModuleAnalyses analyses(module_);
    analyses.provide(assumptions_);
    ModuleContext context{analyses, budget_, options_.remarks, {}, {}};
    Outcome outcome;
    if (options_.claims && isOfInput) context.claims = &outcome.claims;
    outcome.changed = pass.runOnModule(module_, context);
    outcome.remarks = std::move(context.remarks);
    for (const Work& work : work_) locateAll(*work.function, outcome.remarks);
    outcome.statistics = std::move(context.statistics);
    if (!outcome.changed) return outcome;
    std::erase_if(work_, [](const Work& work) { return !work.function->hasBody(); });
    for (Work& work : work_) {
      work.analyses.invalidateAll();
      // changed() is about the input: a function that an earlier pass changed counts as well.
      if (work.function->changed()) ++work.changes;
      work.isOfInput = work.isOfInput && !work.function->changed();
      verifyAgain(work, outcome);
    }
    return outcome;
  }

  // Reports problems if the previous verification had fewer.  What reads an undefined value
  // is no problem: who forwards a store of one to a load makes another such read.
  void verifyAgain(Work& work, Outcome& outcome) {
    if (!options_.verifyEach) return;
    std::vector<ir::Problem> problems = ir::verify(*work.function);
    if (problems.size() > work.problems) {
      for (ir::Problem& problem : problems) {
        outcome.problems.push_back(std::move(problem.message));
      }
    }
    work.problems = problems.size();
  }

  Outcome runOn(Work& work, const Stage& stage) {
    const Pass& pass = *stage.pass;
    PassContext context{work.analyses,
                        budget_,
                        options_.remarks,
                        {},
                        {},
                        options_.progress ? &options_.progress : nullptr};
    Outcome outcome;
    outcome.isRun = true;
    const bool isOfInput = pass.isAboutBarriers() ? stage.isOfInput : work.isOfInput;
    if (options_.claims && isOfInput) context.claims = &outcome.claims;
    const Stopwatch watch;
    work.lastRuns[stage.distinct].changesBefore = work.changes;
    outcome.changed = pass.run(*work.function, context);
    if (outcome.changed) {
      if (context.erasedOnlyBarriers) {
        work.analyses.invalidateAllBut<analysis::Cfg, analysis::Liveness, analysis::Dominators,
                                       analysis::Loops, analysis::Ssa, analysis::BranchConditions,
                                       analysis::ValueRanges, analysis::Addresses>();
        work.hasKeptAnalyses = true;
      } else {
        work.analyses.invalidateAll();
      }
      ++work.changes;
      work.isOfInput = work.isOfInput && pass.isAboutBarriers();
      verifyAgain(work, outcome);
    }
    outcome.time = watch.elapsed();
    outcome.remarks = std::move(context.remarks);
    locateAll(*work.function, outcome.remarks);
    outcome.statistics = std::move(context.statistics);
    outcome.found = std::move(context.found);
    return outcome;
  }

  // If a step ran again on some functions, this drops what it counted and reported about them
  // before, except for changes.
  void mergeFunctions(Stage& stage) {
    const std::string name(stage.step->pass->name);
    std::unordered_set<const ir::Function*> again;
    for (std::size_t k = 0; k < work_.size(); ++k) {
      Outcome& outcome = stage.outcomes[k];
      if (!outcome.isRun) continue;
      again.insert(work_[k].function);
      auto& found = work_[k].lastRuns[stage.distinct].found;
      for (const auto& [counter, value] : found) {
        result_.statistics[name][std::string(counter)] -= value;
      }
      found = outcome.found;
      for (const auto& [counter, value] : found) {
        result_.statistics[name][std::string(counter)] += value;
      }
    }
    std::erase_if(result_.statistics[name], [](const auto& entry) { return entry.second == 0; });
    if (hasRun_[stage.distinct]) {
      std::erase_if(result_.remarks, [&](const Remark& remark) {
        return remark.step == stage.distinct && remark.kind != RemarkKind::Passed &&
               (remark.isOfModule || again.contains(remark.function));
      });
    }
    hasRun_[stage.distinct] = true;
    for (Remark& remark : stage.ofModule.remarks) remark.isOfModule = true;
    merge(stage, std::move(stage.ofModule));
    for (Outcome& outcome : stage.outcomes) merge(stage, std::move(outcome));
  }

  void merge(const Stage& stage, Outcome outcome) {
    const std::string pass(stage.step->pass->name);
    result_.changed |= outcome.changed;
    for (Remark& remark : outcome.remarks) remark.step = stage.distinct;
    std::move(outcome.remarks.begin(), outcome.remarks.end(), std::back_inserter(result_.remarks));
    std::move(outcome.claims.begin(), outcome.claims.end(), std::back_inserter(result_.claims));
    for (const auto& [counter, value] : outcome.statistics) {
      result_.statistics[pass][std::string(counter)] += value;
    }
    for (const std::string& problem : outcome.problems) {
      result_.verifierProblems.push_back(fmt::format("after {}: {}", pass, problem));
    }
  }

  ir::Module& module_;
  const RunOptions& options_;
  const analysis::ModuleAssumptions assumptions_;
  ChangeBudget budget_;
  std::vector<bool> hasRun_;  // by distinct step
  unsigned threads_ = 1;
  std::deque<Work> work_;
  RunResult result_;
};

}  // namespace

RunResult runPipeline(ir::Module& module, const RunOptions& options) {
  return Engine(module, options).run();
}

}  // namespace ptxopt::passes
