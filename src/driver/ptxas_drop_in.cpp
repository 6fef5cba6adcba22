// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ptxas_drop_in.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "driver/ptxas_command.h"
#include "driver/ptxas_process.h"

namespace ptxopt::ptxas {
namespace {

namespace fs = std::filesystem;

// The files that led to this process, as "device:inode device:inode".
constexpr const char* kVisitedVariable = "PTXOPT_PTXAS_VISITED";

constexpr int kNotStarted = 127;  // like in shells

void warn(const std::string& message) {
  std::fprintf(stderr, "ptxopt-ptxas: warning: %s\n", message.c_str());
}

std::optional<std::string> fileIdentity(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
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

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool isProgram(const std::string& path) {
  return access(path.c_str(), X_OK) == 0;
}

// Finds the ptxas to run, and marks it as visited in the environment.  `named` is a path, or empty.
// Throws std::runtime_error if there is none.
std::string findRealPtxas(const std::string& named) {
  std::string visited = environment(kVisitedVariable);
  if (const auto self = fileIdentity("/proc/self/exe")) visited += " " + *self;
  const auto isVisited = [&](const std::string& identity) {
    return (visited + " ").find(" " + identity + " ") != std::string::npos;
  };
  const auto take = [&](const std::string& path, const std::string& identity) {
    setenv(kVisitedVariable, (visited + " " + identity).c_str(), 1);
    return path;
  };

  const std::string variable = environment("PTXOPT_PTXAS");
  if (const std::string& path = variable.empty() ? named : variable; !path.empty()) {
    const std::string who = variable.empty() ? path : "PTXOPT_PTXAS=" + path;
    const auto identity = fileIdentity(path);
    if (!identity || !isProgram(path)) throw std::runtime_error(who + " is not a program");
    if (isVisited(*identity)) throw std::runtime_error(who + " leads back to ptxopt-ptxas");
    return take(path, *identity);
  }
  const std::string folders = environment("PATH");
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string folder = end == begin ? "." : folders.substr(begin, end - begin);
    const std::string candidate = folder + "/ptxas";
    begin = end + 1;
    const auto identity = fileIdentity(candidate);
    if (!identity || isVisited(*identity) || !isProgram(candidate)) continue;
    return take(candidate, *identity);
  }
  throw std::runtime_error(
      "no ptxas on PATH; install the CUDA toolkit's or name one in PTXOPT_PTXAS");
}

// Removes the program from the arguments of `ptxopt-ptxas /usr/local/cuda/bin/ptxas -arch=sm_90
// ...` and returns it.  Empty if none is named, or if it must be searched on PATH.
std::string takeProgram(std::vector<std::string>& arguments) {
  if (arguments.empty() || fs::path(arguments.front()).filename() != "ptxas") return {};
  const std::string named = arguments.front();
  arguments.erase(arguments.begin());
  return named.find('/') == std::string::npos ? std::string() : named;
}

// Changes the command line and the standard input so that they name the optimized texts.
class Replacement {
 public:
  explicit Replacement(PtxasCommand command) : command_(std::move(command)) {}

  bool changed() const { return changed_; }
  const std::vector<std::string>& words() const { return command_.words; }
  int standardInput() const { return newInput_.valid() ? newInput_.number() : oldInput(); }

  // The original standard input, rewound; -1 if it was not read.
  int oldInput() const {
    if (oldInput_.valid()) lseek(oldInput_.number(), 0, SEEK_SET);
    return oldInput_.number();
  }

