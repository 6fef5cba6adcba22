// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "analysis/launch/assumptions.h"
#include "driver/declared_options.h"
#include "driver/files.h"
#include "driver/launch_file.h"
#include "driver/program.h"
#include "passes/registry.h"
#include "support/diagnostics.h"
#include "support/version.h"

namespace ptxopt::driver {

namespace {

constexpr std::string_view kAllPasses = "all";

// Writes to a standard stream; a full disk is a failure.
ExitStatus say(const char* stream, const std::string& text, ExitStatus status) {
  try {
    writeFile(stream, text);
    return status;
  } catch (const FileError&) {
    return kFailure;
  }
}

ExitStatus complain(const std::string& message) {
  return say("/dev/stderr",
             "ptxopt: error: " + message + "\nTry 'ptxopt --help' for more information.\n",
             kFailure);
}

// An error in a file that an option names: "FILE:LINE:COLUMN: error: ...".
class MalformedFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A list on lines of at most 100 characters, broken after commas.  The first line is to be printed
// at column `indent`; the others are indented to it.
std::string wrapped(const std::string& list, std::size_t indent) {
  constexpr std::size_t kMost = 100;
  std::string text;
  std::size_t column = indent;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size() - 1) + 1;
    if (column + end - at > kMost) {
      text += '\n' + std::string(indent, ' ');
      column = indent;
      at = list.find_first_not_of(' ', at);
    }
    text.append(list, at, end - at);
    column += end - at;
    at = end;
  }
  return text;
}

std::string passList() {
  std::size_t width = 0;
  for (const passes::PassInfo* pass : passes::allPasses()) {
    width = std::max(width, pass->name.size());
  }
  std::ostringstream text;
  for (const passes::PassInfo* pass : passes::allPasses()) {
    text << std::left << std::setw(static_cast<int>(width) + 2) << pass->name << pass->description
         << '\n';
    std::string options;
    for (const passes::PassOption& option : pass->options) {
      options += (options.empty() ? "options: " : ", ") + passes::summary(option);
    }
    const std::size_t indent = width + 2;
    if (!options.empty()) text << std::string(indent, ' ') << wrapped(options, indent) << '\n';
    std::istringstream note{std::string(pass->note)};
    for (std::string line; std::getline(note, line);) {
      text << std::string(indent, ' ') << line << '\n';
    }
  }
  for (int level = 0; level <= 3; ++level) {
    const std::string pipeline = passes::pipelineOfLevel(level);
    text << "-O" << level << ": " << (pipeline.empty() ? "nothing" : wrapped(pipeline, 5)) << '\n';
  }
  return text.str();
}

// CLI11 takes the next argument as the value of "--name="; the empty one is meant.  In the order
// that CLI::App::parse wants: the last one first.
std::vector<std::string> reversedArguments(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  bool isOption = true;
  for (int k = 1; k < argc; ++k) {
    std::string argument = argv[k];
    isOption = isOption && argument != "--";
    const bool isEmptyValue =
        isOption && argument.starts_with("--") && argument.find('=') == argument.size() - 1;
    if (isEmptyValue) argument.pop_back();
    arguments.push_back(std::move(argument));
    if (isEmptyValue) arguments.emplace_back();
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

void requirePass(const std::string& name, const char* option) {
  if (passes::findPass(name) != nullptr) return;
  throw std::invalid_argument(std::string(option) + ": there is no pass '" + name +
                              "'; see --list-passes");
}

bool isSameFile(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return a == b || std::filesystem::equivalent(a, b, ignored);
}

// A report must not overwrite an input or the result.  Devices and pipes have no contents to lose.
void requireReportsOfTheirOwn(const Options& options) {
  const std::array<std::pair<const char*, const std::string&>, 6> reports = {{
      {"--remarks", options.remarks},
      {"--facts", options.facts},
      {"--sarif", options.sarif},
      {"--opt-record", options.optRecord},
      {"--dot-cfg", options.dotCfg},
      {"--html", options.html},
  }};
  for (auto report = reports.begin(); report != reports.end(); ++report) {
    const auto& [name, path] = *report;
    std::error_code ignored;
    const bool holdsNothing =
        path.empty() || path == kStandardStream || std::filesystem::is_other(path, ignored);
    if (holdsNothing) continue;
    const bool isInput =
        std::ranges::any_of(options.inputs, [&](const auto& in) { return isSameFile(in, path); });
    if (isInput || isSameFile(options.output, path)) {
      throw std::invalid_argument("'" + path +
                                  "' is an input or the output: a report would overwrite it");
    }
    const auto same = std::find_if(std::next(report), reports.end(),
                                   [&](const auto& other) { return other.second == path; });
    if (same == reports.end() || isFolder(path)) continue;
    throw std::invalid_argument(fmt::format("{} and {} name the same file", name, same->first));
  }
}

// Rejects two inputs whose results would go to the same file of a folder.
void requireDistinctNames(const char* option, const std::vector<std::string>& inputs) {
  std::map<std::string, const std::string*> byName;
  for (const std::string& input : inputs) {
    const auto [other, isNew] = byName.emplace(outputBaseName(input), &input);
    if (isNew) continue;
    throw std::invalid_argument(std::string(option) + ": '" + *other->second + "' and '" + input +
                                "' would both become '" + other->first + "'");
  }
}

// Adds the option to the passes of the pipeline that have it.
void keepBarriers(std::vector<passes::PipelineStep>& pipeline,
                  const std::vector<std::string>& kept) {
  if (kept.empty()) return;
  std::string text;
  for (const std::string& entry : kept) text += (text.empty() ? "" : ";") + entry;
  for (passes::PipelineStep& step : pipeline) {
    const auto* keep = step.pass->optionFor(passes::PassOption::Shared::KeptBarriers);
    if (keep == nullptr) continue;
    std::string& option = step.options[std::string(keep->name)];
    option += (option.empty() ? "" : ";") + text;
    std::string error;
    if (step.pass->create(step.options, error) == nullptr) {
      throw std::invalid_argument("--keep-barriers: " + error);
    }
  }
}

// The names in the file, separated by blanks, without comments from # to the end of a line.
std::vector<std::string> readNames(const std::string& path) {
  std::vector<std::string> names;
  try {
    std::istringstream lines{std::string(readSource(path)->text())};
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line.substr(0, line.find('#')));
      for (std::string word; words >> word;) names.push_back(word);
    }
  } catch (const FileError& error) {
    throw std::invalid_argument("--host-symbols: " + path + ": " + error.what());
  }
  return names;
}

