// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ptxreduce: makes a PTX file smaller while a command still finds it interesting.
//
// Exit status: 0 there is a result, 1 bad input or an unusable command, 128 + n ended by signal n;
// then the output contains the result so far.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "driver/files.h"
#include "driver/parse_program_options.h"
#include "driver/ptxas_process.h"
#include "parse/parser.h"
#include "reduce/reducer.h"
#include "tools/program.h"
#include "tools/ptxreduce_finding.h"
#include "tools/ptxreduce_options.h"

namespace {

using namespace ptxopt;
using ptxreduce::Options;
using ptxreduce::PlacedFinding;

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

  ptxas::ExitStatus run(const std::string& text) const {
    const int out = options_.verbose ? STDERR_FILENO : sink_;
    return run(text, out, out);
  }

  ptxas::ProgramAnswer ask(const std::string& text) const {
    ptxas::ProgramAnswer answer = ptxas::answerOf(
        [&](const ptxas::Streams& streams) { return run(text, streams.out, streams.err); });
    if (options_.verbose) std::cerr << answer.err;
    return answer;
  }

  // The findings that the command prints for the text; nothing if it prints something else.
  std::optional<std::vector<PlacedFinding>> findings(const std::string& text) const {
    return ptxreduce::readFindings(ask(text).out);
  }

 private:
  ptxas::ExitStatus run(const std::string& text, int out, int err) const {
    driver::writeFile(path_, text);
    const ptxas::ExitStatus status =
        ptxas::runInChild([&] { return become(); }, {.in = sink_, .out = out, .err = err});
    if (const int signal = ptxas::SignalGuard::received()) throw Interrupted{signal};
    return status;
  }

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

// A hint for the user: that the command is no program, or the first line of its complaint.
std::string hintOf(const ptxas::ProgramAnswer& answer, const Options& options) {
  if (answer.status.code == kNotStarted) return " (is '" + options.command[0] + "' a program?)";
  if (answer.err.empty()) return "";
  return "; it says: " + answer.err.substr(0, answer.err.find('\n'));
}

// Throws if the command does not exit 0 on the input.
void checkInput(const Command& command, const Options& options, const SourceText& source) {
  const ptxas::ProgramAnswer answer = command.ask(std::string(source.text()));
  const ptxas::ExitStatus& status = answer.status;
  if (status.success()) return;
  const std::string how = status.signal != 0 ? "ends by signal " + std::to_string(status.signal)
                                             : "exits " + std::to_string(status.code);
  throw BadInput{source.name() + ": error: the command " + how +
                 " on the input itself; it must exit 0" + hintOf(answer, options)};
}

// The finding of the input that must stay.
PlacedFinding findingToKeep(const Command& command, const Options& options,
                            const SourceText& source) {
  const ptxas::ProgramAnswer answer = command.ask(std::string(source.text()));
  const auto findings = ptxreduce::readFindings(answer.out);
  if (!findings) {
    throw BadInput{source.name() +
                   ": error: the command does not print findings for the input as " +
                   "'ptxrun --json' does" + hintOf(answer, options)};
  }
  const auto found =
      std::find_if(findings->begin(), findings->end(), [&](const PlacedFinding& finding) {
        return finding.place.line != 0 &&
               (options.findingLine == 0 || finding.place.line == options.findingLine ||
                finding.other.line == options.findingLine);
      });
  if (found == findings->end()) {
    const std::string where =
        options.findingLine != 0 ? " at line " + std::to_string(options.findingLine) : "";
    throw BadInput{source.name() + ": error: the command has no finding" + where +
                   " for the input itself"};
  }
  return *found;
}

// The same finding after the text around it has changed.
bool hasFinding(const Command& command, const std::string& kind,
                const reduce::MarkedText& candidate) {
  const SourceText text("", candidate.text);
  PlacedFinding wanted{kind, text.lineColumn(candidate.marks[0]), {}};
  if (candidate.marks.size() > 1) wanted.other = text.lineColumn(candidate.marks[1]);
  const auto findings = command.findings(candidate.text);
  return findings && std::any_of(findings->begin(), findings->end(),
                                 [&](const auto& finding) { return isSame(finding, wanted); });
}

// The offset of a position that ptxrun named.
Offset offsetOf(std::string_view text, LineColumn place) {
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < place.line && at < text.size(); ++line) {
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  return static_cast<Offset>(std::min(at + place.column - 1, text.size()));
}

int run(const Options& options) {
  const auto source = load(options.input);
  reduce::MarkedText text{std::string(source->text()), {}};
  const ptxas::SignalGuard signals;
  const Command command(options);

  reduce::Reducer reducer;
  reducer.keep.lines = options.keepsLines;
  if (options.sameFinding || options.findingLine != 0) {
    const PlacedFinding finding = findingToKeep(command, options, *source);
    text.marks.push_back(offsetOf(text.text, finding.place));
    if (finding.other.line != 0) text.marks.push_back(offsetOf(text.text, finding.other));
    reducer.isInteresting = [&command, kind = finding.kind](const reduce::MarkedText& candidate) {
      return hasFinding(command, kind, candidate);
    };
  } else {
    checkInput(command, options, *source);
    reducer.isInteresting = [&](const reduce::MarkedText& candidate) {
      return command.run(candidate.text).success();
    };
  }
  reducer.onProgress = [&](const std::string& smaller, std::string_view simplification) {
    driver::writeFile(options.output, smaller);
    if (!options.verbose) return;
    std::fprintf(stderr, "ptxreduce: %zu bytes: %.*s\n", smaller.size(),
                 static_cast<int>(simplification.size()), simplification.data());
  };
  driver::writeFile(options.output, text.text);
  const std::string result = reducer.run(text);
  std::fprintf(stderr, "%s: %zu bytes of %zu after %llu runs of the command\n",
               driver::outputName(options.output).c_str(), result.size(), text.text.size(),
               static_cast<unsigned long long>(reducer.attempts));
  return kGood;
}

}  // namespace

PTXOPT_MAIN(ptxreduce)(int argc, char** argv) {
  driver::fillStandardStreams();
  Options options;
  CLI::App app;
  ptxreduce::declareOptions(app, options);
  if (const auto status = driver::parseProgramOptions(app, argc, argv)) return *status;

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
