// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ptxrun: runs PTX kernels on the CPU, detects races and wrong barriers, compares two modules, and
// checks claims about one.
//
// Exit status of a run: 0 nothing found, 1 bad input or an unsupported instruction, 3 stopped by
// the step limit, 4 findings.  Of --compare: 0 same, 1 bad input, 2 different, 3 inconclusive.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "driver/files.h"
#include "facts/claim_text.h"
#include "interp/compare.h"
#include "parse/parser.h"
#include "tools/ptxrun_options.h"
#include "tools/ptxrun_report.h"

namespace {

using namespace ptxopt;
using ptxrun::FactCounts;
using ptxrun::Options;

constexpr int kGood = 0;
constexpr int kBadInput = 1;
constexpr int kDifferent = 2;
constexpr int kInconclusive = 3;
constexpr int kFindings = 4;

struct BadInput {
  std::string message;
  std::string_view prefix = "ptxrun: ";  // empty: the message contains its position
};

std::unique_ptr<ir::Module> load(const std::string& path) {
  Diagnostics diagnostics;
  std::unique_ptr<ir::Module> module;
  try {
    module = parse::parse(driver::readSource(path), diagnostics);
  } catch (const driver::FileError& error) {
    throw BadInput{path + ": " + error.what()};
  }
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    std::cerr << format(diagnostic) << '\n';
  }
  if (module == nullptr) throw BadInput{path + ": not understood as PTX"};
  return module;
}

std::vector<facts::Claim> loadFacts(const std::string& path, const ir::Module& module) {
  std::string error;
  try {
    auto claims = facts::read(*driver::readSource(path), module, error);
    if (!claims) throw BadInput{error, ""};
    return std::move(*claims);
  } catch (const driver::FileError& problem) {
    throw BadInput{path + ": " + problem.what()};
  }
}

interp::Dim3 dimensions(const std::string& text) {
  const auto parsed = interp::parseDim3(text);
  if (!parsed) throw BadInput{"'" + text + "' is no size: X, X,Y or X,Y,Z"};
  return *parsed;
}

// The launch that the file describes, modified by the command line.
interp::Launch launchOf(const ir::Module& module, const std::optional<interp::Launch>& described,
                        const Options& options) {
  std::string error;
  interp::Launch launch = described.value_or(interp::Launch{});
  if (!options.kernel.empty()) launch.kernel = options.kernel;
  if (!options.grid.empty()) launch.grid = dimensions(options.grid);
  if (!options.block.empty()) launch.block = dimensions(options.block);
  if (!options.cluster.empty()) launch.cluster = dimensions(options.cluster);
  if (options.shared != 0) launch.dynamicShared = options.shared;
  launch.ownsVariables = options.ownsVariables;
  if (!options.arguments.empty()) {
    launch.arguments.clear();
    for (const std::string& text : options.arguments) {
      auto argument = interp::parseArgument(text, error);
      if (!argument) throw BadInput{error};
      launch.arguments.push_back(std::move(*argument));
    }
  } else if (options.guesses && !described) {
    for (const ir::Function& function : module.functions()) {
      const bool isMeant = launch.kernel.empty() || function.nameText() == launch.kernel;
      if (!function.isEntry() || !isMeant) continue;
      launch.arguments = interp::guessArguments(function);
      break;
    }
  }
  return launch;
}

interp::Launch launchOf(const ir::Module& module, const Options& options) {
  std::string error;
  const auto described = interp::findLaunch(module.source().text(), options.kernel, error);
  if (!error.empty()) throw BadInput{module.source().name() + ": " + error};
  return launchOf(module, described, options);
}

// The launches that the file describes, in order, if there are several and the command line selects
// none.
std::vector<interp::Launch> launchesOf(const ir::Module& module, const Options& options) {
  std::vector<interp::Launch> launches;
  if (options.kernel.empty()) {
    std::string error;
    launches = interp::findLaunches(module.source().text(), error);
    if (!error.empty()) throw BadInput{module.source().name() + ": " + error};
  }
  if (launches.size() <= 1) return {launchOf(module, options)};
  for (interp::Launch& launch : launches) {
    launch = launchOf(module, launch, options);
    if (!launch.kernel.empty()) continue;
    for (const ir::Function& function : module.functions()) {
      if (function.isEntry()) launch.kernel = function.nameText();
    }
  }
  return launches;
}

