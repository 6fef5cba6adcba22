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
#include "driver/files.h"
#include "driver/program.h"
#include "passes/registry.h"
#include "support/diagnostics.h"
#include "support/version.h"

namespace ptxopt::driver {

namespace {

constexpr std::string_view kAllPasses = "all";

// Groups of options in --help.
constexpr std::string_view kOptimization = "Optimization";
constexpr std::string_view kAssumptions = "Assumptions (all off by default)";
constexpr std::string_view kPassOptions = "Options of the pass";

constexpr const char* kDescription =
    "Optimizes PTX: removes redundant work, and leaves every other byte unchanged.";

constexpr const char* kFooter =
    R"(Code that no pass changes keeps its bytes, including comments. Code that ptxopt does not know
is left unchanged, with a warning.

Examples:
  ptxopt kernel.ptx -o kernel.opt.ptx           optimize at the default level
  ptxopt --diff kernel.ptx                      show only what would change
  nvcc -ptx k.cu -o - | ptxopt - | ptxas - ...  in a pipe
  ptxopt *.ptx --output-dir=opt -j8             many files at once
  ptxopt --check *.ptx                          for CI: status 2 if a result would differ
  ptxopt k.ptx -o /dev/null --remarks=-         changes made and missed, as JSON lines
  ptxopt k.ptx -o /dev/null --facts=k.facts     claims, for ptxrun --check-facts=k.facts
  ptxopt --explain-barriers k.ptx               what each barrier is for
  ptxopt k.ptx --passes='basic-dbe' --stats     one pass, with its counters

Exit status:
  0   success
  1   a file could not be read, parsed or written, or the command line is wrong
  2   --check: the output would differ from the input
  70  an internal error of ptxopt; please report it with the input
With several inputs, one bad file does not stop the others, and the status is the worst one. With
--whole-program all results are written, or none.)";

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
      options += (options.empty() ? "options: " : ", ") + passes::spelling(option);
    }
    if (!options.empty()) text << std::string(width + 2, ' ') << options << '\n';
    std::istringstream note{std::string(pass->note)};
    for (std::string line; std::getline(note, line);) {
      text << std::string(width + 2, ' ') << line << '\n';
    }
  }
  for (int level = 0; level <= 3; ++level) {
    const std::string pipeline = passes::pipelineOfLevel(level);
    text << "-O" << level << ": " << (pipeline.empty() ? "nothing" : pipeline) << '\n';
  }
  return text.str();
}

// Options that are translated before the rest of the tool sees them.
struct RawOptions {
  int level = 2;
  std::optional<std::string> passes;
  std::int64_t changeLimit = -1;
  std::string statistics;
  std::vector<std::string> keepBarriers;
  std::string hostSymbols;
  std::string assume;
  std::map<std::string, bool> assumptions;  // by the name of the flag
  std::vector<std::string> blockDims;
  std::string assumptionFile;
  std::optional<int> doCssa;
  // From flags of passes: options to add to the pipeline.
  std::map<const passes::PassInfo*, passes::PassOptions> passOptions;
  bool listPasses = false;
  bool quiet = false;
  bool verbose = false;
};

// Often the result of an unset variable in a shell script.
std::string refuseEmpty(const std::string& text) {
  return text.empty() ? "the name is empty" : "";
}

// Declares the options of the pass that have a flag.
void addPassFlags(CLI::App& app, RawOptions& raw, const passes::PassInfo& pass) {
  using Kind = passes::PassOption::Kind;
  for (const passes::PassOption& option : pass.options) {
    if (option.flag.empty()) continue;
    app.option_defaults()->group(fmt::format("{} {}", kPassOptions, pass.name));
    const std::string flag = fmt::format("--{}", option.flag);
    const auto set = [&raw, &pass, name = std::string(option.name)](const std::string& value) {
      raw.passOptions[&pass].insert_or_assign(name, value);
    };
    if (option.kind == Kind::Flag) {
      app.add_flag_callback(
          flag, [set] { set(""); }, std::string(option.help));
      continue;
    }
    const std::string spelling = passes::spelling(option);
    app.add_option_function<std::uint64_t>(
           flag, [set](std::uint64_t value) { set(std::to_string(value)); },
           std::string(option.help))
        ->type_name(spelling.substr(spelling.find('=') + 1))
        ->check(CLI::Range(option.least, option.most).description(""));
  }
}

