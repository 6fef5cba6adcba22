// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of ptxopt.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/report_format.h"
#include "passes/engine/pipeline.h"
#include "passes/retarget/request.h"
#include "passes/specialize/launch_facts.h"

namespace CLI {
class App;
}

namespace ptxopt::driver {

// Exit statuses of ptxopt.
enum ExitStatus : int {
  kSuccess = 0,
  kFailure = 1,         // bad input, bad usage, or an error of the operating system
  kDiffers = 2,         // --check
  kInternalFault = 70,  // EX_SOFTWARE of sysexits.h
};

// The more serious of the two: a fault, then a failure, then a difference.
ExitStatus worse(ExitStatus a, ExitStatus b);

enum class ColorMode : std::uint8_t { Auto, Always, Never };

struct Options {
  std::vector<std::string> inputs;  // paths, or "-"
  std::string output;               // -o; "-" for standard output; empty: none
  std::string outputDir;            // --output-dir; empty: none
  bool check = false;
  bool diff = false;

  std::vector<passes::PipelineStep> pipeline;
  std::vector<std::string> disabledPasses;
  passes::RetargetRequest retarget;  // --for
  bool wholeProgram = false;         // --whole-program: the inputs together are all device code
  std::uint64_t changeLimit = passes::ChangeBudget::kUnlimited;
  analysis::AssumptionTable assumptions;
  std::string assumptionText;  // the contents of the files of assumptions and launches
  passes::LaunchFacts launches;
  std::vector<std::string> keptKernels;
  // Names that options mention explicitly; the user is told if one does not exist.
  std::vector<std::string> namedKernels;
  std::vector<std::string> namedBarriers;  // KERNEL:LINE; the kernel is in namedKernels

  ReportFormat needs = ReportFormat::None;        // --needs
  bool needsByKernel = false;                     // --by-kernel
  bool kernelHash = false;                        // --kernel-hash
  bool printDeadSync = false;                     // --print-dead-sync-elim
  bool explainBarriers = false;                   // --explain-barriers, --explain-sync
  bool explainAllSync = false;                    // --explain-sync
  std::vector<std::string> explainedKernels;      // --kernel
  bool inlineChains = false;                      // --inline-chains
  std::vector<std::string_view> reportingPasses;  // PassOption::printsReports
  std::vector<std::string_view> dumpBefore;       // passes: PassInfo::dumpFlag

  bool verify = false;
  bool verifyEach = false;
  bool warnInput = false;  // -O0: warn about problems that the verifier finds in the input
  bool reprint = false;

  ReportFormat statistics = ReportFormat::None;
  bool timePasses = false;
  std::string remarks;                  // file, or "-"; empty: none
  std::string sarif;                    // the same
  std::string optRecord;                // the same
  std::string facts;                    // the same
  std::vector<std::string> printAfter;  // passes, or "all"
  std::string dotCfg;                   // file or folder; empty: none
  std::string html;                     // the same

  // The result itself is not asked for.
  bool reportsInstead() const {
    return check || diff || explainBarriers || kernelHash || !html.empty() ||
           needs != ReportFormat::None;
  }

  unsigned threads = 0;  // 0: one for each MiB of text, at most as many as the machine has
  ColorMode color = ColorMode::Auto;
  int verbosity = 0;  // -1: errors only; 1: also what happens to each file
};

// Parses the command line.  Returns the exit status if the program ends here: after --help,
// --version, --list-passes, or an error, which it explains on standard error.
std::optional<ExitStatus> parseCommandLine(int argc, const char* const* argv, Options& options);

// Reads the flags of a program that takes its input and gives its output elsewhere: ptxopt-ptxas.
// Options about inputs, outputs, reports to a terminal or the whole program are refused.  Returns
// what is wrong, in one line, or nothing.
std::optional<std::string> parseFlags(const std::vector<std::string>& words, Options& options);

// Shows the table of options, as --help prints it: src/tools/manuals/ makes manuals of it.
void describeCommandLine(const std::function<void(CLI::App&)>& look);

}  // namespace ptxopt::driver
