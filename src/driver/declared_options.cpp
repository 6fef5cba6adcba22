// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/declared_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/launch/assumptions.h"
#include "passes/registry.h"
#include "support/version.h"

namespace ptxopt::driver {

namespace {

// Groups of options in --help.
constexpr std::string_view kOptimization = "Optimization";
constexpr std::string_view kAssumptions = "Assumptions (all off by default)";
constexpr std::string_view kPassOptions = "Options of the pass";

constexpr const char* kDescription =
    "Optimizes PTX: removes redundant work, and leaves every other byte unchanged.";

// The hole is for the passes of the lowest level.
constexpr std::string_view kFooter =
    R"(Code that no pass changes keeps its bytes, including comments. Code that ptxopt does not know
is left unchanged, with a warning.

Examples:
  ptxopt kernel.ptx -o kernel.opt.ptx           optimize at the default level
  ptxopt --diff kernel.ptx                      show only what would change
  nvcc -ptx k.cu -o - | ptxopt - | ptxas - ...  in a pipe
  ptxopt *.ptx --output-dir=opt -j8             many files at once
  ptxopt --check *.ptx                          for CI: status 2 if a barrier orders nothing
  ptxopt k.ptx -o /dev/null --remarks=-         changes made and missed, as JSON lines
  ptxopt k.ptx -o /dev/null --facts=k.facts     claims, for ptxrun --check-facts=k.facts
  ptxopt --explain-barriers k.ptx               what each barrier is for
  ptxopt --explain-sync k.ptx                   the same of waits and fences too
  ptxopt --needs k.ptx                          the lowest version and target that it needs
  ptxopt --kernel-hash *.ptx                    kernels that are the same but for names
  ptxopt -O0 --for=cuda:12.2,sm_80 k.ptx        the same code for another release and target
  ptxopt k.ptx --passes={:<24}one pass, with its counters

Exit status:
  0   success
  1   a file could not be read, parsed or written, or the command line is wrong
  2   --check: the output would differ from the input
  70  an internal error of ptxopt; please report it with the input
With several inputs, one bad file does not stop the others, and the status is the worst one. With
--whole-program all results are written, or none.)";

// An empty name is often an unset variable in a shell script.  One like an option is the next
// option, after one whose name was forgotten.
std::string refuseNoName(const std::string& text) {
  if (text.empty()) return "the name is empty";
  if (text.starts_with("--")) return fmt::format("a name is missing before {}", text);
  return "";
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
          flag, [set] { set(""); }, passes::helpText(option));
      continue;
    }
    const std::string spelling = passes::spelling(option);
    app.add_option_function<std::uint64_t>(
           flag, [set](std::uint64_t value) { set(std::to_string(value)); },
           passes::helpText(option))
        ->type_name(spelling.substr(spelling.find('=') + 1))
        ->check(CLI::Range(option.least, option.most).description(""));
  }
}

void declareFiles(CLI::App& app, Options& options) {
  app.option_defaults()->group("Input and output");
  app.add_option("-o", options.output, "Output file; - is standard output (the default)")
      ->type_name("FILE")
      ->check(refuseNoName);
  app.add_option("--output-dir", options.outputDir,
                 "Output folder; the results have the names of the inputs")
      ->type_name("DIR")
      ->check(refuseNoName);
  app.add_flag("--check", options.check,
               "Write nothing; print what would change as warnings, and exit with 2\n"
               "if a result would differ.  Looks only at barriers, unless -O or\n"
               "--passes is given");
  app.add_flag_function(
      "--check-races", [](std::int64_t) {},
      "Optimize nothing, and look for races and wrong barriers: the program\n"
      "ptxcheck, with its options (ptxcheck --help)");
  app.add_flag("--diff", options.diff,
               "Print a unified diff to standard output instead of the result");
  app.add_option("-j,--jobs", options.threads, "Threads; 0 (default): as many as are useful")
      ->type_name("N");
}