// Only both options together say who uses a variable: docs/soundness/ D5.12.
void setWholeProgram(Options& options, const RawOptions& raw) {
  if (options.wholeProgram != !raw.hostSymbols.empty()) {
    throw std::invalid_argument(
        "--whole-program needs --host-symbols=FILE and vice versa (an empty file: the host uses "
        "no variables)");
  }
  if (options.wholeProgram) addHostSymbols(options.pipeline, readNames(raw.hostSymbols));
  // A pipeline in words may say it as well.
  options.wholeProgram = hasHostSymbols(options.pipeline);
}

void configurePasses(Options& options, const RawOptions& raw) {
  std::vector<passes::PipelineStep>& pipeline = options.pipeline;
  for (const auto& [pass, run] : raw.runFlags) {
    const auto isPass = [&pass = pass](const passes::PipelineStep& step) {
      return step.pass == pass;
    };
    if (run == 0) {
      std::erase_if(pipeline, isPass);
    } else if (pipeline.empty() || !isPass(pipeline.back())) {
      pipeline.push_back({pass, {}});
    }
  }
  for (passes::PipelineStep& step : pipeline) {
    const auto given = raw.passOptions.find(step.pass);
    if (given == raw.passOptions.end()) continue;
    for (const auto& [name, value] : given->second) step.options.insert_or_assign(name, value);
  }
  for (const auto& [pass, given] : raw.passOptions) {
    const auto isAsked = [&given = given](const passes::PassOption& option) {
      return option.printsReports && given.contains(option.name);
    };
    if (std::ranges::any_of(pass->options, isAsked)) options.reportingPasses.push_back(pass->name);
  }
}

// Reads lines of assumptions.
void addAssumptions(Options& options, const SourceText& source) {
  options.assumptionText += source.text();
  if (const auto error = options.assumptions.parse(source.text())) {
    Diagnostics diagnostics;
    diagnostics.report(Severity::Error, source, error->offset, error->message);
    throw MalformedFile(format(diagnostics.all().front()));
  }
}

// Throws std::invalid_argument with a message for the user.
void setLaunches(Options& options, const RawOptions& raw) {
  if (options.launches.isDispatched && !options.launches.isEnforced) {
    throw std::invalid_argument("--dispatch needs --enforce");
  }
  if (raw.launchFile.empty()) {
    if (options.launches.isEnforced) throw std::invalid_argument("--enforce needs --launch=FILE");
    return;
  }
  try {
    const auto source = readSource(raw.launchFile);
    if (isInLines(source->text())) {
      if (options.launches.isEnforced) {
        throw std::invalid_argument("--enforce: lines of assumptions cannot be tested, only JSON");
      }
      return addAssumptions(options, *source);
    }
    try {
      options.launches.kernels = parseLaunchFacts(source->text());
      options.assumptionText += source->text();
    } catch (const LaunchFileError& error) {
      Diagnostics diagnostics;
      diagnostics.report(Severity::Error, *source, error.offset, error.what());
      throw MalformedFile(format(diagnostics.all().front()));
    }
  } catch (const FileError& error) {
    throw std::invalid_argument(inputName(raw.launchFile) + ": " + error.what());
  }
}

