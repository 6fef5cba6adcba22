// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ptxreduce: makes a PTX file smaller while a command still finds it interesting.
//
// Exit status: 0 there is a result, 1 bad input or an unusable command, 128 + n ended by signal n;
// then the output contains the result so far.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "driver/files.h"
#include "driver/ptxas_process.h"
#include "parse/parser.h"
#include "reduce/reducer.h"
#include "tools/ptxreduce_options.h"

namespace {

using namespace ptxopt;
using ptxreduce::Options;

constexpr int kGood = 0;
constexpr int kBadInput = 1;
constexpr int kNotStarted = 127;  // like in shells

struct BadInput {
  std::string message;
};

struct Interrupted {
  int signal;
};

std::shared_ptr<const SourceText> load(const std::string& path) {
  std::shared_ptr<const SourceText> source;
  try {
    source = driver::readSource(path);
  } catch (const driver::FileError& error) {
    throw BadInput{driver::inputName(path) + ": error: " + error.what()};
  }
  Diagnostics diagnostics;
  const auto module = parse::parse(source, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    std::cerr << format(diagnostic) << '\n';
  }
  if (module == nullptr) throw BadInput{source->name() + ": error: not understood as PTX"};
  return source;
}

// Runs the command on texts, which it receives as a file.
class Command {
 public:
  explicit Command(const Options& options) : options_(options) {
    path_ = (folder_.path() / "reduced.ptx").string();
    bool isNamed = false;
    for (std::string word : options.command) {
      for (std::size_t at = word.find("{}"); at != std::string::npos;
           at = word.find("{}", at + path_.size())) {
        word.replace(at, 2, path_);
        isNamed = true;
      }
      words_.push_back(std::move(word));
    }
    if (!isNamed) words_.push_back(path_);
    sink_ = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (sink_ < 0) throw std::system_error(errno, std::generic_category(), "/dev/null");
  }
  ~Command() { close(sink_); }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  ptxas::ExitStatus run(const std::string& text) {
    driver::writeFile(path_, text);
    const int out = options_.verbose ? STDERR_FILENO : sink_;
    const int err = options_.verbose ? STDERR_FILENO : sink_;
    const ptxas::ExitStatus status =
        ptxas::runInChild([&] { return become(); }, {.in = sink_, .out = out, .err = err});
    if (const int signal = ptxas::SignalGuard::received()) throw Interrupted{signal};
    return status;
  }

 private:
  int become() const {
    std::vector<char*> arguments;
    for (const std::string& word : words_) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    alarm(options_.seconds);  // remains in effect after exec
    execvp(arguments[0], arguments.data());
    return kNotStarted;
  }

  const Options& options_;
  ptxas::TemporaryFolder folder_;
  std::string path_;
  std::vector<std::string> words_;
  int sink_ = -1;
};

int run(const Options& options) {
  const auto source = load(options.input);
  std::string text(source->text());
  const ptxas::SignalGuard signals;
  Command command(options);

  const ptxas::ExitStatus first = command.run(text);
  if (!first.success()) {
    const std::string how = first.signal != 0 ? "ends by signal " + std::to_string(first.signal)
                                              : "exits " + std::to_string(first.code);
    const std::string hint =
        first.code == kNotStarted ? " (is '" + options.command[0] + "' a program?)" : "";
    throw BadInput{source->name() + ": error: the command " + how +
                   " on the input itself; it must exit 0" + hint};
  }
  reduce::Reducer reducer;
  reducer.isInteresting = [&](const std::string& candidate) {
    return command.run(candidate).success();
  };
  reducer.onProgress = [&](const std::string& smaller, std::string_view simplification) {
    driver::writeFile(options.output, smaller);
    if (!options.verbose) return;
    std::fprintf(stderr, "ptxreduce: %zu bytes: %.*s\n", smaller.size(),
                 static_cast<int>(simplification.size()), simplification.data());
  };
  driver::writeFile(options.output, text);
  const std::string result = reducer.run(text);
  std::fprintf(stderr, "%s: %zu bytes of %zu after %llu runs of the command\n",
               driver::outputName(options.output).c_str(), result.size(), text.size(),
               static_cast<unsigned long long>(reducer.attempts));
  return kGood;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app;
  ptxreduce::declareOptions(app, options);
  CLI11_PARSE(app, argc, argv);

  try {
    return run(options);
  } catch (const BadInput& problem) {
    std::cerr << problem.message << '\n';
  } catch (const Interrupted& interrupted) {
    ptxas::endLike({.code = 0, .signal = interrupted.signal});
  } catch (const driver::FileError& error) {
    std::cerr << driver::outputName(options.output) << ": error: " << error.what() << '\n';
  } catch (const std::exception& problem) {
    std::cerr << "ptxreduce: " << problem.what() << '\n';
  }
  return kBadInput;
}
