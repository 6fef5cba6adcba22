// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random kernels through the whole tool: what comes out of every pass does what went in.
//
// Exit status: 0 all is well, 1 bad arguments, 2 a kernel failed, or a mutant escaped more often
// than --score allows.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "checks.h"
#include "corpus_mutants.h"
#include "driver/files.h"
#include "driver/parse_program_options.h"
#include "generator.h"
#include "mutation.h"
#include "passes/registry.h"
#include "random.h"
#include "support/limits.h"
#include "support/parallel.h"

namespace {

using namespace ptxopt;
using namespace ptxopt::fuzz;

constexpr int kGood = 0;
constexpr int kBadArguments = 1;
constexpr int kFailed = 2;

struct Options {
  std::uint64_t seed = 1;
  std::uint64_t count = 100;
  std::string bias = "none";
  GeneratorOptions generator;
  CheckOptions check;
  unsigned threads = 1;
  std::string ptxas;
  std::filesystem::path folder = "random_kernels.found";
  bool prints = false;
  bool mutates = false;
  bool mutatesKept = false;
  bool assumes = false;
  std::uint32_t draw = 0;  // pipelines for each kernel; 0: all
  std::size_t tightness = 1;
  std::uint64_t changes = 0;  // most of a pipeline, of which each kernel draws a number; 0: all
  double score = 95;
  std::string file;
  std::string corpus;
  std::uint64_t mostSteps = 60'000;
  bool stillFails = false;
};

struct Failure {
  std::uint64_t seed = 0;
  std::string where;
  std::string detail;
};

struct Totals {
  std::uint64_t same = 0;
  std::uint64_t wild = 0;
  std::uint64_t steps = 0;
  std::uint64_t claims = 0;
  std::uint64_t changed = 0;
  std::uint64_t barriersBefore = 0;
  std::uint64_t barriersAfter = 0;
  std::uint64_t accepted = 0;  // by ptxas
  std::map<std::string, std::uint64_t> inconclusive;
  std::map<std::string, std::uint64_t> changedBy;
  std::vector<Failure> failures;
};

std::string readFile(const std::string& path) {
  return std::string(driver::readSource(path)->text());
}

CheckOptions checkOptions(const Options& options, const RandomKernel& kernel) {
  CheckOptions result = options.check;
  if (!options.assumes) return result;
  for (const std::string& word : kernel.guarantees) {
    result.assumptions.emplace_back(kernel.name, word);
  }
  return result;
}

// What one kernel of many is checked for: some of the pipelines, some policies of the scheduler,
// and the assumptions every other time.
CheckOptions drawn(const Options& options, std::uint64_t seed, CheckOptions result) {
  Random random(~seed);  // the generator has drawn from `seed`
  if (options.changes != 0) result.changeLimit = random.below(options.changes);
  if (options.draw == 0) return result;
  std::vector<std::string> chosen;
  while (chosen.size() < std::min<std::size_t>(options.draw, result.pipelines.size())) {
    const std::string& pipeline = random.pick(result.pipelines);
    if (std::ranges::count(chosen, pipeline) == 0) chosen.push_back(pipeline);
  }
  result.pipelines = std::move(chosen);
  result.firstPolicy = random.pick(interp::kPolicies);
  result.reprints = random.percent(10);
  if (random.percent(50)) result.assumptions.clear();
  return result;
}

// ---- ptxas --------------------------------------------------------------------------------------

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      result += "'\\''";
    } else {
      result += letter;
    }
  }
  return result + "'";
}

// What ptxas makes code for.
std::string_view builtFor(std::string_view target) {
  return target == "sm_80" ? "sm_90" : target;
}

// What ptxas has to say against it; empty if nothing.
std::string refusal(const Options& options, std::string_view target, const std::string& name,
                    const std::string& text) {
  const std::filesystem::path input = options.folder / (name + ".ptx");
  const std::filesystem::path log = options.folder / (name + ".log");
  driver::writeFile(input.string(), text);
  const std::string command =
      fmt::format("{} -arch={} {} -o /dev/null > {} 2>&1", quoted(options.ptxas), target,
                  quoted(input.string()), quoted(log.string()));
  const bool accepts = std::system(command.c_str()) == 0;
  const std::string message = readFile(log.string());
  std::filesystem::remove(log);
  std::filesystem::remove(input);
  if (accepts) return {};
  return message.empty() ? "ptxas failed" : message;
}

