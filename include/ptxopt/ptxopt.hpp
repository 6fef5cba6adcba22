// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ API of ptxopt: PTX text in, better PTX text out.  C++17; exceptions only for lack of
// memory.
//
//   const ptxopt::Result result = ptxopt::optimize(text);
//   if (result.ok) std::cout << result.text;
//
// It uses only the C API, so that the program and the library may be built by different compilers.
#pragma once

#include <ptxopt/ptxopt.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxopt {
// The library has similar names inside; the version avoids conflicts.
inline namespace v1 {

struct Options {
  int level = 2;                      // 0 (changes nothing) to 3
  std::optional<std::string> passes;  // "early-cse<memssa>,dead-sync", instead of a level
  std::vector<std::string> disabledPasses;
  std::uint64_t changeLimit = std::numeric_limits<std::uint64_t>::max();
  std::string assumptions;  // "*: assume=cuda\nkernel: block-dim=64,1,1"
  std::vector<std::string> keptKernels;
  unsigned threads = 1;  // functions processed at once; the result does not depend on it
  std::string retarget;  // "cuda:12.2,sm_80", as of --for; empty: .version and .target as they are
  bool lenientRetarget = false;  // leave out kernels and functions that need more
  bool remarks = false;
};

enum class Severity { Note = PTXOPT_NOTE, Warning = PTXOPT_WARNING, Error = PTXOPT_ERROR };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::uint32_t line = 0;    // from 1; 0: about the text as a whole
  std::uint32_t column = 0;  // from 1, in bytes
  std::string message;
};

struct Counts {
  std::uint64_t instructions = 0;
  std::uint64_t barriers = 0;  // CTA barriers
};

struct Statistic {
  std::string pass;
  std::string counter;
  std::uint64_t value = 0;
};

struct Result {
  bool ok = false;  // false: a diagnostic gives the reason, and there is no text
  bool changed = false;
  std::string text;
  std::vector<Diagnostic> diagnostics;
  Counts before;
  Counts after;
  std::vector<Statistic> statistics;
  std::string remarks;  // one line of JSON for each remark, if requested
};

inline std::string version() {
  return ptxopt_version();
}

// `name` is the name of the text in messages.
inline Result optimize(std::string_view text, const Options& options = {},
                       const std::string& name = "<text>") {
  using OwnedOptions = std::unique_ptr<ptxopt_options, void (*)(ptxopt_options*)>;
  using OwnedResult = std::unique_ptr<ptxopt_result, void (*)(ptxopt_result*)>;

  const OwnedOptions raw(ptxopt_options_new(), ptxopt_options_free);
  if (!raw) throw std::bad_alloc();
  ptxopt_options_set_level(raw.get(), options.level);
  if (options.passes) ptxopt_options_set_passes(raw.get(), options.passes->c_str());
  for (const std::string& pass : options.disabledPasses) {
    ptxopt_options_disable_pass(raw.get(), pass.c_str());
  }
  ptxopt_options_set_assumptions(raw.get(), options.assumptions.c_str());
  for (const std::string& kernel : options.keptKernels) {
    ptxopt_options_keep_kernel(raw.get(), kernel.c_str());
  }
  ptxopt_options_set_retarget(raw.get(), options.retarget.c_str());
  ptxopt_options_set_retarget_lenient(raw.get(), options.lenientRetarget ? 1 : 0);
  ptxopt_options_set_change_limit(raw.get(), options.changeLimit);
  ptxopt_options_set_threads(raw.get(), options.threads);
  ptxopt_options_set_remarks(raw.get(), options.remarks ? 1 : 0);

  const OwnedResult made(ptxopt_optimize(name.c_str(), text.data(), text.size(), raw.get()),
                         ptxopt_result_free);
  if (!made) throw std::bad_alloc();
  Result result;
  result.ok = ptxopt_result_ok(made.get()) != 0;
  result.changed = ptxopt_result_changed(made.get()) != 0;
  std::size_t size = 0;
  const char* bytes = ptxopt_result_text(made.get(), &size);
  result.text.assign(bytes, size);
  for (std::size_t i = 0; i < ptxopt_result_diagnostic_count(made.get()); ++i) {
    const ptxopt_diagnostic diagnostic = ptxopt_result_diagnostic(made.get(), i);
    result.diagnostics.push_back({static_cast<Severity>(diagnostic.severity), diagnostic.line,
                                  diagnostic.column, diagnostic.message});
  }
  const ptxopt_counts before = ptxopt_result_before(made.get());
  const ptxopt_counts after = ptxopt_result_after(made.get());
  result.before = {before.instructions, before.barriers};
  result.after = {after.instructions, after.barriers};
  for (std::size_t i = 0; i < ptxopt_result_statistic_count(made.get()); ++i) {
    const ptxopt_statistic statistic = ptxopt_result_statistic(made.get(), i);
    result.statistics.push_back({statistic.pass, statistic.counter, statistic.value});
  }
  result.remarks = ptxopt_result_remarks(made.get());
  return result;
}

}  // namespace v1
}  // namespace ptxopt
