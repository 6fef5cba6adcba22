// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/batch.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "driver/check_report.h"
#include "driver/console.h"
#include "driver/diff.h"
#include "driver/driver.h"
#include "driver/explain.h"
#include "driver/files.h"
#include "driver/kernel_hash.h"
#include "driver/needs_report.h"
#include "driver/program.h"
#include "driver/remark_text.h"
#include "driver/report_files.h"
#include "driver/statistics.h"
#include "ir/barrier.h"
#include "isa/wait_role.h"
#include "support/parallel.h"

namespace ptxopt::driver {

namespace {

// At the end of the warnings of --check.
constexpr std::string_view kHowToSeeMore =
    "note: --diff shows the changes, --explain-barriers what each barrier is for\n";

bool isAmong(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string upperCase(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

// For a run that the user is not told of.
void forgetObservers(OptimizeOptions& options) {
  options.run.afterPass = options.run.beforePass = nullptr;
  options.run.progress = nullptr;
}

// The results for one input, kept until it is its turn to be printed.
struct FileReport {
  ExitStatus status = kSuccess;
  bool isDifferent = false;  // --check
  bool isLaunched = false;   // --launch names one of its kernels
  std::string messages;      // for standard error
  std::string output;        // for standard output
  BarrierTotals barriers;    // of --explain-barriers
  ReportFiles files;
  // Among the names that options mention.
  std::vector<std::string> foundKernels;
  std::vector<std::string> foundBarriers;
  FileStatistics statistics;
  std::optional<OptimizeResult> result;  // of one file of a program, not delivered yet
};

class Batch {
 public:
  explicit Batch(const Options& options);
  ExitStatus run();

 private:
  FileReport process(const std::string& input, unsigned threads) const;
  void processInto(FileReport& report, const std::string& input, unsigned threads) const;
  unsigned threadsFor(const SourceText& source, unsigned most) const;
  OptimizeOptions optimizeOptions(FileReport& report, unsigned threads) const;
  void explain(FileReport& report, const OptimizeOptions& options,
               const OptimizeResult& result) const;
  void noteNamed(FileReport& report, const ir::Module& module) const;
  void deliver(FileReport& report, const std::string& input, const OptimizeResult& result) const;
  std::string outputOf(const std::string& input) const;
  // If there is only one input, its messages may be printed at once.
  bool isAlone() const { return options_.inputs.size() == 1; }
  bool isProgram() const { return options_.wholeProgram && !isAlone(); }
  void say(FileReport& report, std::string_view text) const;
  void sayChanges(FileReport& report, const OptimizeResult& result) const;
  void say(FileReport& report, const Diagnostics& diagnostics) const;
  void sayError(FileReport& report, const std::string& file, const std::string& message) const;

  void readProgram();
  void runProgram();
  void runInOrder();
  void tell(FileReport& report, const std::string& input);
  void warnOfMissingNames() const;
  void warnOfMissingLaunches() const;
  void conclude();
  void writeReport(const std::string& path, const std::string& text);

  const Options& options_;
  std::vector<passes::PipelineStep> pipeline_;
  // For --whole-program with several inputs, by input; null if one cannot be read.
  std::map<std::string, std::shared_ptr<const SourceText>> program_;
  mutable Console console_;
  mutable std::mutex progressMutex_;
  unsigned threads_;
  bool wantCounts_;
  ExitStatus status_ = kSuccess;
  bool isDifferent_ = false;
  bool isLaunched_ = false;
  std::size_t told_ = 0;
  BarrierTotals barriers_;
  ReportFiles files_;
  std::set<std::string> foundKernels_;
  std::set<std::string> foundBarriers_;
  std::vector<FileStatistics> statistics_;
};

Batch::Batch(const Options& options)
    : options_(options),
      pipeline_(options.pipeline),
      console_(options.color, options.verbosity),
      threads_(options.threads != 0 ? options.threads
                                    : std::max(1u, std::thread::hardware_concurrency())),
      wantCounts_(options.statistics != ReportFormat::None || !options.html.empty() ||
                  options.verbosity > 0) {}

// ---- one input, on any thread -------------------------------------------------------------------

void Batch::say(FileReport& report, std::string_view text) const {
  if (isAlone()) {
    console_.print(text);
  } else {
    report.messages += text;
  }
}

void Batch::say(FileReport& report, const Diagnostics& diagnostics) const {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (console_.wants(diagnostic.severity)) text += render(diagnostic, console_.color());
  }
  say(report, text);
}

void Batch::sayError(FileReport& report, const std::string& file,
                     const std::string& message) const {
  Diagnostics diagnostics;
  diagnostics.report(Severity::Error, file, message);
  say(report, diagnostics);
  report.status = worse(report.status, kFailure);
}

std::string Batch::outputOf(const std::string& input) const {
  if (options_.outputDir.empty()) return options_.output;
  return options_.outputDir + '/' + outputBaseName(input);
}

// The default number of threads: a thread for less text than this saves milliseconds, a hundredth
// of the time of ptxas, and costs more processor time to set up.
unsigned Batch::threadsFor(const SourceText& source, unsigned most) const {
  constexpr std::size_t kLeastText = std::size_t{1} << 20;
  if (options_.threads != 0) return most;
  return static_cast<unsigned>(
      std::clamp<std::size_t>(source.text().size() / kLeastText, 1, std::max(1u, most)));
}

OptimizeOptions Batch::optimizeOptions(FileReport& report, unsigned threads) const {
  OptimizeOptions result;
  result.run.pipeline = pipeline_;
  result.run.disabledPasses = options_.disabledPasses;
  result.run.changeLimit = options_.changeLimit;
  result.run.assumptions = options_.assumptions;
  result.run.keptKernels = options_.keptKernels;
  result.run.threads = threads;
  result.launches = options_.launches;
  result.retarget = options_.retarget;
  result.run.remarks = !options_.remarks.empty() || !options_.sarif.empty() ||
                       !options_.optRecord.empty() || options_.printDeadSync ||
                       options_.explainBarriers || !options_.dotCfg.empty() ||
                       !options_.html.empty() || !options_.reportingPasses.empty();
  result.run.claims = !options_.facts.empty();
  result.run.verifyEach = options_.verifyEach;
  result.verifyInput = options_.verify      ? InputCheck::Require
                       : options_.warnInput ? InputCheck::Warn
                                            : InputCheck::None;
  result.reprint = options_.reprint;
  result.countCode = wantCounts_;
  if (!options_.printAfter.empty()) {
    result.run.afterPass = [this, &report](std::string_view pass, const ir::Module& module) {
      const auto& wanted = options_.printAfter;
      const auto isWanted = [&](const std::string& name) { return name == "all" || name == pass; };
      if (std::none_of(wanted.begin(), wanted.end(), isWanted)) return;
      const std::string text =
          options_.reprint ? print::reprint(module) : print::print(module).text();
      say(report, "// " + module.source().name() + " after " + std::string(pass) + '\n' + text);
    };
  }
  if (!options_.dumpBefore.empty()) {
    result.run.beforePass = [this, &report](std::string_view pass, const ir::Module& module) {
      if (!isAmong(options_.dumpBefore, pass)) return;
      say(report, "IR Module before " + upperCase(pass) + ":\n" + print::reprint(module));
    };
  }
  if (options_.verbosity > 0) {
    result.run.progress = [this, &report](const std::string& where) {
      const std::lock_guard lock(progressMutex_);
      say(report, where + '\n');
    };
  }
  return result;
}

// --check.  A run without remarks is faster, and in most files nothing changes.
void Batch::sayChanges(FileReport& report, const OptimizeResult& result) const {
  if (!console_.wants(Severity::Warning)) return;
  OptimizeOptions options = optimizeOptions(report, 1);
  std::optional<OptimizeResult> again;
  if (!options.run.remarks) {
    options.run.remarks = true;
    forgetObservers(options);
    again = optimize(result.source, options);
  }
  std::string text;
  for (const Diagnostic& warning : warningsOfChanges(again && again->ok ? *again : result)) {
    text += render(warning, console_.color());
  }
  say(report, text);
}

void Batch::deliver(FileReport& report, const std::string& input,
                    const OptimizeResult& result) const {
  const std::string_view source = result.source->text();
  const std::string output = outputOf(input);
  if (!output.empty()) {
    try {
      writeFile(output, result.output.pieces());
    } catch (const FileError& error) {
      return sayError(report, outputName(output), error.what());
    }
  }
  if (options_.check && !equals(result.output, source)) {
    report.status = worse(report.status, kDiffers);
    report.isDifferent = true;
    sayChanges(report, result);
  }
  if (options_.diff) {
    DiffStyle style;
    style.oldName = inputName(input);
    style.newName = output.empty() ? style.oldName : output;
    style.color = wantsColor(options_.color, STDOUT_FILENO);
    report.output = unifiedDiff(source, result.output, style);
  }
  if (result.module == nullptr) {
    if (options_.facts.empty() && options_.html.empty()) return;
    return sayError(report, inputName(input),
                    fmt::format("it contains a character that is not part of any token, so it is "
                                "not analysed: no --{}",
                                options_.html.empty() ? "facts" : "html"));
  }
  OptimizeOptions options = optimizeOptions(report, 1);
  forgetObservers(options);
  report.files =
      reportFiles(options_, options, input, result,
                  [&](const auto& path, const auto& message) { sayError(report, path, message); });
  if (options_.printDeadSync) {
    for (const passes::Remark& remark : result.run.remarks) {
      if (remark.isRemovedBarrier()) say(report, messageOf(remark) + '\n');
    }
  }
  for (const passes::Remark& remark : result.run.remarks) {
    if (!remark.isReport || !isAmong(options_.reportingPasses, remark.pass)) continue;
    say(report, std::string(remark.pass) + ": " + std::string(remark.function->nameText()) + ": " +
                    messageOf(remark) + '\n');
  }
}

void Batch::processInto(FileReport& report, const std::string& input, unsigned threads) const {
  report.statistics.file = inputName(input);
  std::shared_ptr<const SourceText> source;
  try {
    const auto known = program_.find(input);
    source =
        known != program_.end() && known->second != nullptr ? known->second : readSource(input);
  } catch (const FileError& error) {
    return sayError(report, inputName(input), error.what());
  }
  const OptimizeOptions options = optimizeOptions(report, threadsFor(*source, threads));
  OptimizeResult result = optimize(source, options);
  say(report, result.diagnostics);
  report.statistics = statisticsOf(inputName(input), result);
  if (!result.ok) {
    report.status = result.internalFault ? kInternalFault : kFailure;
    return;
  }
  report.isLaunched = result.isLaunched;
  if (result.module != nullptr) noteNamed(report, *result.module);
  if (options_.explainBarriers) explain(report, options, result);
  if (options_.needs != ReportFormat::None || options_.kernelHash) {
    if (result.module == nullptr) {
      return sayError(report, inputName(input),
                      "it contains a character that is not part of any token, so nobody knows "
                      "what it needs or does");
    }
    report.output = options_.kernelHash
                        ? kernelHashes(*result.module, !isAlone())
                        : needsReport(*result.module, options_.needs, options_.needsByKernel);
  }
  if (isProgram()) {
    report.result = std::move(result);
  } else {
    deliver(report, input, result);
  }
}

void Batch::explain(FileReport& report, const OptimizeOptions& options,
                    const OptimizeResult& result) const {
  Explanation explanation =
      explainBarriers(result.source, options, result,
                      {options_.explainedKernels, options_.inlineChains, options_.explainAllSync});
  report.output = std::move(explanation.text);
  report.barriers = std::move(explanation.totals);
  if (result.module == nullptr) return;
  for (const std::string& name : options_.explainedKernels) {
    const auto& functions = result.module->functions();
    const bool isFound = std::ranges::any_of(
        functions, [&](const ir::Function& function) { return isCalled(function, name); });
    if (isFound) report.foundKernels.push_back(name);
  }
}

// Called after the passes: barriers, waits and fences that options name are never removed.
void Batch::noteNamed(FileReport& report, const ir::Module& module) const {
  const auto isNamed = [](const std::vector<std::string>& named, std::string_view name) {
    return std::ranges::find(named, name) != named.end();
  };
  if (options_.namedKernels.empty()) return;
  for (const ir::Function& function : module.functions()) {
    const std::string name(function.nameText());
    if (!isNamed(options_.namedKernels, name)) continue;
    report.foundKernels.push_back(name);
    if (options_.namedBarriers.empty()) continue;
    for (const ir::Statement& statement : function.body()) {
      const auto* instruction = statement.as<ir::Instruction>();
      if (instruction == nullptr || !instruction->source.valid()) continue;
      const bool isOne = ir::ctaBarrier(*instruction) ||
                         isa::isOnlySynchronization(isa::waitRoleOf(*instruction->desc));
      if (!isOne) continue;
      const auto line = module.source().lineColumn(instruction->source.begin).line;
      std::string place = name + ':' + std::to_string(line);
      if (isNamed(options_.namedBarriers, place)) report.foundBarriers.push_back(std::move(place));
    }
  }
}

FileReport Batch::process(const std::string& input, unsigned threads) const {
  FileReport report;
  try {
    processInto(report, input, threads);
  } catch (const std::bad_alloc&) {
    sayError(report, inputName(input), "not enough memory");
  }
  return report;
}

// ---- all inputs, on the main thread -------------------------------------------------------------

void Batch::tell(FileReport& report, const std::string& input) {
  console_.print(report.messages);
  status_ = worse(status_, report.status);
  isDifferent_ |= report.isDifferent;
  isLaunched_ |= report.isLaunched;
  if (!report.output.empty()) {
    if (options_.explainBarriers && told_ != 0) report.output.insert(0, "\n");
    writeReport("-", report.output);
  }
  barriers_.add(report.barriers);
  files_.add(std::move(report.files));
  foundKernels_.insert(report.foundKernels.begin(), report.foundKernels.end());
  foundBarriers_.insert(report.foundBarriers.begin(), report.foundBarriers.end());
  const FileStatistics& counts = report.statistics;
  if (options_.verbosity > 0 && counts.ok) {
    console_.log().info("{}: {}, {} -> {} instructions, {} -> {} barriers", inputName(input),
                        counts.changed ? "changed" : "unchanged", counts.before.instructions,
                        counts.after.instructions, counts.before.ctaBarriers,
                        counts.after.ctaBarriers);
  }
  if (wantCounts_ || options_.timePasses) statistics_.push_back(std::move(report.statistics));
  console_.progress(++told_, options_.inputs.size(), inputName(input));
}

// A name that several of the files share is treated like a name that the host uses.
void Batch::readProgram() {
  std::vector<std::shared_ptr<const SourceText>> texts;
  for (const std::string& input : options_.inputs) {
    std::shared_ptr<const SourceText>& text = program_[input];
    try {
      text = readSource(input);
    } catch (const FileError&) {
      text = nullptr;  // reported when it is its turn
    }
    texts.push_back(text);
  }
  bool isKnown = true;
  addHostSymbols(pipeline_, sharedNames(texts, isKnown));
  if (isKnown) return;
  console_.log().warn(
      "an input is not understood and may use any variable: not optimized as a whole program");
  dropHostSymbols(pipeline_);
}

// All or none: no output is written until everything that can fail has succeeded.
void Batch::runProgram() {
  const std::vector<std::string>& inputs = options_.inputs;
  std::vector<FileReport> reports(inputs.size());
  const unsigned workers = static_cast<unsigned>(std::min<std::size_t>(threads_, inputs.size()));
  parallelFor(inputs.size(), workers,
              [&](std::size_t k) { reports[k] = process(inputs[k], threads_ / workers); });
  const bool isGood = std::ranges::all_of(
      reports, [](const FileReport& report) { return report.status == kSuccess; });
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (isGood) deliver(reports[k], inputs[k], *reports[k].result);
    tell(reports[k], inputs[k]);
    reports[k] = {};
  }
  if (!isGood) console_.log().error("a file of the program is not good: nothing is written");
}

// Workers take inputs one after the other; this thread prints the results in order.
void Batch::runInOrder() {
  const std::vector<std::string>& inputs = options_.inputs;
  const unsigned workers = static_cast<unsigned>(std::min<std::size_t>(threads_, inputs.size()));
  const unsigned threadsEach = std::max(1u, threads_ / workers);
  if (workers == 1) {
    for (const std::string& input : inputs) {
      FileReport report = process(input, threadsEach);
      tell(report, input);
    }
    return;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::unique_ptr<FileReport>> reports(inputs.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> pool;
  for (unsigned k = 0; k < workers; ++k) {
    pool.emplace_back([&] {
      for (std::size_t mine = next++; mine < inputs.size(); mine = next++) {
        auto report = std::make_unique<FileReport>(process(inputs[mine], threadsEach));
        const std::lock_guard lock(mutex);
        reports[mine] = std::move(report);
        changed.notify_one();
      }
    });
  }
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    std::unique_ptr<FileReport> report;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return reports[k] != nullptr; });
      report = std::move(reports[k]);
    }
    tell(*report, inputs[k]);
  }
}

