// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ API of ptxopt: PTX text in, better PTX text out; and kernels run on the CPU.  C++17;
// exceptions only for lack of memory.
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
#include <type_traits>
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
  std::string launches;     // the text of a file of --launch
  bool enforce = false;     // trust nothing of it
  bool dispatch = false;    // keep the original code for other launches
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

// What explain() and needs() say about a text, or a run found.
struct Report {
  bool ok = false;  // false: a diagnostic gives the reason, and there is no text
  std::string text;
  std::vector<Diagnostic> diagnostics;
};

namespace detail {

using RawOptions = std::unique_ptr<ptxopt_options, void (*)(ptxopt_options*)>;
using RawResult = std::unique_ptr<ptxopt_result, void (*)(ptxopt_result*)>;

inline RawOptions raw(const Options& options) {
  RawOptions made(ptxopt_options_new(), ptxopt_options_free);
  if (!made) throw std::bad_alloc();
  ptxopt_options_set_level(made.get(), options.level);
  if (options.passes) ptxopt_options_set_passes(made.get(), options.passes->c_str());
  for (const std::string& pass : options.disabledPasses) {
    ptxopt_options_disable_pass(made.get(), pass.c_str());
  }
  ptxopt_options_set_assumptions(made.get(), options.assumptions.c_str());
  ptxopt_options_set_launches(made.get(), options.launches.c_str());
  ptxopt_options_set_enforce(made.get(), options.enforce ? 1 : 0);
  ptxopt_options_set_dispatch(made.get(), options.dispatch ? 1 : 0);
  for (const std::string& kernel : options.keptKernels) {
    ptxopt_options_keep_kernel(made.get(), kernel.c_str());
  }
  ptxopt_options_set_retarget(made.get(), options.retarget.c_str());
  ptxopt_options_set_retarget_lenient(made.get(), options.lenientRetarget ? 1 : 0);
  ptxopt_options_set_change_limit(made.get(), options.changeLimit);
  ptxopt_options_set_threads(made.get(), options.threads);
  ptxopt_options_set_remarks(made.get(), options.remarks ? 1 : 0);
  return made;
}

inline RawResult owned(ptxopt_result* made) {
  if (made == nullptr) throw std::bad_alloc();
  return RawResult(made, ptxopt_result_free);
}

// What all results have.
template <class Made>
Made made(const RawResult& raw) {
  Made result;
  result.ok = ptxopt_result_ok(raw.get()) != 0;
  std::size_t size = 0;
  const char* bytes = ptxopt_result_text(raw.get(), &size);
  result.text.assign(bytes, size);
  for (std::size_t i = 0; i < ptxopt_result_diagnostic_count(raw.get()); ++i) {
    const ptxopt_diagnostic diagnostic = ptxopt_result_diagnostic(raw.get(), i);
    result.diagnostics.push_back({static_cast<Severity>(diagnostic.severity), diagnostic.line,
                                  diagnostic.column, diagnostic.message});
  }
  return result;
}

}  // namespace detail

inline std::string version() {
  return ptxopt_version();
}

// `name` is the name of the text in messages.
inline Result optimize(std::string_view text, const Options& options = {},
                       const std::string& name = "<text>") {
  const detail::RawResult raw = detail::owned(
      ptxopt_optimize(name.c_str(), text.data(), text.size(), detail::raw(options).get()));
  Result result = detail::made<Result>(raw);
  result.changed = ptxopt_result_changed(raw.get()) != 0;
  const ptxopt_counts before = ptxopt_result_before(raw.get());
  const ptxopt_counts after = ptxopt_result_after(raw.get());
  result.before = {before.instructions, before.barriers};
  result.after = {after.instructions, after.barriers};
  for (std::size_t i = 0; i < ptxopt_result_statistic_count(raw.get()); ++i) {
    const ptxopt_statistic statistic = ptxopt_result_statistic(raw.get(), i);
    result.statistics.push_back({statistic.pass, statistic.counter, statistic.value});
  }
  result.remarks = ptxopt_result_remarks(raw.get());
  return result;
}