void declareOptimization(CLI::App& app, Options& options, RawOptions& raw) {
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

  for (const passes::PassInfo* pass : passes::allPasses()) {
    if (pass->runFlag.empty()) continue;
    app.add_option_function<int>(
           fmt::format("--{}", pass->runFlag), [&raw, pass](int run) { raw.runFlags[pass] = run; },
           fmt::format("1: run the pass {} last; 0: do not run it", pass->name))
        ->type_name("0|1")
        ->check(CLI::Range(0, 1).description(""));
  }

  app.add_option("--keep-barriers", raw.keepBarriers,
                 "Keep the barriers, waits and fences of a kernel, or the one on a\nline of the "
                 "PTX (repeatable)")
      ->type_name("KERNEL[:LINE]")
      ->check(refuseNoName)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);

  app.add_option("--keep-kernel", options.keptKernels, "Leave a kernel unchanged (repeatable)")
      ->type_name("KERNEL")
      ->check(refuseNoName)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);

  app.add_option("--for", raw.retarget,
                 "Write .version and .target so that this version of PTX, release of\n"
                 "CUDA or driver takes the result, and so that it is for this target;\n"
                 "several with commas.  Lowers instructions that these do not have; an\n"
                 "error where that is not possible")
      ->type_name("ptxX.Y|cuda:X.Y|driver:VERSION|sm_NN")
      ->check(refuseNoName);
  app.add_flag("--for-lenient", raw.lenientRetarget,
               "With --for: leave out kernels and functions that need more, with a\n"
               "warning for each");
  app.add_flag("--whole-program", options.wholeProgram,
               fmt::format("The inputs together are one program, and no other module refers to\n"
                           "them: runs {}; needs --host-symbols",
                           passes::passWith(passes::PassOption::Shared::HostSymbols).name));
  app.add_option("--host-symbols", raw.hostSymbols,
                 "The variables that the host uses by name, one on each line; may be\n"
                 "empty; needs --whole-program")
      ->type_name("FILE")
      ->check(refuseNoName);
}

void declareAssumptions(CLI::App& app, RawOptions& raw) {
  app.option_defaults()->group(std::string(kAssumptions));
  app.add_option("--assume", raw.assume,
                 "cuda: what CUDA C++ guarantees: --assume-drf and --trust-aligned;\n"
                 "source: what it guarantees of the barriers that are not inline\n"
                 "assembly: --trust-source")
      ->type_name("cuda|source")
      ->check(CLI::IsMember({"cuda", "source"}).description(""));
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
      ->check(refuseNoName);
}

void declareLaunches(CLI::App& app, Options& options, RawOptions& raw) {
  app.option_defaults()->group(std::string(kAssumptions));
  app.add_option("--launch", raw.launchFile,
                 "What is known of all launches of kernels, in JSON: blocks, grids,\n"
                 "shared memory, arguments; or lines of assumptions")
      ->type_name("FILE")
      ->check(refuseNoName);
  app.add_flag("--enforce", options.launches.isEnforced,
               "Do not trust that file: launches with other blocks are refused, and a\n"
               "kernel traps if a number on which its code relies differs");
  app.add_flag("--dispatch", options.launches.isDispatched,
               "With --enforce: instead of trapping, a kernel runs its original code,\n"
               "which is kept beside the new one");
}

