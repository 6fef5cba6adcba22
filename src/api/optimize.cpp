// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C API, on top of the driver.
#include <ptxopt/ptxopt.h>

#include <cstdint>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/result.h"
#include "driver/driver.h"
#include "driver/explain.h"
#include "driver/launch_file.h"
#include "driver/needs_report.h"
#include "driver/remarks.h"
#include "parse/parser.h"
#include "passes/engine/pipeline.h"
#include "passes/registry.h"
#include "support/version.h"

using namespace ptxopt;
using api::resultOf;
using api::sourceOf;

struct ptxopt_options {
  int level = passes::kDefaultLevel;
  std::optional<std::string> passes;
  std::vector<std::string> disabledPasses;
  std::uint64_t changeLimit = passes::ChangeBudget::kUnlimited;
  std::string assumptions;
  std::string launches;
  bool enforce = false;
  bool dispatch = false;
  std::vector<std::string> keptKernels;
  std::string retarget;
  bool lenientRetarget = false;
  unsigned threads = 1;
  bool remarks = false;
  bool outOfMemory = false;  // a setter could not copy its argument
};

namespace {

constexpr int kMaxLevel = 3;

// "assumptions, line 3, column 1: ..."
std::invalid_argument errorIn(const char* what, const std::string& text, Offset offset,
                              const std::string& message) {
  const LineColumn place = SourceText(what, text).lineColumn(offset);
  return std::invalid_argument(std::string(what) + ", line " + std::to_string(place.line) +
                               ", column " + std::to_string(place.column) + ": " + message);
}

void setLaunches(passes::LaunchFacts& launches, const ptxopt_options& options) {
  if (options.dispatch && !options.enforce) {
    throw std::invalid_argument("dispatch needs enforce");
  }
  launches.isEnforced = options.enforce;
  launches.isDispatched = options.dispatch;
  if (options.launches.empty()) return;
  try {
    launches.kernels = driver::parseLaunchFacts(options.launches);
  } catch (const driver::LaunchFileError& error) {
    throw errorIn("launches", options.launches, error.offset, error.what());
  }
}

// Throws std::invalid_argument with a message for the user.
driver::OptimizeOptions optimizeOptions(const ptxopt_options& options) {
  if (options.level < 0 || options.level > kMaxLevel) {
    throw std::invalid_argument("there is no level " + std::to_string(options.level));
  }
  driver::OptimizeOptions result;
  result.run.pipeline = passes::parsePipeline(
      options.passes ? *options.passes : passes::pipelineOfLevel(options.level));
  for (const std::string& name : options.disabledPasses) {
    if (passes::findPass(name) == nullptr) {
      throw std::invalid_argument("there is no pass '" + name + "'");
    }
  }
  result.run.disabledPasses = options.disabledPasses;
  result.run.changeLimit = options.changeLimit;
  result.run.threads = options.threads;
  result.run.keptKernels = options.keptKernels;
  if (const auto error = result.run.assumptions.parse(options.assumptions)) {
    throw errorIn("assumptions", options.assumptions, error->offset, error->message);
  }
  setLaunches(result.launches, options);
  result.run.remarks = options.remarks;
  if (!options.retarget.empty()) result.retarget = passes::parseRetargetRequest(options.retarget);
  result.retarget.isLenient = options.lenientRetarget;
  return result;
}

ptxopt_counts publicCounts(const driver::CodeCounts& counts) {
  return {counts.instructions, counts.ctaBarriers};
}

void optimizeInto(ptxopt_result& result, const char* name, std::string_view text,
                  const ptxopt_options& options) {
  driver::OptimizeResult made = driver::optimize(sourceOf(name, text), optimizeOptions(options));
  result.ok = made.ok;
  result.diagnostics = made.diagnostics.all();
  if (!made.ok) return;
  result.changed = !driver::equals(made.output, text);
  result.text = made.output.text();
  result.before = publicCounts(made.before);
  result.after = publicCounts(made.after);
  if (made.module != nullptr) {
    result.remarks = driver::remarkLines(*made.module, made.run.remarks);
  }
  result.counters = std::move(made.run.statistics);
  for (const auto& [pass, counters] : result.counters) {
    for (const auto& [counter, value] : counters) {
      result.statistics.push_back({pass.c_str(), counter.c_str(), value});
    }
  }
}

void explainInto(ptxopt_result& result, const char* name, std::string_view text,
                 const ptxopt_options& options) {
  const auto source = sourceOf(name, text);
  driver::OptimizeOptions run = optimizeOptions(options);
  run.run.remarks = true;
  const driver::OptimizeResult made = driver::optimize(source, run);
  result.ok = made.ok;
  result.diagnostics = made.diagnostics.all();
  if (!made.ok || made.module == nullptr) return;
  result.text = driver::explainBarriers(source, run, made, {}).text;
}

void needsInto(ptxopt_result& result, const char* name, std::string_view text, bool byKernel) {
  Diagnostics diagnostics;
  const auto module = parse::parse(sourceOf(name, text), diagnostics);
  result.ok = module != nullptr && !diagnostics.hasErrors();
  result.diagnostics = diagnostics.all();
  if (result.ok) {
    result.text = driver::needsReport(*module, driver::ReportFormat::Json, byKernel);
  }
}

// The result of a function that takes options, which may be null.
template <class Work>
ptxopt_result* withOptions(const char* name, const ptxopt_options* options, Work work) {
  if (options != nullptr && options->outOfMemory) return nullptr;
  return resultOf(name, [&](ptxopt_result& result) {
    work(result, options != nullptr ? *options : ptxopt_options());
  });
}

template <class Setter>
void set(ptxopt_options* options, Setter setter) {
  try {
    setter(*options);
  } catch (const std::bad_alloc&) {
    options->outOfMemory = true;
  }
}

}  // namespace