void declareOptions(CLI::App& app, Options& options, RawOptions& raw) {
  app.name("ptxopt");
  app.description(kDescription);
  app.footer(kFooter);
  // Like in compilers: the last of two contradicting options wins.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);

  app.add_option("IN", options.inputs, "PTX files; - is standard input")
      ->type_name("")
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  app.option_defaults()->group("Input and output");
  app.add_option("-o", options.output, "Output file; - is standard output (the default)")
      ->type_name("FILE")
      ->check(refuseEmpty);
  app.add_option("--output-dir", options.outputDir,
                 "Output folder; the results have the names of the inputs")
      ->type_name("DIR")
      ->check(refuseEmpty);
  app.add_flag("--check", options.check,
               "Write nothing; print what would change as warnings, and exit with 2\n"
               "if a result would differ");
  app.add_flag("--diff", options.diff,
               "Print a unified diff to standard output instead of the result");
  app.add_option("-j,--jobs", options.threads, "Threads; 0 (default): as many as are useful")
      ->type_name("N");

  app.option_defaults()->group(std::string(kOptimization));
  app.add_option("-O", raw.level, "Level: 0 changes nothing, 2 is the default, 3 does most")
      ->type_name("0..3")
      ->check(CLI::Range(0, 3).description(""));
  app.add_option("--passes", raw.passes,
                 "Run these passes instead of a level: a,b<option,key=value>,c")
      ->type_name("PASS,...");
  app.add_option("--disable-pass", options.disabledPasses, "Skip a pass (repeatable)")
      ->type_name("PASS")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_option("--opt-bisect-limit", raw.changeLimit,
                 "Stop after the N-th change of each file; -1: never")
      ->type_name("N")
      ->check(
          CLI::Range(std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()).description(""));

  app.add_option("--do-cssa", raw.doCssa, "1: run the pass cssa last; 0: do not run it")
      ->type_name("0|1")
      ->check(CLI::Range(0, 1).description(""));

  app.add_option(
         "--keep-barriers", raw.keepBarriers,
         "Keep the barriers of a kernel, or the barrier on one line of the\nPTX (repeatable)")
      ->type_name("KERNEL[:LINE]")
      ->check(refuseEmpty)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);

  app.add_option("--keep-kernel", options.keptKernels, "Leave a kernel unchanged (repeatable)")
      ->type_name("KERNEL")
      ->check(refuseEmpty)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);

  app.add_flag("--whole-program", options.wholeProgram,
               "The inputs together are one program, and no other module refers to\n"
               "them: runs global-opt; needs --host-symbols");
  app.add_option("--host-symbols", raw.hostSymbols,
                 "The variables that the host uses by name, one on each line; may be\n"
                 "empty; needs --whole-program")
      ->type_name("FILE")
      ->check(refuseEmpty);

  app.option_defaults()->group(std::string(kAssumptions));
  app.add_option("--assume", raw.assume,
                 "cuda: what CUDA C++ guarantees: --assume-drf and --trust-aligned")
      ->type_name("cuda")
      ->check(CLI::IsMember({"cuda"}).description(""));
  const auto addFlag = [&](std::string_view name, std::string_view help) {
    app.add_flag(fmt::format("--{}", name), raw.assumptions[std::string(name)], std::string(help));
  };
  for (const analysis::AssumptionInfo& info : analysis::kAssumptions) {
    if (info.assumption != analysis::Assumption::BlockDim) {
      addFlag(info.name, info.help);
      continue;
    }
    app.add_option(fmt::format("--{}", info.name), raw.blockDims, std::string(info.help))
        ->type_name("KERNEL=X,Y,Z")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  }
  addFlag(analysis::kFlatShared, analysis::kFlatSharedHelp);
  app.add_option("--assumptions", raw.assumptionFile,
                 "Assumptions by kernel: lines 'KERNEL: WORD ...', * for all kernels;\n"
                 "words are the options above without their dashes")
      ->type_name("FILE")
      ->check(refuseEmpty);

  for (const passes::PassInfo* pass : passes::allPasses()) addPassFlags(app, raw, *pass);

  app.option_defaults()->group("Reports");
  app.add_option("--remarks", options.remarks,
                 "Write the changes that passes made or missed, as JSON lines")
      ->type_name("FILE")
      ->check(refuseEmpty);
  app.add_option("--facts", options.facts,
                 "Write the claims of analyses and passes about the input, as JSON\n"
                 "lines, for ptxrun --check-facts; one input only")
      ->type_name("FILE")
      ->check(refuseEmpty);
  app.add_flag("--print-dead-sync-elim", options.printDeadSync,
               "Print each removed barrier to standard error");
  app.add_flag("--explain-barriers", options.explainBarriers,
               "Print all barriers to standard output instead of the result: what\n"
               "happened to each, why, and which options would remove it");
  app.add_option("--kernel", options.explainedKernels,
                 "With --explain-barriers: only this kernel or function, by its name in\n"
                 "PTX or C++ (repeatable)")
      ->type_name("NAME")
      ->check(refuseEmpty)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_flag("--inline-chains", options.inlineChains,
               "With --explain-barriers: of inlined code also the places between the\n"
               "barrier and the line that you wrote");
  app.add_flag("--stats{text}", raw.statistics,
               "Print counts to standard error; --stats=json for programs")
      ->check(CLI::IsMember({"text", "json"}).description("").name("text|json"));
  app.add_flag("--time-passes", options.timePasses,
               "Print the time of each pass to standard error");
  app.add_option("--dot-cfg", options.dotCfg,
                 "Write the control-flow graphs of the result, with the regions\n"
                 "between barriers, for Graphviz: one file for each function in a\n"
                 "folder, or all in one file")
      ->type_name("DIR|FILE")
      ->check(refuseEmpty);

  app.option_defaults()->group("Checks and debugging");
  app.add_flag("--verify", options.verify, "Reject input that is not well-formed");
  app.add_flag("--verify-each", options.verifyEach,
               "Verify after every pass, and parse the result again");
  app.add_flag("--dump-before-cssa", options.dumpBeforeCssa,
               "Print the module to standard error before the pass cssa");
  app.add_flag("--reprint", options.reprint, "Print the whole text from the IR; loses comments");
  app.add_option("--print-after", options.printAfter,
                 "Print the module to standard error after a pass (repeatable)")
      ->type_name("PASS|all")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);

  const std::vector<std::pair<std::string, ColorMode>> colorModes = {
      {"auto", ColorMode::Auto}, {"always", ColorMode::Always}, {"never", ColorMode::Never}};
  app.option_defaults()->group("General");
  app.add_flag("--list-passes", raw.listPasses, "List the passes, and those of each level");
  app.add_option("--color", options.color, "Colours; auto: on a terminal")
      ->type_name("auto|always|never")
      ->transform(CLI::CheckedTransformer(colorModes).description(""));
  app.add_flag("-q,--quiet", raw.quiet, "Print only errors");
  app.add_flag("-v,--verbose", raw.verbose, "Report what happens to each file");
  app.set_help_flag("-h,--help", "Print this text")->group("General");
  app.set_version_flag("--version", fmt::format("ptxopt {}", version()), "Print the version")
      ->group("General");
}

