// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/command_options.h"

#include "support/version.h"

namespace ptxopt::check {

namespace {

constexpr const char* kFooter =
    R"(Nobody needs to say how the kernels are launched.  A comment `ptxcheck: ignore` above an access
or barrier, or on its line, suppresses its findings.  docs/ptxcheck.md says what is found.

Examples:
  ptxcheck kernels.ptx                        what races, and which barrier is wrong?
  ptxcheck kernels.ptx --block 128 --runs     in this block; with a ptxrun command for each finding
  ptxcheck *.ptx --certain --sarif out.sarif  for CI
  ptxcheck *.ptx --write-baseline known.txt   accept what is there
  ptxcheck *.ptx --baseline known.txt         report what is new

Exit status:
  0   no findings
  1   bad input
  3   possible findings only
  4   certain findings)";

}  // namespace

void declareOptions(CLI::App& app, CommandOptions& options) {
  app.name("ptxcheck");
  app.description(
      "Finds races and wrong barriers in PTX kernels, without being told their launches.");
  app.footer(kFooter);
  app.add_option("file", options.files, "PTX files; - is standard input")
      ->type_name("")
      ->required();
  app.option_defaults()->group("What is checked");
  app.add_option("--kernel", options.kernels, "Only this kernel, by its name in PTX or C++")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--block", options.block,
                 "The block of kernels without .reqntid (default: common ones)")
      ->type_name("X[,Y[,Z]]");
  app.add_option("--shared", options.shared,
                 "Bytes of dynamic shared memory in runs: 4096 or 4K (default: 48K)")
      ->type_name("N");
  app.add_flag("--no-runs", options.noRuns, "Do not replay findings in the interpreter");
  app.option_defaults()->group("What is reported");
  auto* const certain = app.add_flag("--certain", options.onlyCertain, "Only certain findings");
  app.add_flag("--all", options.wantsAll, "Also what a run to the end of the kernel did not show")
      ->excludes(certain);
  app.add_flag("--runs", options.showsRuns, "The command of a run that shows each finding");
  app.add_flag("--json", options.asJson, "Findings as JSON on standard output");
  app.add_option("--sarif", options.sarif, "Write findings in SARIF, for code scanning")
      ->type_name("FILE");
  app.add_option("--baseline", options.baseline, "Leave out the findings that this file names")
      ->type_name("FILE");
  app.add_option("--write-baseline", options.newBaseline,
                 "Write such a file with all findings; the exit status is 0")
      ->type_name("FILE");
  app.set_help_flag("-h,--help", "Print this text")->group("General");
  app.set_version_flag("--version", std::string("ptxcheck ") + version(), "Print the version")
      ->group("General");
}

}  // namespace ptxopt::check