void declareReports(CLI::App& app, Options& options, RawOptions& raw) {
  app.option_defaults()->group("Reports");
  app.add_option("--remarks", options.remarks,
                 "Write the changes that passes made or missed, as JSON lines")
      ->type_name("FILE")
      ->check(refuseNoName);
  app.add_option("--sarif", options.sarif,
                 "Write them in SARIF, for services that scan code and for editors")
      ->type_name("FILE")
      ->check(refuseNoName);
  app.add_option("--opt-record", options.optRecord,
                 "Write them as the optimization record of LLVM, in YAML, for opt-viewer\n"
                 "and Compiler Explorer")
      ->type_name("FILE")
      ->check(refuseNoName);
  app.add_option("--facts", options.facts,
                 "Write the claims of analyses and passes about the input, as JSON\n"
                 "lines, for ptxrun --check-facts; one input only")
      ->type_name("FILE")
      ->check(refuseNoName);
  app.add_flag("--print-dead-sync-elim", options.printDeadSync,
               "Print each removed barrier to standard error");
  app.add_flag("--explain-barriers", options.explainBarriers,
               "Print all barriers to standard output instead of the result: what\n"
               "happened to each, why, and which options would remove it.  Runs the\n"
               "same passes as --check");
  app.add_flag("--explain-sync", options.explainAllSync,
               "The same, with all waits, commits of groups, fences and bar.warp.sync\n"
               "among them");
  app.add_option("--kernel", options.explainedKernels,
                 "With --explain-barriers: only this kernel or function, by its name in\n"
                 "PTX or C++ (repeatable)")
      ->type_name("NAME")
      ->check(refuseNoName)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_flag("--inline-chains", options.inlineChains,
               "With --explain-barriers: of inlined code also the places between the\n"
               "barrier and the line that you wrote");
  app.add_flag("--needs{text}", raw.needs,
               "Print to standard output, instead of the result, the lowest version\n"
               "and target of PTX that the file needs, and what needs them;\n"
               "--needs=json for programs.  Runs no passes, unless -O or --passes is\n"
               "given")
      ->check(CLI::IsMember({"text", "json"}).description("").name("text|json"));
  app.add_flag("--by-kernel", options.needsByKernel,
               "With --needs: also for each kernel and function");
  app.add_flag("--kernel-hash", options.kernelHash,
               "Print to standard output, instead of the result, a hash of each\n"
               "kernel, which is the same for kernels that differ only in comments,\n"
               "white space, .loc and names.  Runs no passes, unless -O or --passes\n"
               "is given");
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
      ->check(refuseNoName);
  app.add_option("--html", options.html,
                 "Write, instead of the result, a page for a browser: PTX before and\n"
                 "after beside the lines of the program, why each barrier, wait and\n"
                 "fence stays or goes, and the control-flow graphs; or in a folder, a\n"
                 "page for each function")
      ->type_name("DIR|FILE")
      ->check(refuseNoName);
}

void declareChecks(CLI::App& app, Options& options) {
  app.option_defaults()->group("Checks and debugging");
  app.add_flag("--verify", options.verify, "Reject input that is not well-formed");
  app.add_flag("--verify-each", options.verifyEach,
               "Verify after every pass, and parse the result again");
  for (const passes::PassInfo* pass : passes::allPasses()) {
    if (pass->dumpFlag.empty()) continue;
    app.add_flag_callback(
        fmt::format("--{}", pass->dumpFlag),
        [&options, pass] { options.dumpBefore.push_back(pass->name); },
        fmt::format("Print the module to standard error before the pass {}", pass->name));
  }
  app.add_flag("--reprint", options.reprint, "Print the whole text from the IR; loses comments");
  app.add_option("--print-after", options.printAfter,
                 "Print the module to standard error after a pass (repeatable)")
      ->type_name("PASS|all")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void declareGeneral(CLI::App& app, Options& options, RawOptions& raw) {
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

}  // namespace

void declareOptions(CLI::App& app, Options& options, RawOptions& raw) {
  app.name("ptxopt");
  app.description(kDescription);
  app.footer(fmt::format(kFooter, fmt::format("'{}' --stats", passes::pipelineOfLevel(1))));
  // Like in compilers: the last of two contradicting options wins.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);

  app.add_option("IN", options.inputs, "PTX files; - is standard input")
      ->type_name("")
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw);

  declareFiles(app, options);
  declareOptimization(app, options, raw);
  declareAssumptions(app, raw);
  declareLaunches(app, options, raw);
  for (const passes::PassInfo* pass : passes::allPasses()) addPassFlags(app, raw, *pass);
  declareReports(app, options, raw);
  declareChecks(app, options);
  declareGeneral(app, options, raw);
}

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

}  // namespace ptxopt::driver