std::string definitionsOf(const std::string& text, const std::string& header) {
  return text.substr(text.find(header) + header.size());
}

// ---- checking -----------------------------------------------------------------------------------

// Kernels that ptxas gets as one module.
constexpr std::uint64_t kBatch = 8;

class Run {
 public:
  explicit Run(const Options& options) : options_(options) {}

  Totals all() {
    const std::uint64_t batches = (options_.count + kBatch - 1) / kBatch;
    parallelFor(batches, options_.threads, [&](std::size_t k) {
      batch(options_.seed + k * kBatch,
            std::min(options_.seed + (k + 1) * kBatch, options_.seed + options_.count));
    });
    std::sort(totals_.failures.begin(), totals_.failures.end(),
              [](const Failure& a, const Failure& b) { return a.seed < b.seed; });
    return std::move(totals_);
  }

 private:
  using Definitions = std::vector<std::pair<std::uint64_t, std::string>>;  // by seed

  void batch(std::uint64_t begin, std::uint64_t end) {
    std::map<std::string_view, Definitions> originals;
    std::map<std::string_view, Definitions> outputs;
    for (std::uint64_t seed = begin; seed < end; ++seed) {
      const RandomKernel kernel = generate(seed, options_.generator);
      const CheckResult result = check(kernel.name + ".ptx", kernel.text(),
                                       drawn(options_, seed, checkOptions(options_, kernel)));
      count(seed, kernel, result);
      originals[kernel.target].emplace_back(seed, kernel.definitions);
      if (!result.changed.empty()) {
        outputs[kernel.target].emplace_back(
            seed, definitionsOf(result.changed.back().second, moduleHeader(kernel.target)));
      }
    }
    if (options_.ptxas.empty()) return;
    for (const auto& [target, kernels] : originals) assemble("original", target, kernels);
    for (const auto& [target, kernels] : outputs) assemble("output", target, kernels);
  }

  void count(std::uint64_t seed, const RandomKernel& kernel, const CheckResult& result) {
    const std::lock_guard lock(mutex_);
    totals_.steps += result.steps;
    totals_.claims += result.claims;
    totals_.wild += kernel.isWild ? 1 : 0;
    totals_.changed += result.changed.empty() ? 0 : 1;
    totals_.barriersBefore += result.barriersBefore;
    totals_.barriersAfter += result.barriersAfter;
    for (const std::string& pipeline : result.changedBy) ++totals_.changedBy[pipeline];
    switch (result.outcome) {
      case Outcome::Same:
        ++totals_.same;
        break;
      case Outcome::Inconclusive:
        ++totals_.inconclusive[result.where + (kernel.isWild ? " (wild)" : "")];
        // A tame kernel is right by construction: then the construction is wrong, or the judge.
        if (!kernel.isWild) fail(seed, "inconclusive", result.where + "\n" + result.detail);
        break;
      case Outcome::Failed:
        fail(seed, result.where, result.detail);
        break;
    }
  }

  void assemble(const std::string& what, std::string_view target, const Definitions& kernels) {
    const std::string header = moduleHeader(target);
    std::string text = header;
    for (const auto& [seed, definitions] : kernels) text += definitions;
    const std::string name = fmt::format("batch{}_{}", kernels.front().first, what);
    std::string message = refusal(options_, builtFor(target), name, text);
    const std::lock_guard lock(mutex_);
    if (message.empty()) {
      totals_.accepted += kernels.size();
      return;
    }
    for (const auto& [seed, definitions] : kernels) {
      message = refusal(options_, builtFor(target), name, header + definitions);
      if (message.empty()) {
        ++totals_.accepted;
      } else {
        fail(seed, "ptxas (" + what + ")", message);
      }
    }
  }

  void fail(std::uint64_t seed, const std::string& where, const std::string& detail) {
    totals_.failures.push_back({seed, where, detail});
  }

  const Options& options_;
  std::mutex mutex_;
  Totals totals_;
};