interp::Survey survey(const ir::Module& module, const interp::Launch& launch,
                      const Options& options) {
  std::string error;
  auto result = interp::survey(module, launch, options.machine, options.schedules, error);
  if (!result) throw BadInput{module.source().name() + ": " + error};
  for (const std::string& text : options.ignored) {
    const auto ignored = interp::parseIgnored(text);
    if (!ignored) throw BadInput{"--ignore " + text + ": no kind of findings"};
    std::erase_if(result->findings, [&](const interp::Finding& finding) {
      return interp::isIgnored(module, finding, *ignored);
    });
  }
  return std::move(*result);
}

int statusOf(const interp::Survey& result) {
  if (result.has(interp::FindingKind::Unsupported)) return kBadInput;
  const bool finds =
      std::any_of(result.findings.begin(), result.findings.end(),
                  [](const interp::Finding& finding) { return !interp::isLimit(finding.kind); });
  if (finds) return kFindings;
  return result.findings.empty() ? kGood : kInconclusive;
}

// A launch that could not run is worse than findings: nothing is known about it.
int worseOf(int one, int other) {
  for (const int status : {kBadInput, kFindings, kInconclusive}) {
    if (one == status || other == status) return status;
  }
  return kGood;
}

int runFile(Options options) {
  const auto module = load(options.files[0]);
  std::vector<facts::Claim> claims;
  const bool hasFacts = !options.facts.empty();
  if (hasFacts) {
    claims = loadFacts(options.facts, *module);
    options.machine.claims = &claims;
  }
  interp::AuditCounts audit;
  const std::vector<interp::Launch> launches = launchesOf(*module, options);
  const bool isOne = launches.size() == 1;
  nlohmann::json reports = nlohmann::json::array();
  int worst = kGood;
  for (const interp::Launch& launch : launches) {
    if (!isOne && !options.asJson) {
      std::printf("kernel %s\n", launch.kernel.c_str());
      std::fflush(stdout);
    }
    const interp::Survey result = survey(*module, launch, options);
    if (hasFacts) audit.add(result.audit);
    if (options.asJson) {
      reports.push_back(ptxrun::toJson(*module, result, hasFacts));
      if (!isOne) reports.back()["kernel"] = launch.kernel;
    } else {
      ptxrun::print(*module, launch, result, options);
    }
    worst = worseOf(worst, statusOf(result));
  }
  if (options.asJson) {
    nlohmann::json document = isOne ? reports[0] : nlohmann::json{{"launches", reports}};
    if (hasFacts && !isOne) document["facts"] = FactCounts(audit).json();
    std::cout << document.dump(2) << '\n';
  } else if (hasFacts) {
    FactCounts(audit).print();
  }
  return worst;
}

int compareTwo(const Options& options) {
  const auto a = load(options.files[0]);
  const auto b = load(options.files[1]);
  const interp::Survey first = survey(*a, launchOf(*a, options), options);
  const interp::Survey second = survey(*b, launchOf(*b, options), options);
  const interp::Comparison comparison = interp::compare(first, second);
  ptxrun::printFindings(*a, first.findings);
  ptxrun::printFindings(*b, second.findings);
  switch (comparison.verdict) {
    case interp::Verdict::Same:
      std::printf("same: %u schedules each, checksum %016" PRIx64 "\n", first.runs,
                  *first.outcomes.begin());
      return kGood;
    case interp::Verdict::Different:
      std::printf("different: %s\n", comparison.reason.c_str());
      return kDifferent;
    case interp::Verdict::Inconclusive:
      std::printf("inconclusive: %s\n", comparison.reason.c_str());
      return kInconclusive;
  }
  return kInconclusive;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app;
  ptxrun::declareOptions(app, options);
  CLI11_PARSE(app, argc, argv);
  options.machine.detectsRaces = !options.ignoresRaces;

  try {
    if (!options.policy.empty()) {
      bool found = false;
      for (const interp::Policy policy : interp::kPolicies) {
        if (interp::spelling(policy) != options.policy) continue;
        options.machine.policy = policy;
        found = true;
      }
      if (!found) throw BadInput{"no policy '" + options.policy + "'"};
    }
    if (options.machine.jobs > 1 && options.machine.detectsRaces) {
      throw BadInput{"--jobs needs --no-races: races are only detected in a sequential run"};
    }
    if ((options.files.size() == 2) != options.compares) {
      throw BadInput{"--compare takes two files, a run takes one"};
    }
    if (options.compares && !options.ignored.empty()) {
      throw BadInput{
          "--ignore does not work with --compare: both files are judged by what they do"};
    }
    if (options.compares && !options.facts.empty()) {
      throw BadInput{"--check-facts does not work with --compare: facts are about one text"};
    }
    return options.compares ? compareTwo(options) : runFile(options);
  } catch (const BadInput& problem) {
    std::cerr << problem.prefix << problem.message << '\n';
    return kBadInput;
  }
}