void Batch::writeReport(const std::string& path, const std::string& text) {
  try {
    writeFile(path, text);
  } catch (const FileError& error) {
    console_.log().error("{}: {}", outputName(path), error.what());
    status_ = worse(status_, kFailure);
  }
}

// A name need not be in every file; if it is in none, it is a mistake.
void Batch::warnOfMissingNames() const {
  std::set<std::string> missing(options_.namedKernels.begin(), options_.namedKernels.end());
  missing.insert(options_.explainedKernels.begin(), options_.explainedKernels.end());
  for (const std::string& name : foundKernels_) missing.erase(name);
  for (const std::string& name : missing) {
    console_.log().warn("no input has a kernel '{}', which an option names", name);
  }
  for (const std::string& place : options_.namedBarriers) {
    const std::size_t colon = place.find(':');
    if (missing.contains(place.substr(0, colon)) || foundBarriers_.contains(place)) continue;
    console_.log().warn(
        "--keep-barriers={}: no barrier, wait or fence begins on that line of the kernel", place);
  }
}

void Batch::warnOfMissingLaunches() const {
  if (options_.launches.empty() || isLaunched_) return;
  console_.log().warn("no input has a kernel that the file of --launch names");
}

void Batch::conclude() {
  // An input with an error may be the one that has them.
  if (status_ == kSuccess || status_ == kDiffers) {
    warnOfMissingNames();
    warnOfMissingLaunches();
  }
  if (barriers_.functions != 0) writeReport("-", "\ntotal: " + barriers_.text() + '\n');
  if (isDifferent_ && console_.wants(Severity::Warning)) console_.print(kHowToSeeMore);
  files_.forEach(options_, [this](const auto& path, const auto& text) { writeReport(path, text); });
  if (options_.statistics == ReportFormat::Text) console_.print(statisticsTable(statistics_));
  if (options_.statistics == ReportFormat::Json) console_.print(statisticsJson(statistics_));
  if (options_.timePasses) console_.print(timeTable(statistics_));
}

ExitStatus Batch::run() {
  std::vector<std::string> folders = reportFolders(options_);
  folders.push_back(options_.outputDir);
  for (const std::string& folder : folders) {
    std::error_code error;
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    if (error) {
      console_.log().error("{}: cannot create the folder: {}", folder, error.message());
      return kFailure;
    }
  }
  if (isProgram()) {
    readProgram();
    runProgram();
  } else {
    runInOrder();
  }
  conclude();
  return status_;
}

}  // namespace

ExitStatus runBatch(const Options& options) {
  return Batch(options).run();
}

}  // namespace ptxopt::driver