// One that says what to do to a text, and not which texts or what to print of it.
bool isFlagOfAStandIn(const CLI::Option& option) {
  constexpr std::array kOthers = {"IN",       "--jobs",        "--remarks",
                                  "--verify", "--verify-each", "--reprint"};
  constexpr std::array kOfPrograms = {"--whole-program", "--host-symbols"};
  const std::string name = option.get_name();
  if (std::ranges::find(kOfPrograms, name) != kOfPrograms.end()) return false;
  const std::string& group = option.get_group();
  return group == kOptimization || group == kAssumptions || group.starts_with(kPassOptions) ||
         std::ranges::find(kOthers, name) != kOthers.end();
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
  for (const std::string& report : {options.remarks, options.facts, options.dotCfg}) {
    std::error_code ignored;
    const bool holdsNothing =
        report.empty() || report == kStandardStream || std::filesystem::is_other(report, ignored);
    if (holdsNothing) continue;
    const bool isInput = std::any_of(options.inputs.begin(), options.inputs.end(),
                                     [&](const std::string& in) { return isSameFile(in, report); });
    if (isInput || isSameFile(options.output, report)) {
      throw std::invalid_argument("'" + report +
                                  "' is an input or the output: a report would overwrite it");
    }
  }
  const auto requireTwo = [](const std::string& a, const std::string& b, const char* names) {
    if (a.empty() || a == kStandardStream || a != b) return;
    throw std::invalid_argument(std::string(names) + " name the same file");
  };
  requireTwo(options.remarks, options.dotCfg, "--remarks and --dot-cfg");
  requireTwo(options.remarks, options.facts, "--remarks and --facts");
  requireTwo(options.facts, options.dotCfg, "--facts and --dot-cfg");
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
constexpr std::string_view kKeep = "keep";
void keepBarriers(std::vector<passes::PipelineStep>& pipeline,
                  const std::vector<std::string>& kept) {
  if (kept.empty()) return;
  std::string text;
  for (const std::string& entry : kept) text += (text.empty() ? "" : ";") + entry;
  for (passes::PipelineStep& step : pipeline) {
    const passes::PassInfo& pass = *step.pass;
    if (std::ranges::find(pass.options, kKeep, &passes::PassOption::name) == pass.options.end()) {
      continue;
    }
    std::string& option = step.options[std::string(kKeep)];
    option += (option.empty() ? "" : ";") + text;
    std::string error;
    if (pass.create(step.options, error) == nullptr) {
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
}

void configurePasses(Options& options, const RawOptions& raw) {
  std::vector<passes::PipelineStep>& pipeline = options.pipeline;
  const passes::PassInfo* const cssa = passes::findPass("cssa");
  const auto isCssa = [&](const passes::PipelineStep& step) { return step.pass == cssa; };
  if (raw.doCssa == 0) std::erase_if(pipeline, isCssa);
  if (raw.doCssa == 1 && (pipeline.empty() || !isCssa(pipeline.back()))) {
    pipeline.push_back({cssa, {}});
  }
  for (passes::PipelineStep& step : pipeline) {
    const auto given = raw.passOptions.find(step.pass);
    if (given == raw.passOptions.end()) continue;
    for (const auto& [name, value] : given->second) step.options.insert_or_assign(name, value);
  }
  const auto valueOf = [&](std::string_view pass, std::string_view name) {
    const auto given = raw.passOptions.find(passes::findPass(pass));
    if (given == raw.passOptions.end()) return std::optional<std::string>();
    const auto found = given->second.find(name);
    return found == given->second.end() ? std::nullopt : std::optional(found->second);
  };
  options.printHashing = valueOf("early-cse", "debug-hash").has_value();
  options.printCssa = valueOf("cssa", "verbosity").value_or("0") != "0";
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
    const auto source = readSource(raw.assumptionFile);
    options.assumptionText = source->text();
    if (const auto error = options.assumptions.parse(source->text())) {
      Diagnostics diagnostics;
      diagnostics.report(Severity::Error, *source, error->offset, error->message);
      throw MalformedFile(format(diagnostics.all().front()));
    }
  } catch (const FileError& error) {
    throw std::invalid_argument(inputName(raw.assumptionFile) + ": " + error.what());
  }
}

// Throws std::invalid_argument with a message for the user, or MalformedFile with a complete
// message.
void complete(Options& options, const RawOptions& raw) {
  options.verbosity = raw.quiet ? -1 : int{raw.verbose};
  options.warnInput = raw.level == 0 && !raw.passes;
  options.pipeline =
      passes::parsePipeline(raw.passes ? *raw.passes : passes::pipelineOfLevel(raw.level));
  keepBarriers(options.pipeline, raw.keepBarriers);
  for (const std::string& entry : raw.keepBarriers) {
    const std::size_t colon = entry.find(':');
    options.namedKernels.push_back(entry.substr(0, colon));
    if (colon != std::string::npos) options.namedBarriers.push_back(entry);
  }
  setWholeProgram(options, raw);
  setAssumptions(options, raw);
  configurePasses(options, raw);
  if (raw.changeLimit >= 0) options.changeLimit = static_cast<std::uint64_t>(raw.changeLimit);
  if (raw.statistics == "text") options.statistics = StatisticsFormat::Text;
  if (raw.statistics == "json") options.statistics = StatisticsFormat::Json;
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
  if (toFolder) requireDistinctNames("--output-dir", options.inputs);
  if (isFolder(options.dotCfg)) requireDistinctNames("--dot-cfg", options.inputs);
  if (options.inputs.size() > 1) {
    if (toFile) throw std::invalid_argument("several inputs need --output-dir instead of -o");
    if (!options.facts.empty()) {
      throw std::invalid_argument("--facts is about one input: run ptxopt once for each");
    }
    if (!toFolder && !options.check && !options.diff && !options.explainBarriers) {
      throw std::invalid_argument(
          "several inputs need --output-dir, --check, --diff or --explain-barriers");
    }
  }
  if (!toFile && !toFolder && !options.check && !options.diff && !options.explainBarriers) {
    options.output = kStandardStream;
  }

  const bool resultToStandard = options.output == kStandardStream;
  const int users = int{resultToStandard} + int{options.diff} + int{options.explainBarriers} +
                    int{options.remarks == kStandardStream} + int{options.facts == kStandardStream};
  if (users > 1) {
    throw std::invalid_argument(
        "only one of the result, --diff, --explain-barriers, --remarks=- and --facts=- can go to "
        "standard output");
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
