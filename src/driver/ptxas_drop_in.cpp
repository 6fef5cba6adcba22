// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ptxas_drop_in.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "driver/ptxas_command.h"
#include "driver/ptxas_process.h"
#include "driver/ptxas_search.h"
#include "driver/ptxas_triton.h"

namespace ptxopt::ptxas {
namespace {

namespace fs = std::filesystem;

constexpr int kRefused = 1;  // the exit status of PTXOPT_STRICT

void warn(const std::string& message) {
  std::fprintf(stderr, "ptxopt-ptxas: warning: %s\n", message.c_str());
}

bool isRegularFile(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::optional<std::string> readFile(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return std::nullopt;
  try {
    return readAll(file.number());
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

void writeFile(const std::string& path, std::string_view bytes) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) throw std::system_error(errno, std::generic_category(), path);
  writeAll(file.number(), bytes);
}

std::string replaceAll(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

bool isStandardInput(const std::string& word) {
  return word == "-" || word == "/dev/stdin";
}

// Standard output and standard error are the same file, like after 2>&1.
bool outputsAreOneFile() {
  struct stat out = {};
  struct stat err = {};
  return fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 &&
         out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

// A text cannot be optimized, and PTXOPT_STRICT makes that an error.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// What a rewriter says, on its way out of its process.
struct RewriterAnswer {
  Rewritten::Kind kind = Rewritten::Kind::Failed;
  std::string reason;
  std::optional<std::pair<CodeCounts, CodeCounts>> counts;
  std::vector<std::string> kernels;
};

std::string serialized(const Rewritten& rewritten) {
  if (rewritten.kind == Rewritten::Kind::Failed) return rewritten.text;
  if (!rewritten.counts) return {};
  const auto& [before, after] = *rewritten.counts;
  return fmt::format("{} {} {} {} {} {} {}", before.kernels, before.barriers, before.instructions,
                     after.kernels, after.barriers, after.instructions,
                     fmt::join(rewritten.kernels, " "));
}

RewriterAnswer deserialized(Rewritten::Kind kind, const std::string& text) {
  if (kind == Rewritten::Kind::Failed) return {kind, text, std::nullopt, {}};
  std::istringstream numbers(text);
  CodeCounts before;
  CodeCounts after;
  numbers >> before.kernels >> before.barriers >> before.instructions >> after.kernels >>
      after.barriers >> after.instructions;
  if (!numbers) return {kind, {}, std::nullopt, {}};
  RewriterAnswer answer{kind, {}, std::pair(before, after), {}};
  for (std::string name; numbers >> name;) answer.kernels.push_back(name);
  return answer;
}

// Changes the command line and the standard input so that they name the optimized texts.
class Replacement {
 public:
  Replacement(PtxasCommand command, const DropIn& dropIn)
      : command_(std::move(command)), dropIn_(dropIn) {}

  bool changed() const { return changed_; }
  const std::vector<std::string>& words() const { return command_.words; }
  int standardInput() const { return newInput_.valid() ? newInput_.number() : oldInput(); }

  // The original standard input, rewound; -1 if it was not read.
  int oldInput() const {
    if (oldInput_.valid()) lseek(oldInput_.number(), 0, SEEK_SET);
    return oldInput_.number();
  }

  // Optimizes every input that is a text of PTX.  Throws Refusal.
  void make() {
    for (std::size_t i = 0; i < command_.inputs.size(); ++i) {
      if (SignalGuard::received() != 0) return;
      std::string& word = command_.words[command_.inputs[i]];
      if (isStandardInput(word)) {
        replaceStandardInput();
      } else if (isRegularFile(word)) {
        replaceFile(word, i);
      }
    }
  }

  // Replaces names in the messages of ptxas by those that the caller knows.
  std::string withOldNames(std::string messages) const {
    for (const auto& [oldName, newName] : names_) {
      messages = replaceAll(std::move(messages), newName, oldName);
    }
    return messages;
  }

  const std::vector<LogEntry>& entries() const { return entries_; }

  // ptxas refused the better texts, and took those that the caller gave.  Throws Refusal.
  void refused() {
    const std::string reason = "ptxas refused the optimized text";
    std::string titles;
    for (LogEntry& entry : entries_) {
      if (entry.outcome != LogEntry::Outcome::Optimized) continue;
      entry.outcome = LogEntry::Outcome::Fallback;
      entry.reason = reason;
      entry.after = entry.before;
      titles += (titles.empty() ? "" : ", ") + titleOf(entry);
    }
    report(titles, reason);
  }

 private:
  void replaceStandardInput() {
    if (oldInput_.valid()) return;
    std::string text = readAll(STDIN_FILENO);
    oldInput_ = makeMemoryFile();
    writeAll(oldInput_.number(), text);
    Descriptor file = makeMemoryFile();
    if (!rewriteInto(file.number(), "standard input", std::move(text))) return;
    lseek(file.number(), 0, SEEK_SET);
    newInput_ = std::move(file);
    changed_ = true;
  }

  void replaceFile(std::string& word, std::size_t index) {
    std::optional<std::string> text = readFile(word);
    if (!text) return;  // ptxas says why
    Descriptor file = makeMemoryFile();
    if (!rewriteInto(file.number(), word, std::move(*text))) return;

    // The file name is kept, for tools that look at its ending; inputs with equal names stay
    // separate.
    if (!folder_) folder_.emplace();
    const fs::path place = folder_->path() / std::to_string(index);
    fs::create_directory(place);
    const std::string newName = (place / fs::path(word).filename()).string();
    lseek(file.number(), 0, SEEK_SET);
    writeFile(newName, readAll(file.number()));
    names_.emplace_back(word, newName);
    word = newName;
    changed_ = true;
  }

  // True if there is a better text, which then stands in the file.
  bool rewriteInto(int file, const std::string& name, std::string text) {
    if (!looksLikePtx(text)) return false;
    const Stopwatch watch;
    LogEntry& entry = entries_.emplace_back();
    entry.input = name;
    entry.source = sourceOf(text);
    RewriterAnswer answer = ask(file, name, std::move(text));
    entry.seconds = watch.seconds();
    if (SignalGuard::received() != 0) return false;
    if (answer.counts) std::tie(entry.before, entry.after) = *answer.counts;
    entry.kernels = std::move(answer.kernels);
    switch (answer.kind) {
      case Rewritten::Kind::Unchanged:
        return false;
      case Rewritten::Kind::Changed:
        if (dropIn_.reportsOnly) {
          entry.outcome = LogEntry::Outcome::LeftAlone;
          entry.reason = kReportVariable.name;
          return false;
        }
        entry.outcome = LogEntry::Outcome::Optimized;
        return true;
      case Rewritten::Kind::Failed:
        break;
    }
    entry.outcome = LogEntry::Outcome::Fallback;
    entry.reason = answer.reason;
    report(titleOf(entry), answer.reason);
    return false;
  }

  // Runs the rewriter in a process of its own, which writes the better text into the file.
  RewriterAnswer ask(int file, const std::string& name, std::string text) const {
    const Descriptor note = makeMemoryFile();
    const ExitStatus status = runInChild([&] {
      const Rewritten result = dropIn_.rewrite(name, std::move(text));
      if (result.kind == Rewritten::Kind::Changed) writeAll(file, result.text);
      writeAll(note.number(), serialized(result));
      return static_cast<int>(result.kind);
    });
    if (status.signal != 0) {
      return {Rewritten::Kind::Failed,
              fmt::format("the optimizer crashed with signal {}", status.signal),
              std::nullopt,
              {}};
    }
    lseek(note.number(), 0, SEEK_SET);
    return deserialized(static_cast<Rewritten::Kind>(status.code), readAll(note.number()));
  }

  static std::string titleOf(const LogEntry& entry) {
    return entry.source.empty() ? entry.input
                                : fmt::format("{} (of {})", entry.input, entry.source);
  }

  void report(const std::string& name, const std::string& reason) const {
    if (dropIn_.isStrict) throw Refusal(fmt::format("{}: {}", name, reason));
    warn(fmt::format("{}: assembled as it was: {}", name, reason));
  }

  PtxasCommand command_;
  const DropIn& dropIn_;
  std::vector<LogEntry> entries_;
  std::optional<TemporaryFolder> folder_;
  std::vector<std::pair<std::string, std::string>> names_;  // old, new
  Descriptor oldInput_;
  Descriptor newInput_;
  bool changed_ = false;
};

// The messages of a run of ptxas, kept until it is known whether the run counts.
class Captured {
 public:
  Captured() : out_(makeMemoryFile()) {
    if (!outputsAreOneFile()) err_ = makeMemoryFile();
  }

  Streams streams(int in) const {
    return {.in = in, .out = out_.number(), .err = err_.valid() ? err_.number() : out_.number()};
  }

  void show(const Replacement& replacement) const {
    show(out_, STDOUT_FILENO, replacement);
    if (err_.valid()) show(err_, STDERR_FILENO, replacement);
  }

 private:
  static void show(const Descriptor& from, int to, const Replacement& replacement) {
    lseek(from.number(), 0, SEEK_SET);
    const std::string messages = replacement.withOldNames(readAll(from.number()));
    try {
      writeAll(to, messages);
    } catch (const std::system_error&) {
      // No reader is left; ptxas ignores that too.
    }
  }

  Descriptor out_;
  Descriptor err_;  // not valid: the same as out_
};

[[noreturn]] void fail(const std::string& message, int status) {
  std::fprintf(stderr, "ptxopt-ptxas: error: %s\n", message.c_str());
  std::exit(status);
}

class Run {
 public:
  Run(const DropIn& dropIn, FoundPtxas ptxas, std::vector<std::string> arguments)
      : dropIn_(dropIn), ptxas_(std::move(ptxas)), arguments_(std::move(arguments)) {}

  ExitStatus answerVersion() const {
    const ExitStatus status = runAndAdd(dropIn_.versionLine + "\n");
    if (!status.success()) return status;
    // Triton shows what is said here, and hides what is said about a text.
    if (!dropIn_.flagsError.empty()) warn(dropIn_.flagsError);
    for (const std::string& problem : misspeltVariables()) warn(problem);
    if (const auto problem = anotherRelease()) warn(*problem);
    return status;
  }

  ExitStatus answerHelp() const { return runAndAdd(dropIn_.help); }

  // Nothing where there is nothing to do but to become ptxas.
  std::optional<ExitStatus> assemble(PtxasCommand command) const {
    if (dropIn_.isStrict && !dropIn_.flagsError.empty()) throw Refusal(dropIn_.flagsError);
    for (const std::string& problem : misspeltVariables()) {
      if (dropIn_.isStrict) throw Refusal(problem);
      warn(problem);
    }
    const SignalGuard guard;
    Replacement replacement(std::move(command), dropIn_);
    std::optional<ExitStatus> status;
    try {
      status = assembleOptimized(replacement);
      const bool mustRun = replacement.changed() || replacement.oldInput() >= 0;
      if (!status && mustRun && SignalGuard::received() == 0) {
        status = runProgram(ptxas_.path, arguments_, {.in = replacement.oldInput()});
        if (replacement.changed() && status->success()) replacement.refused();
      }
    } catch (const Refusal&) {
      log(replacement.entries());
      throw;
    }
    if (const int signal = SignalGuard::received()) return ExitStatus{.code = 0, .signal = signal};
    log(replacement.entries());
    return status;
  }

  void leaveAlone(const PtxasCommand& command) const {
    std::vector<LogEntry> entries;
    for (const std::size_t input : command.inputs) {
      LogEntry& entry = entries.emplace_back();
      entry.outcome = LogEntry::Outcome::LeftAlone;
      entry.input = command.words[input];
      entry.reason = command.reason;
    }
    if (!command.reason.empty()) log(entries);
  }

  [[noreturn]] void become() const {
    becomeProgram(ptxas_.path, arguments_);
    fail(ptxas_.path + ": " + std::strerror(errno), kNotStarted);
  }

 private:
  ExitStatus runAndAdd(const std::string& text) const {
    const ExitStatus status = runProgram(ptxas_.path, arguments_);
    if (status.success()) writeAll(STDOUT_FILENO, text);
    return status;
  }

  static std::vector<std::string> misspeltVariables() {
    std::vector<std::string> problems;
    for (const UnknownVariable& unknown : unknownVariables()) {
      if (!unknown.meant.empty()) problems.push_back(text(unknown));
    }
    return problems;
  }

  // What to say if the caller would have run a ptxas of its own that is of another release.
  std::optional<std::string> anotherRelease() const {
    if (ptxas_.from != kPtxasVariable.name) return ambiguityFor(dropIn_.calledAs, ptxas_.path);
    const std::optional<FoundPtxas> own = ptxasOfCaller(dropIn_.calledAs);
    const auto difference = own ? otherRelease(ptxas_.path, own->path) : std::nullopt;
    if (!difference) return std::nullopt;
    return fmt::format("{}={} {}", kPtxasVariable.name, ptxas_.path, difference->text);
  }

  void log(const std::vector<LogEntry>& entries) const {
    if (dropIn_.log.empty() || entries.empty()) return;
    try {
      appendToLog(dropIn_.log, entries, ptxas_.path, dropIn_.flags);
    } catch (const std::system_error& error) {
      const std::string message = fmt::format("PTXOPT_LOG: {}", error.what());
      if (dropIn_.isStrict) throw Refusal(message);
      warn(message);
    }
  }

  // Runs ptxas on the optimized texts.  Nothing where there are none or it refuses them.
  std::optional<ExitStatus> assembleOptimized(Replacement& replacement) const {
    try {
      replacement.make();
      if (SignalGuard::received() != 0 || !replacement.changed()) return std::nullopt;
      const Captured messages;
      const ExitStatus status = runProgram(ptxas_.path, replacement.words(),
                                           messages.streams(replacement.standardInput()));
      if (!status.success()) return std::nullopt;
      messages.show(replacement);
      return status;
    } catch (const Refusal&) {
      throw;
    } catch (const std::exception& error) {
      if (dropIn_.isStrict) throw Refusal(error.what());
      warn(std::string("assembled as it was: ") + error.what());
      return std::nullopt;
    }
  }

  const DropIn& dropIn_;
  FoundPtxas ptxas_;
  std::vector<std::string> arguments_;
};

// Throws std::runtime_error where there is none.
FoundPtxas ptxasFor(PtxasCommand::Kind kind, const std::string& named,
                    const std::string& calledAs) {
  try {
    return findPtxas(named, calledAs);
  } catch (const std::runtime_error& error) {
    // If this program gives no version, Triton silently runs its own ptxas.  If it gives one,
    // Triton has a text assembled, and shows why that fails.
    const auto own = kind == PtxasCommand::Kind::Version ? ptxasOfCaller(calledAs) : std::nullopt;
    if (!own) throw;
    warn(error.what());
    return *own;
  }
}

}  // namespace

void runPtxasDropIn(const DropIn& dropIn, std::vector<std::string> arguments) {
  try {
    const bool hadItsTurn = isCalledByItself();
    const std::string named = takeProgram(arguments);
    PtxasCommand command = parsePtxasCommand(arguments, readFile);
    const Run run(dropIn, ptxasFor(command.kind, named, dropIn.calledAs), std::move(arguments));
    if (hadItsTurn) run.become();
    switch (command.kind) {
      case PtxasCommand::Kind::PassThrough:
        run.leaveAlone(command);
        break;
      case PtxasCommand::Kind::Version:
        endLike(run.answerVersion());
      case PtxasCommand::Kind::Help:
        endLike(run.answerHelp());
      case PtxasCommand::Kind::Assemble:
        if (const auto status = run.assemble(std::move(command))) endLike(*status);
        break;
    }
    run.become();
  } catch (const Refusal& refusal) {
    fail(fmt::format("{} (PTXOPT_STRICT makes this an error)", refusal.what()), kRefused);
  } catch (const std::exception& error) {
    fail(error.what(), kNotStarted);
  }
}

}  // namespace ptxopt::ptxas