void report(const Options& options, const Failure& failure) {
  const RandomKernel kernel = generate(failure.seed, options.generator);
  const std::string path = (options.folder / (kernel.name + ".ptx")).string();
  driver::writeFile(path, kernel.text());
  std::printf("seed %llu: %s\n%s\n  %s\n", static_cast<unsigned long long>(failure.seed),
              failure.where.c_str(), failure.detail.c_str(), path.c_str());
  const auto& pipelines = options.check.pipelines;
  const bool isPipeline =
      std::find(pipelines.begin(), pipelines.end(), failure.where) != pipelines.end();
  // --pipeline takes all words that follow it.
  std::printf("  to shrink it: ptxreduce %s -o small.ptx -- random_kernels%s --still-fails\n",
              path.c_str(), isPipeline ? (" --pipeline " + quoted(failure.where)).c_str() : "");
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

int checkAll(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const Totals totals = Run(options).all();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  for (const Failure& failure : totals.failures) report(options, failure);

  std::uint64_t inconclusive = 0;
  for (const auto& [reason, times] : totals.inconclusive) inconclusive += times;
  const std::uint64_t differences = options.count - totals.same - inconclusive;
  fmt::print(
      "{} kernels from seed {}, bias {}, {} schedules, {} threads: {:.0f} s, {:.0f} million "
      "thread-instructions\n",
      options.count, options.seed, options.bias, options.check.schedules, options.threads,
      seconds.count(), static_cast<double>(totals.steps) / 1e6);
  fmt::print("same {}, failed {}, inconclusive {} ({:.1f} %), wild {}\n", totals.same, differences,
             inconclusive, percent(inconclusive, options.count), totals.wild);
  for (const auto& [reason, times] : totals.inconclusive) fmt::print("  {}: {}\n", reason, times);
  fmt::print("changed {} ({:.1f} %); barriers {} before, {} after the last pipeline\n",
             totals.changed, percent(totals.changed, options.count), totals.barriersBefore,
             totals.barriersAfter);
  for (const std::string& pipeline : options.check.pipelines) {
    const auto found = totals.changedBy.find(pipeline);
    fmt::print("  {}: {}\n", pipeline, found == totals.changedBy.end() ? 0 : found->second);
  }
  fmt::print("claims checked {}\n", totals.claims);
  if (!options.ptxas.empty()) fmt::print("ptxas took {} texts\n", totals.accepted);
  return totals.failures.empty() ? kGood : kFailed;
}

// ---- mutants ------------------------------------------------------------------------------------

struct Score {
  std::uint64_t made = 0;
  std::uint64_t caught = 0;
  void add(const Mutant& mutant) {
    ++made;
    caught += mutant.caught ? 1 : 0;
  }
};

int mutateAll(const Options& options) {
  Score barriers;
  Score stores;
  std::uint64_t kernels = 0;
  std::vector<std::string> escapes;
  std::mutex mutex;
  parallelFor(options.count, options.threads, [&](std::size_t k) {
    const RandomKernel kernel = generate(options.seed + k, options.generator);
    if (kernel.isWild) return;
    std::vector<Mutant> mutants = deleteNeeded(kernel);
    judge(kernel.name, kernel.text(), mutants, options.check);
    const std::lock_guard lock(mutex);
    ++kernels;
    for (const Mutant& mutant : mutants) {
      (mutant.isBarrier ? barriers : stores).add(mutant);
      if (mutant.caught) continue;
      escapes.push_back(fmt::format("seed {}: the {} in line {} can go unnoticed", options.seed + k,
                                    mutant.isBarrier ? "barrier" : "store", mutant.line));
    }
  });
  std::sort(escapes.begin(), escapes.end());
  for (const std::string& escape : escapes) std::printf("%s\n", escape.c_str());
  fmt::print(
      "{} kernels; needed barriers {}, caught {} ({:.2f} %); needed stores {}, caught {} "
      "({:.2f} %)\n",
      kernels, barriers.made, barriers.caught, percent(barriers.caught, barriers.made), stores.made,
      stores.caught, percent(stores.caught, stores.made));
  const bool good = barriers.made != 0 && stores.made != 0 &&
                    percent(barriers.caught, barriers.made) >= options.score &&
                    percent(stores.caught, stores.made) >= options.score;
  return good ? kGood : kFailed;
}

// What the pipeline keeps for a conflict.
int mutateKept(const Options& options) {
  const std::string& pipeline = options.check.pipelines.back();
  // There, synchronisation has conflicts of its own, which count like those of accesses.
  const bool isAsync = options.generator.bias == Bias::Async;
  Score accesses;
  Score others;
  std::uint64_t elsewhere = 0;
  std::uint64_t kernels = 0;
  std::vector<std::string> escapes;
  std::mutex mutex;
  parallelFor(options.count, options.threads, [&](std::size_t k) {
    const RandomKernel kernel = generate(options.seed + k, options.generator);
    if (kernel.isWild) return;
    std::string output;
    std::vector<Mutant> mutants = deleteKept(kernel.name + ".ptx", kernel.text(), pipeline,
                                             checkOptions(options, kernel), output);
    const CheckOptions check = checkOptions(options, kernel);
    judge(kernel.name, output, mutants, check);
    judgeElsewhere(kernel.name, output, mutants, check, isAsync);
    const std::lock_guard lock(mutex);
    ++kernels;
    for (const Mutant& mutant : mutants) {
      (mutant.isForAccesses ? accesses : others).add(mutant);
      if (mutant.isForAccesses && !mutant.launch.empty()) {
        ++elsewhere;
      }
      if (!mutant.caught) {
        escapes.push_back(fmt::format("seed {}: {}", options.seed + k, mutant.why));
      }
    }
  });
  std::sort(escapes.begin(), escapes.end());
  for (const std::string& escape : escapes) std::printf("%s\n", escape.c_str());
  fmt::print(
      "{} kernels; barriers that {} keeps for a conflict of two accesses {}, caught {} ({:.2f} %), "
      "{} of them by another launch; for what else is on a side {}, caught {} ({:.2f} %)\n",
      kernels, pipeline, accesses.made, accesses.caught, percent(accesses.caught, accesses.made),
      elsewhere, others.made, others.caught, percent(others.caught, others.made));
  if (isAsync) {
    accesses.made += others.made;
    accesses.caught += others.caught;
    fmt::print("in all {}, caught {} ({:.2f} %)\n", accesses.made, accesses.caught,
               percent(accesses.caught, accesses.made));
  }
  const bool good = accesses.made != 0 && percent(accesses.caught, accesses.made) >= options.score;
  return good ? kGood : kFailed;
}

int mutateFile(const Options& options) {
  const std::string text = readFile(options.file);
  std::vector<Mutant> mutants = deleteEach(options.file, text, options.check);
  judge(options.file, text, mutants, options.check);
  Score barriers;
  Score stores;
  for (const Mutant& mutant : mutants) {
    (mutant.isBarrier ? barriers : stores).add(mutant);
    if (mutant.caught) continue;
    std::printf("%s:%zu: note: the %s can go unnoticed\n", options.file.c_str(), mutant.line,
                mutant.isBarrier ? "barrier" : "store");
  }
  fmt::print("{}: barriers {}, caught {}; stores {}, caught {}\n", options.file, barriers.made,
             barriers.caught, stores.made, stores.caught);
  return kGood;
}

// ---- changed kernels of a corpus ----------------------------------------------------------------

struct CorpusTotals {
  std::uint64_t made = 0;
  std::uint64_t refused = 0;  // by ptxas
  std::uint64_t notRunnable = 0;
  std::uint64_t same = 0;
  std::uint64_t leaving = 0;  // the same only where shared memory counts as one object
  std::uint64_t changed = 0;
  std::uint64_t steps = 0;
  std::uint64_t claims = 0;
  std::map<std::string, std::uint64_t> inconclusive;
  std::map<std::string, std::uint64_t> changedBy;
  std::vector<Failure> failures;
};

std::string describe(const CorpusMutant& mutant) {
  std::string text = "// " + mutant.name + "\n";
  for (const std::string& change : mutant.changes) text += "// " + change + "\n";
  return text;
}

constexpr std::uint32_t kManySchedules = 4 * interp::kPolicies.size();

void checkMutant(const Options& options, std::uint64_t seed, const CorpusMutant& mutant,
                 CorpusTotals& totals, std::mutex& mutex) {
  const std::string name = fmt::format("mutant{}", seed);
  const bool isRefused =
      !options.ptxas.empty() && !refusal(options, "sm_90", name, mutant.text).empty();
  CheckOptions check = drawn(options, seed, options.check);
  check.onlyClear = true;
  CheckResult result;
  bool leaves = false;
  if (!isRefused) {
    result = fuzz::check(name + ".ptx", mutant.text, check);
    if (result.outcome == Outcome::Failed) {
      // Few schedules may not show that the mutant has several outcomes by itself.
      check.schedules = std::max(check.schedules, kManySchedules);
      result = fuzz::check(name + ".ptx", mutant.text, check);
    }
    // An address that was changed may leave its object, and that is assumed not to happen
    // (docs/soundness/ C3.3).  Then a claim about where it points is false as well, and what
    // follows from that.
    leaves = result.where == "facts" && result.detail.find(" points into '") != std::string::npos;
    const auto& pipelines = check.pipelines;
    if (std::ranges::count(pipelines, result.where) != 0) {
      check.assumptions.emplace_back("", "flat-shared");
      leaves = fuzz::check(name + ".ptx", mutant.text, check).outcome != Outcome::Failed;
    }
  }
  const std::lock_guard lock(mutex);
  ++totals.made;
  totals.steps += result.steps;
  totals.claims += result.claims;
  if (isRefused) {
    ++totals.refused;
  } else if (result.where == "run" || result.where == "launch") {
    ++totals.notRunnable;
  } else if (result.outcome == Outcome::Inconclusive) {
    ++totals.inconclusive[result.where];
  } else if (leaves) {
    ++totals.leaving;
    fmt::print("seed {}: {}: leaves an object\n", seed, result.where);
  } else if (result.outcome == Outcome::Failed) {
    totals.failures.push_back({seed, result.where, describe(mutant) + result.detail});
    driver::writeFile((options.folder / (name + ".ptx")).string(), describe(mutant) + mutant.text);
  } else {
    ++totals.same;
    totals.changed += result.changed.empty() ? 0 : 1;
    for (const std::string& pipeline : result.changedBy) ++totals.changedBy[pipeline];
  }
}

int checkCorpus(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Corpus corpus(options.corpus, options.mostSteps);
  CorpusTotals totals;
  std::mutex mutex;
  parallelFor(options.count, options.threads, [&](std::size_t k) {
    const std::uint64_t seed = options.seed + k;
    const auto mutant = corpus.make(seed);
    if (mutant) checkMutant(options, seed, *mutant, totals, mutex);
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::ranges::sort(totals.failures, {}, &Failure::seed);
  for (const Failure& failure : totals.failures) {
    fmt::print("seed {}: {}\n{}\n", failure.seed, failure.where, failure.detail);
  }
  std::uint64_t inconclusive = 0;
  for (const auto& [reason, times] : totals.inconclusive) inconclusive += times;
  fmt::print(
      "{} mutants of {} launches, seeds {} to {}, {} schedules, {} threads: {:.0f} s, {:.0f} "
      "million thread-instructions\n",
      totals.made, corpus.size(), options.seed, options.seed + options.count - 1,
      options.check.schedules, options.threads, seconds.count(),
      static_cast<double>(totals.steps) / 1e6);
  if (!options.ptxas.empty()) fmt::print("ptxas refused {}\n", totals.refused);
  fmt::print(
      "same {}, failed {}, not runnable {}, inconclusive {} ({:.1f} %), leave an object {}\n",
      totals.same, totals.failures.size(), totals.notRunnable, inconclusive,
      percent(inconclusive, totals.made), totals.leaving);
  for (const auto& [reason, times] : totals.inconclusive) fmt::print("  {}: {}\n", reason, times);
  fmt::print("changed {}\n", totals.changed);
  for (const std::string& pipeline : options.check.pipelines) {
    const auto found = totals.changedBy.find(pipeline);
    fmt::print("  {}: {}\n", pipeline, found == totals.changedBy.end() ? 0 : found->second);
  }
  fmt::print("claims checked {}\n", totals.claims);
  return totals.failures.empty() ? kGood : kFailed;
}

// ---- one file -----------------------------------------------------------------------------------

int checkFile(const Options& options) {
  CheckOptions clear = options.check;
  // What is cut away must not leave a kernel that does just anything.
  clear.onlyClear = options.stillFails;
  const CheckResult result = check(options.file, readFile(options.file), clear);
  const bool failed = result.outcome == Outcome::Failed;
  if (failed)
    std::printf("%s: %s\n%s\n", options.file.c_str(), result.where.c_str(), result.detail.c_str());
  if (options.stillFails) {
    // A text that is no kernel any more fails for another reason.
    const bool isKernel = result.where != "parse" && result.where != "verify" &&
                          result.where != "launch" && result.where != "run";
    return failed && isKernel ? kGood : kFailed;
  }
  return failed ? kFailed : kGood;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Checks the tool with random kernels.", "random_kernels");
  app.add_option("file", options.file,
                 "a kernel with a launch description, instead of random ones");
  app.add_option("--seed", options.seed, "of the first kernel");
  app.add_option("--count", options.count, "of kernels, with consecutive seeds");
  app.add_option("--bias", options.bias, "what kernels have more of")
      ->check(CLI::IsMember({"none", "barriers", "redundancy", "phis", "addresses", "leaders",
                             "variables", "pointers", "rules", "async", "heap"}));
  app.add_option("--size", options.generator.size, "of a kernel, in constructs");
  app.add_flag("--stated", options.generator.isStated,
               "with --bias addresses or leaders: the text says all that the launch says");
  app.add_flag("--odd", options.generator.isOdd,
               "some registers are components of vectors, and some code is not reached");
  app.add_flag("--assume", options.assumes,
               "let passes assume all that holds for a kernel and its launch");
  app.add_option("--wild", options.generator.wildPercent, "percent of kernels that may race");
  app.add_option("--pipeline", options.check.pipelines,
                 "instead of every pass and every level; O1 to O3 are levels; may be repeated");
  app.add_option(
      "--draw", options.draw,
      "check each kernel for so many of the pipelines only, drawn by its seed, as are the "
      "order of the schedules and whether to assume; 0: for all of them");
  app.add_option("--tight", options.tightness,
                 "divide the limits on the work of analyses and passes by this");
  app.add_option("--changes", options.changes,
                 "stop each pipeline after fewer changes than this, a number drawn by the seed");
  app.add_option("--schedules", options.check.schedules, "of each run")
      ->check(CLI::Range(1u, 100000u));
  app.add_option("--audit", options.check.auditSchedules,
                 "check what analyses and passes believe under so many schedules; 0: do not");
  app.add_option("--step-limit", options.check.stepLimit, "thread-instructions of one run");
  app.add_option("-j", options.threads, "kernels at once")->check(CLI::Range(1u, 256u));
  app.add_option("--ptxas", options.ptxas, "assemble everything with it as well");
  app.add_option("--out", options.folder, "folder for what failed");
  app.add_flag("--print", options.prints, "print the first kernel, and do nothing else");
  app.add_flag("--mutate", options.mutates,
               "delete barriers and stores that are needed: is it noticed?");
  app.add_flag("--mutate-kept", options.mutatesKept,
               "delete barriers that the pipeline keeps for a conflict: is it noticed?");
  app.add_option("--score", options.score, "percent of the mutants that must be noticed");
  app.add_option("--corpus", options.corpus,
                 "a folder: kernels below it that have a launch description, changed at random");
  app.add_option("--most-steps", options.mostSteps,
                 "thread-instructions of a launch of the corpus before it is changed");
  app.add_flag("--still-fails", options.stillFails, "of the file: status 0 if it fails");
  if (const auto status = driver::parseProgramOptions(app, argc, argv)) return *status;

  const std::map<std::string, Bias> biases = {{"none", Bias::None},
                                              {"barriers", Bias::Barriers},
                                              {"redundancy", Bias::Redundancy},
                                              {"phis", Bias::Phis},
                                              {"addresses", Bias::Addresses},
                                              {"leaders", Bias::Leaders},
                                              {"variables", Bias::Variables},
                                              {"pointers", Bias::Pointers},
                                              {"rules", Bias::Rules},
                                              {"async", Bias::Async},
                                              {"heap", Bias::Heap}};
  options.generator.bias = biases.at(options.bias);
  if (options.check.pipelines.empty()) options.check.pipelines = allPipelines();
  for (int level = 1; level <= 3; ++level) {
    std::ranges::replace(options.check.pipelines, fmt::format("O{}", level),
                         passes::pipelineOfLevel(level));
  }
  tightenLimits(std::max<std::size_t>(options.tightness, 1));
  try {
    if (options.prints && !options.corpus.empty()) {
      const auto mutant = Corpus(options.corpus, options.mostSteps).make(options.seed);
      if (mutant) std::cout << describe(*mutant) << mutant->text;
      return kGood;
    }
    if (options.prints) {
      std::cout << generate(options.seed, options.generator).text();
      return kGood;
    }
    if (!options.file.empty()) return options.mutates ? mutateFile(options) : checkFile(options);
    if (options.mutatesKept) return mutateKept(options);
    if (options.mutates) return mutateAll(options);
    std::filesystem::create_directories(options.folder);
    return options.corpus.empty() ? checkAll(options) : checkCorpus(options);
  } catch (const std::exception& problem) {
    std::cerr << "random_kernels: " << problem.what() << '\n';
    return kBadArguments;
  }
}