  // Optimizes every input that is PTX text.
  void make(const TextRewriter& rewrite) {
    for (std::size_t i = 0; i < command_.inputs.size(); ++i) {
      if (SignalGuard::received() != 0) return;
      std::string& word = command_.words[command_.inputs[i]];
      if (isStandardInput(word)) {
        replaceStandardInput(rewrite);
      } else if (isRegularFile(word)) {
        replaceFile(word, i, rewrite);
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

  std::string oldNames() const {
    std::string list;
    for (const auto& [oldName, newName] : names_) list += (list.empty() ? "" : ", ") + oldName;
    if (newInput_.valid()) list += list.empty() ? "standard input" : ", standard input";
    return list;
  }

 private:
  void replaceStandardInput(const TextRewriter& rewrite) {
    if (oldInput_.valid()) return;
    std::string text = readAll(STDIN_FILENO);
    oldInput_ = makeMemoryFile();
    writeAll(oldInput_.number(), text);
    Descriptor file = makeMemoryFile();
    if (!rewriteInto(file.number(), "standard input", std::move(text), rewrite)) return;
    lseek(file.number(), 0, SEEK_SET);
    newInput_ = std::move(file);
    changed_ = true;
  }

  void replaceFile(std::string& word, std::size_t index, const TextRewriter& rewrite) {
    std::optional<std::string> text = readFile(word);
    if (!text) return;  // ptxas says why
    Descriptor file = makeMemoryFile();
    if (!rewriteInto(file.number(), word, std::move(*text), rewrite)) return;

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

  // True if the text was improved; then the new text is in the file.
  static bool rewriteInto(int file, const std::string& name, std::string text,
                          const TextRewriter& rewrite) {
    if (!looksLikePtx(text)) return false;
    enum Answer { kUnchanged, kChanged, kFailed };
    const ExitStatus status = runInChild([&] {
      const Rewritten result = rewrite(name, std::move(text));
      switch (result.kind) {
        case Rewritten::Kind::Unchanged:
          return kUnchanged;
        case Rewritten::Kind::Changed:
          writeAll(file, result.text);
          return kChanged;
        case Rewritten::Kind::Failed:
          break;
      }
      warn(name + ": assembled as it was: " + result.text);
      return kFailed;
    });
    if (status.signal != 0 && SignalGuard::received() == 0) {
      warn(name + ": assembled as it was: the optimizer crashed with signal " +
           std::to_string(status.signal));
    }
    return status.signal == 0 && status.code == kChanged;
  }

  PtxasCommand command_;
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

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "ptxopt-ptxas: error: %s\n", message.c_str());
  std::exit(kNotStarted);
}

class DropIn {
 public:
  DropIn(const TextRewriter& rewrite, std::string realPtxas, std::vector<std::string> arguments)
      : rewrite_(rewrite), realPtxas_(std::move(realPtxas)), arguments_(std::move(arguments)) {}

  ExitStatus answerVersion(const std::string& versionLine) const {
    const ExitStatus status = runProgram(realPtxas_, arguments_);
    if (status.success()) writeAll(STDOUT_FILENO, versionLine + "\n");
    return status;
  }

  // Nothing if this process should simply become ptxas.
  std::optional<ExitStatus> assemble(PtxasCommand command) const {
    const SignalGuard guard;
    Replacement replacement(std::move(command));
    std::optional<ExitStatus> status = assembleOptimized(replacement);
    const bool mustRun = replacement.changed() || replacement.oldInput() >= 0;
    if (!status && mustRun && SignalGuard::received() == 0) {
      status = runProgram(realPtxas_, arguments_, {.in = replacement.oldInput()});
      if (replacement.changed() && status->success()) {
        warn(replacement.oldNames() + ": assembled as it was: ptxas refused the optimized text");
      }
    }
    if (const int signal = SignalGuard::received()) return ExitStatus{.code = 0, .signal = signal};
    return status;
  }

  [[noreturn]] void become() const {
    becomeProgram(realPtxas_, arguments_);
    fail(realPtxas_ + ": " + std::strerror(errno));
  }

 private:
  // Runs ptxas on the optimized texts.  Nothing if there are none or ptxas rejects them.
  std::optional<ExitStatus> assembleOptimized(Replacement& replacement) const {
    try {
      replacement.make(rewrite_);
      if (SignalGuard::received() != 0 || !replacement.changed()) return std::nullopt;
      const Captured messages;
      const ExitStatus status = runProgram(realPtxas_, replacement.words(),
                                           messages.streams(replacement.standardInput()));
      if (!status.success()) return std::nullopt;
      messages.show(replacement);
      return status;
    } catch (const std::exception& error) {
      warn(std::string("assembled as it was: ") + error.what());
      return std::nullopt;
    }
  }

  const TextRewriter& rewrite_;
  std::string realPtxas_;
  std::vector<std::string> arguments_;
};

}  // namespace

void runPtxasDropIn(const TextRewriter& rewrite, const std::string& versionLine,
                    std::vector<std::string> arguments) {
  try {
    const std::string named = takeProgram(arguments);
    PtxasCommand command = parsePtxasCommand(arguments, readFile);
    const DropIn dropIn(rewrite, findRealPtxas(named), std::move(arguments));
    switch (command.kind) {
      case PtxasCommand::Kind::PassThrough:
        break;
      case PtxasCommand::Kind::Version:
        endLike(dropIn.answerVersion(versionLine));
      case PtxasCommand::Kind::Assemble:
        if (const auto status = dropIn.assemble(std::move(command))) endLike(*status);
        break;
    }
    dropIn.become();
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

}  // namespace ptxopt::ptxas