// What became of each CTA barrier, where and why, as --explain-barriers prints it.
inline Report explain(std::string_view text, const Options& options = {},
                      const std::string& name = "<text>") {
  return detail::made<Report>(detail::owned(
      ptxopt_explain(name.c_str(), text.data(), text.size(), detail::raw(options).get())));
}

// Which .version and .target the text needs, as --needs=json prints it.
inline Report needs(std::string_view text, bool byKernel = false,
                    const std::string& name = "<text>") {
  return detail::made<Report>(
      detail::owned(ptxopt_needs(name.c_str(), text.data(), text.size(), byKernel ? 1 : 0)));
}

// A text that was parsed, to run its kernels.
class Module {
 public:
  explicit Module(std::string_view text, const std::string& name = "<text>")
      : raw_(ptxopt_module_new(name.c_str(), text.data(), text.size()), ptxopt_module_free) {
    if (!raw_) throw std::bad_alloc();
  }
  // The kernels and their parameters, as `ptxrun --list --json` prints them, or the errors of the
  // text.
  Report kernels() const {
    return detail::made<Report>(detail::owned(ptxopt_module_kernels(raw_.get())));
  }

 private:
  friend class Launch;
  std::unique_ptr<ptxopt_module, void (*)(ptxopt_module*)> raw_;
};

// One launch of a kernel; the arguments are added in order.
//
//   ptxopt::Launch launch(module, "twice");
//   launch.setBlock(64).addPointer(launch.addBuffer(data, sizeof data)).addValue(5);
//   const ptxopt::Report found = launch.run();
class Launch {
 public:
  // The module must live longer.  `kernel` is its symbol, or its name in the source if that is one
  // kernel only; "" for the only kernel.
  Launch(const Module& module, const std::string& kernel)
      : raw_(ptxopt_launch_new(module.raw_.get(), kernel.c_str()), ptxopt_launch_free) {
    if (!raw_) throw std::bad_alloc();
  }

  Launch& setGrid(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) {
    ptxopt_launch_set_grid(raw_.get(), x, y, z);
    return *this;
  }
  Launch& setBlock(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) {
    ptxopt_launch_set_block(raw_.get(), x, y, z);
    return *this;
  }
  Launch& setCluster(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) {
    ptxopt_launch_set_cluster(raw_.get(), x, y, z);
    return *this;
  }
  Launch& setShared(std::uint64_t bytes) {
    ptxopt_launch_set_shared(raw_.get(), bytes);
    return *this;
  }
  Launch& setSchedules(std::uint32_t count) {
    ptxopt_launch_set_schedules(raw_.get(), count);
    return *this;
  }
  // Whether to look for races and for reads of memory that nothing has written.
  Launch& setRaces(bool wanted) {
    ptxopt_launch_set_races(raw_.get(), wanted ? 1 : 0);
    return *this;
  }
  Launch& setStepLimit(std::uint64_t limit) {
    ptxopt_launch_set_step_limit(raw_.get(), limit);
    return *this;
  }
  // Memory that the kernel reads and writes in place, if it runs to its end.  Returns its number.
  std::size_t addBuffer(void* data, std::size_t size) {
    return ptxopt_launch_add_buffer(raw_.get(), data, size);
  }
  Launch& addPointer(std::size_t buffer, std::uint64_t offset = 0) {
    ptxopt_launch_add_pointer(raw_.get(), buffer, offset);
    return *this;
  }
  template <class T>
  Launch& addValue(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    ptxopt_launch_add_value(raw_.get(), &value, sizeof value);
    return *this;
  }

  // What was found, as `ptxrun --json` prints it.
  Report run() const { return detail::made<Report>(detail::owned(ptxopt_launch_run(raw_.get()))); }

 private:
  std::unique_ptr<ptxopt_launch, void (*)(ptxopt_launch*)> raw_;
};

}  // namespace v1
}  // namespace ptxopt