const char* ptxopt_version(void) {
  return ptxopt::version();
}

ptxopt_options* ptxopt_options_new(void) {
  return new (std::nothrow) ptxopt_options;
}
void ptxopt_options_free(ptxopt_options* options) {
  delete options;
}

void ptxopt_options_set_level(ptxopt_options* options, int level) {
  options->level = level;
  options->passes.reset();
}
void ptxopt_options_set_passes(ptxopt_options* options, const char* pipeline) {
  set(options, [&](ptxopt_options& o) { o.passes = pipeline; });
}
void ptxopt_options_disable_pass(ptxopt_options* options, const char* name) {
  set(options, [&](ptxopt_options& o) { o.disabledPasses.emplace_back(name); });
}
void ptxopt_options_set_change_limit(ptxopt_options* options, uint64_t limit) {
  options->changeLimit = limit;
}
void ptxopt_options_set_threads(ptxopt_options* options, unsigned threads) {
  options->threads = threads == 0 ? 1 : threads;
}
void ptxopt_options_set_assumptions(ptxopt_options* options, const char* text) {
  set(options, [&](ptxopt_options& o) { o.assumptions = text; });
}
void ptxopt_options_set_launches(ptxopt_options* options, const char* text) {
  set(options, [&](ptxopt_options& o) { o.launches = text; });
}
void ptxopt_options_set_enforce(ptxopt_options* options, int enforce) {
  options->enforce = enforce != 0;
}
void ptxopt_options_set_dispatch(ptxopt_options* options, int dispatch) {
  options->dispatch = dispatch != 0;
}
void ptxopt_options_keep_kernel(ptxopt_options* options, const char* name) {
  set(options, [&](ptxopt_options& o) { o.keptKernels.emplace_back(name); });
}
void ptxopt_options_set_retarget(ptxopt_options* options, const char* request) {
  set(options, [&](ptxopt_options& o) { o.retarget = request; });
}
void ptxopt_options_set_retarget_lenient(ptxopt_options* options, int lenient) {
  options->lenientRetarget = lenient != 0;
}
void ptxopt_options_set_remarks(ptxopt_options* options, int wanted) {
  options->remarks = wanted != 0;
}

ptxopt_result* ptxopt_optimize(const char* name, const char* text, size_t size,
                               const ptxopt_options* options) {
  return withOptions(name, options, [&](ptxopt_result& result, const ptxopt_options& chosen) {
    optimizeInto(result, name, {text, size}, chosen);
  });
}

ptxopt_result* ptxopt_explain(const char* name, const char* text, size_t size,
                              const ptxopt_options* options) {
  return withOptions(name, options, [&](ptxopt_result& result, const ptxopt_options& chosen) {
    explainInto(result, name, {text, size}, chosen);
  });
}

ptxopt_result* ptxopt_needs(const char* name, const char* text, size_t size, int by_kernel) {
  return resultOf(name, [&](ptxopt_result& result) {
    needsInto(result, name, {text, size}, by_kernel != 0);
  });
}

void ptxopt_result_free(ptxopt_result* result) {
  delete result;
}

int ptxopt_result_ok(const ptxopt_result* result) {
  return result->ok ? 1 : 0;
}
int ptxopt_result_changed(const ptxopt_result* result) {
  return result->changed ? 1 : 0;
}

const char* ptxopt_result_text(const ptxopt_result* result, size_t* size) {
  if (size != nullptr) *size = result->text.size();
  return result->text.c_str();
}

size_t ptxopt_result_diagnostic_count(const ptxopt_result* result) {
  return result->diagnostics.size();
}

ptxopt_diagnostic ptxopt_result_diagnostic(const ptxopt_result* result, size_t index) {
  const Diagnostic& diagnostic = result->diagnostics[index];
  ptxopt_severity severity = PTXOPT_ERROR;
  if (diagnostic.severity == Severity::Warning) severity = PTXOPT_WARNING;
  if (diagnostic.severity == Severity::Note) severity = PTXOPT_NOTE;
  return {severity, diagnostic.place.line, diagnostic.place.column, diagnostic.message.c_str()};
}

ptxopt_counts ptxopt_result_before(const ptxopt_result* result) {
  return result->before;
}
ptxopt_counts ptxopt_result_after(const ptxopt_result* result) {
  return result->after;
}

size_t ptxopt_result_statistic_count(const ptxopt_result* result) {
  return result->statistics.size();
}
ptxopt_statistic ptxopt_result_statistic(const ptxopt_result* result, size_t index) {
  return result->statistics[index];
}

const char* ptxopt_result_remarks(const ptxopt_result* result) {
  return result->remarks.c_str();
}