// Throws std::invalid_argument with a message for the user.
void setAssumptions(Options& options, const RawOptions& raw) {
  const auto add = [&](std::string_view kernel, std::string_view word) {
    if (const auto message = options.assumptions.add(kernel, word)) {
      throw std::invalid_argument(*message);
    }
  };
  if (!raw.assume.empty()) add("", "assume=" + raw.assume);
  for (const auto& [name, isGiven] : raw.assumptions) {
    if (isGiven) add("", name);
  }
  for (const std::string& entry : raw.blockDims) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw std::invalid_argument("--block-dim: '" + entry + "' is not KERNEL=X,Y,Z");
    }
    add(entry.substr(0, equals), "block-dim" + entry.substr(equals));
    options.namedKernels.push_back(entry.substr(0, equals));
  }
  options.namedKernels.insert(options.namedKernels.end(), options.keptKernels.begin(),
                              options.keptKernels.end());
  if (raw.assumptionFile.empty()) return;
  try {
    addAssumptions(options, *readSource(raw.assumptionFile));
  } catch (const FileError& error) {
    throw std::invalid_argument(inputName(raw.assumptionFile) + ": " + error.what());
  }
}

std::string pipelineText(const Options& options, const RawOptions& raw) {
  if (raw.passes) return *raw.passes;
  if (raw.level) return passes::pipelineOfLevel(*raw.level);
  if (!raw.needs.empty() || options.kernelHash) return passes::pipelineOfLevel(0);  // as it is
  // These options are questions about barriers; the other passes of a level would only add
  // noise.
  if (options.explainAllSync) return passes::pipelineAboutSynchronization();
  const bool isQuestion = options.check || options.explainBarriers;
  return isQuestion ? passes::pipelineAboutBarriers()
                    : passes::pipelineOfLevel(passes::kDefaultLevel);
}

void setRetarget(Options& options, const RawOptions& raw) {
  if (raw.retarget.empty()) {
    if (raw.lenientRetarget) throw std::invalid_argument("--for-lenient needs --for");
    return;
  }
  if (!raw.needs.empty()) throw std::invalid_argument("--for and --needs exclude each other");
  try {
    options.retarget = passes::parseRetargetRequest(raw.retarget);
    options.retarget.isLenient = raw.lenientRetarget;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(std::string("--for: ") + error.what());
  }
}

ReportFormat reportFormat(std::string_view word) {
  if (word.empty()) return ReportFormat::None;
  return word == "json" ? ReportFormat::Json : ReportFormat::Text;
}

