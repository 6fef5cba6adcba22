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
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver/files.h"
#include "driver/parse_program_options.h"
#include "facts/claim_text.h"
#include "interp/compare.h"
#include "parse/parser.h"
#include "tools/program.h"
#include "tools/ptxrun_launch.h"
#include "tools/ptxrun_options.h"
#include "tools/ptxrun_progress.h"
#include "tools/ptxrun_report.h"
#include "tools/ptxrun_sarif.h"

namespace {

using namespace ptxopt;
using ptxrun::BadInput;
using ptxrun::FactCounts;
using ptxrun::Job;
using ptxrun::Options;
using ptxrun::ProgressLine;

constexpr int kGood = 0;
constexpr int kBadInput = 1;
constexpr int kDifferent = 2;
constexpr int kInconclusive = 3;
constexpr int kFindings = 4;

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

std::string kinds() {
  std::string text;
  for (std::size_t k = 0; k < interp::kFindingKinds; ++k) {
    const auto kind = static_cast<interp::FindingKind>(k);
    if (!interp::isLimit(kind)) text += (text.empty() ? "" : ", ") + std::string(spelling(kind));
  }
  return text;
}

interp::Survey survey(const ir::Module& module, const Job& job, const Options& options) {
  std::string error;
  interp::MachineOptions machine = options.machine;
  std::optional<ProgressLine> line(std::in_place);
  machine.progress = line->progress();
  auto result = interp::survey(module, job.scenario, machine, options.schedules, error);
  line.reset();
  if (!result) throw BadInput{module.source().name() + ": " + error};
  const ir::SourceLines lines(module);
  for (const std::string& text : options.ignored) {
    const auto ignored = interp::parseIgnored(text);
    if (!ignored)
      throw BadInput{"--ignore " + text + ": no kind of finding; the kinds are " + kinds()};
    std::erase_if(result->findings, [&](const interp::Finding& finding) {
      return interp::isIgnored(module, lines, finding, *ignored);
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

void writeSarif(const std::string& path, const std::vector<driver::SarifResult>& results) {
  try {
    driver::writeFile(path, driver::sarifLog("ptxrun", results));
  } catch (const driver::FileError& error) {
    throw BadInput{path + ": " + error.what()};
  }
}

int runFile(Options options) {
  const auto module = load(options.files[0]);
  if (options.lists) {
    ptxrun::printList(*module, options.asJson);
    return kGood;
  }
  std::vector<facts::Claim> claims;
  const bool hasFacts = !options.facts.empty();
  if (hasFacts) {
    claims = loadFacts(options.facts, *module);
    options.machine.claims = &claims;
  }
  interp::AuditCounts audit;
  const std::vector<Job> jobs = ptxrun::jobsOf(*module, options);
  const bool isOne = jobs.size() == 1;
  nlohmann::json reports = nlohmann::json::array();
  std::vector<driver::SarifResult> sarif;
  int worst = kGood;
  for (const Job& job : jobs) {
    if (!isOne && !options.asJson) {
      std::printf("kernel %s\n", job.kernel.c_str());
      std::fflush(stdout);
    }
    const interp::Survey result = survey(*module, job, options);
    const std::vector<std::string> unexpected = ptxrun::unexpected(job, result, options);
    if (hasFacts) audit.add(result.audit);
    if (options.asJson) {
      reports.push_back(ptxrun::toJson(*module, result, unexpected, hasFacts));
      if (!isOne) reports.back()["kernel"] = job.kernel;
    } else {
      ptxrun::print(*module, job, result, unexpected, options);
    }
    ptxrun::save(result, options);
    if (!options.sarif.empty()) {
      std::ranges::move(ptxrun::sarifResults(*module, result.findings), std::back_inserter(sarif));
    }
    worst = worseOf(worst, unexpected.empty() ? statusOf(result) : kFindings);
  }
  if (!options.sarif.empty()) writeSarif(options.sarif, sarif);
  if (options.asJson) {
    nlohmann::json document = isOne ? reports[0] : nlohmann::json{{"launches", reports}};
    if (hasFacts && !isOne) document["facts"] = FactCounts(audit).json();
    std::cout << document.dump(2) << '\n';
  } else if (hasFacts) {
    FactCounts(audit).print();
  }
  return worst;
}

interp::Tolerances tolerancesOf(const Options& options) {
  interp::Tolerances tolerances;
  for (const std::string& text : options.tolerances) {
    const auto tolerance = interp::parseTolerance(text);
    if (!tolerance) throw BadInput{"--tolerance " + text + " is not like f32:1e-5"};
    tolerances.insert_or_assign(tolerance->first, tolerance->second);
  }
  return tolerances;
}

int compareTwo(const Options& options) {
  const interp::Tolerances tolerances = tolerancesOf(options);
  const auto a = load(options.files[0]);
  const auto b = load(options.files[1]);
  const interp::Survey first = survey(*a, ptxrun::jobsOf(*a, options).front(), options);
  const interp::Survey second = survey(*b, ptxrun::jobsOf(*b, options, a.get()).front(), options);
  const interp::Comparison comparison = interp::compare(first, second, tolerances);
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

void check(Options& options) {
  options.machine.detectsRaces = !options.ignoresRaces;
  if (!options.policy.empty()) {
    bool found = false;
    std::string names;
    for (const interp::Policy policy : interp::kPolicies) {
      names += " " + std::string(interp::spelling(policy));
      if (interp::spelling(policy) != options.policy) continue;
      options.machine.policy = policy;
      found = true;
    }
    if (!found) throw BadInput{"no policy '" + options.policy + "'; there are" + names};
  }
  if (options.machine.jobs > 1 && options.machine.detectsRaces) {
    throw BadInput{"--jobs needs --no-races: races are only detected in a sequential run"};
  }
  if (options.files.size() == 1 && options.compares) throw BadInput{"--compare takes two files"};
  if (!options.tolerances.empty() && !options.compares) {
    throw BadInput{"--tolerance is for --compare; --expect has one of its own"};
  }
  if (options.files.size() == 2 && !options.compares) {
    throw BadInput{"'" + options.files[1] + "' is a second file, which only --compare takes; " +
                   "sizes are one word, as in --grid 2,2"};
  }
  const std::pair<bool, const char*> ofOneFile[] = {
      {!options.ignored.empty(),
       "--ignore does not work with --compare: both files are judged by what they do"},
      {!options.facts.empty(),
       "--check-facts does not work with --compare: facts are about one text"},
      {!options.printed.empty() || !options.saved.empty() || !options.expected.empty() ||
           options.lists || !options.sarif.empty(),
       "--print, --save, --expect, --list and --sarif do not work with --compare"}};
  for (const auto& [isGiven, message] : ofOneFile) {
    if (options.compares && isGiven) throw BadInput{message};
  }
}

}  // namespace

PTXOPT_MAIN(ptxrun)(int argc, char** argv) {
  driver::fillStandardStreams();
  Options options;
  CLI::App app;
  ptxrun::declareOptions(app, options);
  if (const auto status = driver::parseProgramOptions(app, argc, argv)) return *status;
  try {
    check(options);
    return options.compares ? compareTwo(options) : runFile(options);
  } catch (const BadInput& problem) {
    std::cerr << problem.prefix << problem.message << '\n';
  } catch (const std::bad_alloc&) {
    std::cerr << "ptxrun: there is not enough memory\n";
  } catch (const std::length_error& problem) {
    std::cerr << "ptxrun: " << problem.what() << '\n';
  }
  return kBadInput;
}
