// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptxrun_options.h"

#include "interp/argument.h"
#include "interp/scheduler.h"
#include "support/version.h"

namespace ptxopt::ptxrun {

namespace {

constexpr const char* kFooter =
    R"(A line `// LAUNCH: {...}` in the file describes its launch (docs/ptxrun.md); options override it.
All launches of a file are run, and the worst status counts; --kernel selects one.

Examples:
  ptxrun kernel.ptx                           run what the file describes, detect races
  ptxrun kernel.ptx --list                    what is in the file?
  ptxrun kernel.ptx --schedules 14 --json     under 14 schedules; findings as JSON
  ptxrun k.ptx --block 64 --arg buffer:4K:iota:f32 --arg 64 --print arg0:f32:8
  ptxrun --compare a.ptx b.ptx --guess        do both behave alike?
  ptxrun k.ptx --check-facts k.facts          check the claims of ptxopt --facts

Exit status:
  0   nothing found; --compare: the same
  1   bad input, or an unsupported instruction
  2   --compare: different
  3   stopped by the step limit; --compare: inconclusive
  4   findings, or not what --expect expects)";

void declareLaunch(CLI::App& app, Options& options) {
  app.option_defaults()->group("Launch");
  app.add_option("--kernel", options.kernel, "Entry to launch, or launch description to use")
      ->type_name("KERNEL");
  app.add_option("--grid", options.grid, "CTAs")->type_name("X[,Y[,Z]]");
  app.add_option("--block", options.block,
                 "Threads of a CTA (default: .reqntid, else .maxntid, else 32)")
      ->type_name("X[,Y[,Z]]");
  app.add_option("--cluster", options.cluster, "CTAs of a cluster")->type_name("X[,Y[,Z]]");
  const auto setShared = [&options](const std::string& text) {
    const auto bytes = interp::parseNumber(text);
    if (!bytes)
      throw CLI::ValidationError("--shared", "'" + text + "' is no size such as 4096 or 4K");
    options.shared = *bytes;
  };
  app.add_option_function<std::string>("--shared", setShared,
                                       "Bytes of dynamic shared memory: 4096 or 4K")
      ->type_name("N");
  app.add_option("--arg", options.arguments,
                 "One for each parameter, in order:\n" + std::string(interp::argumentForms()))
      ->type_name("VALUE")
      ->allow_extra_args(false);
  app.add_flag("--guess", options.guesses,
               "Make up arguments if there is no description, and print them");
  app.add_option("--buffer", options.buffers,
                 "Another buffer, for &NAME among the arguments: table=buffer:4K:iota:f32")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--set", options.variables,
                 "New content of a module variable: scale=f32:2, table=values:u32:1,2,3")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--scenario", options.scenario,
                 "Several launches in order on one memory, and what they are to leave in it\n"
                 "(docs/ptxrun.md)")
      ->type_name("FILE");
}

void declareSchedules(CLI::App& app, Options& options) {
  app.option_defaults()->group("Schedules");
  app.add_option("--schedules", options.schedules,
                 "Number of runs, each with another schedule (default: 1)")
      ->type_name("N")
      ->check(CLI::Range(1u, 100000u).description(""));
  std::string policies;
  for (const interp::Policy policy : interp::kPolicies) {
    policies += (policies.empty() ? "" : "|") + std::string(interp::spelling(policy));
  }
  app.add_option("--policy", options.policy, "Schedule of the first run (default: the first)")
      ->type_name(policies);
  app.add_option("--seed", options.machine.seed, "Seed of the first run (default: 1)")
      ->type_name("N");
  app.add_option("--step-limit", options.machine.stepLimit,
                 "Most thread-instructions of a launch (default: 100 million)")
      ->type_name("N");
  app.add_option("-j,--jobs", options.machine.jobs,
                 "Threads of the host, which run CTAs in parallel; needs --no-races")
      ->type_name("N")
      ->check(CLI::Range(1u, 1024u).description(""));
}

void declareChecks(CLI::App& app, Options& options) {
  app.option_defaults()->group("Checks");
  app.add_flag("--compare", options.compares, "Check that the second file behaves like the first");
  app.add_option("--tolerance", options.tolerances,
                 "With --compare: how far apart elements of a type may be: f32:1e-5")
      ->type_name("TYPE:TOLERANCE")
      ->allow_extra_args(false);
  app.add_flag("--own-variables", options.ownsVariables,
               "The host does not see module variables: they are not part of the result");
  app.add_option("--check-facts", options.facts,
                 "Check the claims in this file about the text during the run\n(docs/facts.md)")
      ->type_name("FILE");
  app.add_flag("--no-races", options.ignoresRaces, "Do not detect data races");
  app.add_flag(
      "--strict-proxies", options.machine.strictProxies,
      "A copy that overwrites what the generic proxy has accessed needs a proxy fence too");
  app.add_flag("--warpgroup-waits", options.machine.warpgroupWaits,
               "A wgmma.wait_group waits for the other warps of its warpgroup, too");
}

void declareReports(CLI::App& app, Options& options) {
  app.option_defaults()->group("Reports");
  app.add_option("--ignore", options.ignored,
                 "Leave out findings of this kind: data-race, uninitialised:scan.cuh")
      ->type_name("KIND[:FILE]")
      ->allow_extra_args(false);
  app.add_flag("--list", options.lists,
               "Print the kernels of the file with their parameters, and run nothing");
  app.add_option("--print", options.printed,
                 "Print a buffer or variable as numbers: arg0:f32, table:u32:16")
      ->type_name("NAME[:TYPE[:COUNT]]")
      ->allow_extra_args(false);
  app.add_option("--save", options.saved, "Write a buffer or variable to a file: arg0:out.bin")
      ->type_name("NAME:FILE")
      ->allow_extra_args(false);
  app.add_option("--expect", options.expected,
                 "Compare a buffer or variable with a file: arg0:out.bin:1e-5; elements\n"
                 "are f32 if there is a tolerance, else bytes")
      ->type_name("NAME:FILE[:TOLERANCE[:TYPE]]")
      ->allow_extra_args(false);
  app.add_flag("--dump", options.dumps, "Print buffers and module variables");
  app.add_option("--sarif", options.sarif,
                 "Write the findings in SARIF, for services that scan code and for editors")
      ->type_name("FILE");
  app.add_flag("--json", options.asJson, "Findings and outcomes of a run as JSON, without --dump");
}

}  // namespace

void declareOptions(CLI::App& app, Options& options) {
  app.name("ptxrun");
  app.description("Runs a PTX kernel on the CPU and detects data races and wrong barriers.");
  app.footer(kFooter);
  app.add_option("file", options.files, "PTX file, or two with --compare; - is standard input")
      ->type_name("")
      ->required()
      ->expected(1, 2);

  declareLaunch(app, options);
  declareSchedules(app, options);
  declareChecks(app, options);
  declareReports(app, options);
  app.set_help_flag("-h,--help", "Print this text")->group("General");
  app.set_version_flag("--version", std::string("ptxrun ") + version(), "Print the version")
      ->group("General");
}

}  // namespace ptxopt::ptxrun
