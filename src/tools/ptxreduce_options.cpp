// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptxreduce_options.h"

#include "support/version.h"

namespace ptxopt::ptxreduce {

namespace {

constexpr const char* kFooter =
    R"(The command receives the path of the file in place of {}, or as its last argument.

Examples:
  ptxreduce k.ptx -o small.ptx -- ./still-fails.sh
  ptxreduce k.ptx -o small.ptx --same-finding -- ptxrun --json {} --block 64
  ptxreduce k.ptx -o small.ptx --timeout 5 -- sh -c '! ptxas -arch=sm_90 {} -o /dev/null'

Exit status:
  0        there is a result
  1        bad input, or an unusable command
  128 + n  ended by signal n; the output contains the result so far)";

}  // namespace

void declareOptions(CLI::App& app, Options& options) {
  app.name("ptxreduce");
  app.description("Makes a PTX file smaller while a command still exits 0 on it.");
  app.footer(kFooter);
  app.add_option("file", options.input, "PTX file; - is standard input")->type_name("")->required();
  app.add_option("-o,--output", options.output, "Where the smallest file so far is written")
      ->type_name("FILE")
      ->required();
  app.add_option("--timeout", options.seconds,
                 "Seconds after which the command counts as failed (default: 60)")
      ->type_name("N")
      ->check(CLI::Range(1u, 86400u).description(""));
  app.add_flag(
      "--same-finding", options.sameFinding,
      "The command is `ptxrun --json`, or prints the same: keep the first finding, its kind "
      "and its instructions, whatever the exit status is");
  app.add_option("--finding-at", options.findingLine,
                 "The same for the first finding at this line of the PTX")
      ->type_name("LINE")
      ->check(CLI::Range(1u, ~0u).description(""));
  app.add_flag("--keep-lines", options.keepsLines,
               "Keep .loc and .file, so that each remaining instruction has its source line");
  app.add_flag("-v,--verbose", options.verbose, "Print progress and what the command prints");
  app.add_option("command", options.command, "The command, after --")->type_name("")->required();
  app.set_help_flag("-h,--help", "Print this text");
  app.set_version_flag("--version", std::string("ptxreduce ") + version(), "Print the version");
}

}  // namespace ptxopt::ptxreduce
