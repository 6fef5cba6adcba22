// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptxrun_report.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <iostream>

namespace ptxopt::ptxrun {

namespace {

nlohmann::json placeJson(const ir::Module& module, const ir::Instruction* instruction) {
  if (instruction == nullptr) return nullptr;
  const LineColumn at = module.source().lineColumn(instruction->source.begin);
  nlohmann::json result = {{"line", at.line}, {"column", at.column}};
  const interp::SourcePlace source = interp::sourcePlace(module, *instruction);
  if (source.line != 0) result["source"] = {{"file", source.file}, {"line", source.line}};
  return result;
}

nlohmann::json toJson(const ir::Module& module, const interp::FindingGroup& group) {
  const interp::Finding& finding = *group.example;
  nlohmann::json result = {{"kind", interp::spelling(finding.kind)},
                           {"file", module.source().name()},
                           {"place", placeJson(module, finding.place)},
                           {"message", finding.message},
                           {"other", placeJson(module, finding.other)},
                           {"otherMessage", finding.otherMessage},
                           {"places", group.places}};
  if (group.threads != 0) {
    result["threads"] = group.threads;
    result["ctas"] = group.ctas;
  }
  // The first line of the file of facts describes the file.
  if (finding.kind == interp::FindingKind::FalseFact) result["factsLine"] = finding.claim + 2;
  return result;
}

std::string checksumText(const interp::Outcome& outcome) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016" PRIx64, outcome.checksum());
  return digits.data();
}

void dump(const interp::NamedBytes& object) {
  constexpr std::size_t kBytesPerLine = 16;
  std::printf("%s:\n", object.name.c_str());
  for (std::size_t at = 0; at < object.bytes.size(); at += kBytesPerLine) {
    std::printf("  %06zx", at);
    for (std::size_t k = at; k < std::min(at + kBytesPerLine, object.bytes.size()); ++k) {
      std::printf("%s%02x", k % 4 == 0 ? " " : "", object.bytes[k]);
    }
    std::printf("\n");
  }
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void printGroups(const ir::Module& module, const std::vector<interp::FindingGroup>& groups) {
  std::cout << std::flush;
  std::fflush(stdout);
  for (const interp::FindingGroup& group : groups) {
    std::cerr << interp::format(module, group) << '\n';
  }
}

}  // namespace

FactCounts::FactCounts(const interp::AuditCounts& counts) : claims(counts.checks.size()) {
  for (std::size_t k = 0; k < claims; ++k) {
    checks += counts.checks[k];
    wrong += counts.isFalse[k] ? 1 : 0;
    unreached += counts.checks[k] == 0 ? 1 : 0;
  }
}

nlohmann::json FactCounts::json() const {
  return {{"claims", claims}, {"checks", checks}, {"false", wrong}, {"neverReached", unreached}};
}

void FactCounts::print() const {
  std::printf("%zu claims checked %" PRIu64 " times, %zu false, %zu never reached\n", claims,
              checks, wrong, unreached);
}

nlohmann::json toJson(const ir::Module& module, const interp::Survey& result, bool hasFacts) {
  nlohmann::json report = {{"runs", result.runs}, {"steps", result.steps}};
  if (hasFacts) report["facts"] = FactCounts(result.audit).json();
  report["findings"] = nlohmann::json::array();
  for (const interp::FindingGroup& group : interp::groupFindings(module, result.findings)) {
    report["findings"].push_back(toJson(module, group));
  }
  report["outcomes"] = nlohmann::json::array();
  for (const interp::Outcome& outcome : result.distinct) {
    report["outcomes"].push_back(
        {{"checksum", checksumText(outcome)}, {"printed", outcome.printed}});
  }
  return report;
}

void print(const ir::Module& module, const interp::Launch& launch, const interp::Survey& result,
           const Options& options) {
  const std::vector<interp::FindingGroup> groups = interp::groupFindings(module, result.findings);
  printGroups(module, groups);
  const auto isPrinted = [&](const interp::NamedBytes& object) {
    return options.dumps || std::find(launch.printed.begin(), launch.printed.end(), object.name) !=
                                launch.printed.end();
  };
  std::printf("%s, %s, %s\n", counted(result.runs, "schedule").c_str(),
              counted(result.outcomes.size(), "distinct outcome").c_str(),
              interp::summaryOf(groups).c_str());
  for (const interp::Outcome& outcome : result.distinct) {
    std::fputs(outcome.printed.c_str(), stdout);
    for (const interp::NamedBytes& object : outcome.memory) {
      if (isPrinted(object)) dump(object);
    }
    std::printf("checksum %s\n", checksumText(outcome).c_str());
  }
  std::fflush(stdout);
}

void printFindings(const ir::Module& module, const std::vector<interp::Finding>& findings) {
  printGroups(module, interp::groupFindings(module, findings));
}

}  // namespace ptxopt::ptxrun