// Throws std::invalid_argument with a message for the user, or MalformedFile with a complete
// message.
void complete(Options& options, const RawOptions& raw) {
  options.verbosity = raw.quiet ? -1 : int{raw.verbose};
  options.warnInput = raw.level == 0 && !raw.passes;
  options.explainBarriers |= options.explainAllSync;
  options.pipeline = passes::parsePipeline(pipelineText(options, raw));
  keepBarriers(options.pipeline, raw.keepBarriers);
  for (const std::string& entry : raw.keepBarriers) {
    const std::size_t colon = entry.find(':');
    options.namedKernels.push_back(entry.substr(0, colon));
    if (colon != std::string::npos) options.namedBarriers.push_back(entry);
  }
  setRetarget(options, raw);
  setWholeProgram(options, raw);
  setAssumptions(options, raw);
  setLaunches(options, raw);
  configurePasses(options, raw);
  if (raw.changeLimit >= 0) options.changeLimit = static_cast<std::uint64_t>(raw.changeLimit);
  options.statistics = reportFormat(raw.statistics);
  options.needs = reportFormat(raw.needs);
  for (const std::string& name : options.disabledPasses) requirePass(name, "--disable-pass");
  for (const std::string& name : options.printAfter) {
    if (name != kAllPasses) requirePass(name, "--print-after");
  }

  if (options.inputs.empty()) throw std::invalid_argument("no input file");
  const auto streams = std::count(options.inputs.begin(), options.inputs.end(), kStandardStream);
  if (streams > 1) throw std::invalid_argument("standard input (-) can be read only once");

  const bool toFile = !options.output.empty();
  const bool toFolder = !options.outputDir.empty();
  if (toFile && toFolder) throw std::invalid_argument("-o and --output-dir exclude each other");
  if (options.check && (toFile || toFolder)) {
    throw std::invalid_argument("--check writes nothing: no -o or --output-dir with it");
  }
  if (!options.explainBarriers && (!options.explainedKernels.empty() || options.inlineChains)) {
    throw std::invalid_argument(fmt::format("{} needs --explain-barriers",
                                            options.inlineChains ? "--inline-chains" : "--kernel"));
  }
  if (options.needsByKernel && options.needs == ReportFormat::None) {
    throw std::invalid_argument("--by-kernel needs --needs");
  }
  if (toFolder) requireDistinctNames("--output-dir", options.inputs);
  if (isFolder(options.dotCfg)) requireDistinctNames("--dot-cfg", options.inputs);
  if (isFolder(options.html)) {
    requireDistinctNames("--html", options.inputs);
  } else if (!options.html.empty() && options.inputs.size() > 1) {
    throw std::invalid_argument("--html: a page is about one input; a folder may have several");
  }
  if (options.inputs.size() > 1) {
    if (toFile) throw std::invalid_argument("several inputs need --output-dir instead of -o");
    if (!options.facts.empty()) {
      throw std::invalid_argument("--facts is about one input: run ptxopt once for each");
    }
    if (!toFolder && !options.reportsInstead()) {
      throw std::invalid_argument(
          "several inputs need --output-dir, --check, --diff, --explain-barriers, --needs or "
          "--kernel-hash");
    }
  }
  if (!toFile && !toFolder && !options.reportsInstead()) {
    options.output = kStandardStream;
  }

  const bool resultToStandard = options.output == kStandardStream;
  const int users = int{resultToStandard} + int{options.diff} + int{options.explainBarriers} +
                    int{options.needs != ReportFormat::None} + int{options.kernelHash} +
                    int{options.remarks == kStandardStream} +
                    int{options.facts == kStandardStream} + int{options.html == kStandardStream};
  if (users > 1) {
    throw std::invalid_argument(
        "only one of the result, --diff, --explain-barriers, --needs, --kernel-hash, --remarks=-, "
        "--facts=- and --html=- can go to standard output");
  }
  requireReportsOfTheirOwn(options);
}

}  // namespace

ExitStatus worse(ExitStatus a, ExitStatus b) {
  for (const ExitStatus status : {kInternalFault, kFailure, kDiffers}) {
    if (a == status || b == status) return status;
  }
  return kSuccess;
}

void describeCommandLine(const std::function<void(CLI::App&)>& look) {
  CLI::App app;
  Options options;
  RawOptions raw;
  declareOptions(app, options, raw);
  look(app);
}

std::optional<ExitStatus> parseCommandLine(int argc, const char* const* argv, Options& options) {
  CLI::App app;
  RawOptions raw;
  declareOptions(app, options, raw);
  try {
    app.parse(reversedArguments(argc, argv));
    if (raw.listPasses) return say("/dev/stdout", passList(), kSuccess);
    complete(options, raw);
  } catch (const CLI::Success& request) {
    std::ostringstream text;
    app.exit(request, text, text);
    return say("/dev/stdout", text.str(), kSuccess);
  } catch (const CLI::ParseError& error) {
    return complain(error.what());
  } catch (const std::invalid_argument& error) {
    return complain(error.what());
  } catch (const MalformedFile& error) {
    return say("/dev/stderr", std::string(error.what()) + '\n', kFailure);
  }
  return std::nullopt;
}

std::optional<std::string> parseFlags(const std::vector<std::string>& words, Options& options) {
  CLI::App app;
  RawOptions raw;
  declareOptions(app, options, raw);
  std::vector<const char*> arguments = {"ptxopt"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  arguments.push_back("-");
  try {
    app.parse(reversedArguments(static_cast<int>(arguments.size()), arguments.data()));
    for (const CLI::Option* option : app.get_options()) {
      if (option->count() == 0 || isFlagOfAStandIn(*option)) continue;
      return fmt::format("{} has no meaning here", option->get_name());
    }
    if (options.inputs.size() > 1) {
      return fmt::format("'{}' is no option", options.inputs.front());
    }
    if (options.remarks == kStandardStream) return "--remarks needs a file here";
    complete(options, raw);
  } catch (const CLI::Success&) {
    return "--help and --version have no meaning here";
  } catch (const CLI::ParseError& error) {
    return error.what();
  } catch (const std::invalid_argument& error) {
    return error.what();
  } catch (const MalformedFile& error) {
    return error.what();
  }
  return std::nullopt;
}

}  // namespace ptxopt::driver
