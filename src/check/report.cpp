// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/demangle.h"

namespace ptxopt::check {

namespace {

using Json = nlohmann::json;

std::string_view textOf(const ir::Module& module, const ir::Instruction& instruction) {
  const SourceRange at = instruction.source;
  return module.source().text().substr(at.begin, at.end - at.begin);
}

std::string wordsOf(const Finding& finding) {
  std::string words = fmt::format("{}, {}", spelling(finding.kind), spelling(finding.certainty));
  if (finding.replay == Replay::Seen) words += ", seen in a run";
  if (finding.replay == Replay::NotSeen) words += ", not seen in a run";
  return words;
}

Json placeOf(const ir::Module& module, const ir::SourceLines& lines,
             const ir::Instruction& instruction) {
  const Offset at = instruction.source.begin;
  const LineColumn place = module.source().lineColumn(at);
  Json json = {
      {"line", place.line}, {"column", place.column}, {"text", textOf(module, instruction)}};
  if (const auto written = lines.written(at)) {
    json["source"] = {{"file", written->file}, {"line", written->line}};
  }
  return json;
}

}  // namespace

std::string textOf(const ir::Module& module, const ir::SourceLines& lines, const Finding& finding,
                   bool wantsCommand) {
  const Offset at = finding.place->source.begin;
  const auto written = lines.written(at);
  const LineColumn place = module.source().lineColumn(at);
  std::string text;
  if (written && !written->file.empty()) {
    text = fmt::format("{}:{}:{}: ", written->file, written->line, written->column);
  } else {
    text = fmt::format("{}:{}:{}: ", module.source().name(), place.line, place.column);
  }
  text += fmt::format("warning: {} [{}]\n", finding.message, wordsOf(finding));
  for (const std::string& detail : finding.details) text += fmt::format("    {}\n", detail);
  if (wantsCommand && !finding.command.empty()) text += fmt::format("    {}\n", finding.command);
  return text;
}

std::string summaryOf(const std::vector<const Report*>& reports) {
  std::size_t kernels = 0, withFindings = 0, certain = 0, possible = 0;
  for (const Report* report : reports) {
    for (const KernelReport& of : report->kernels) {
      ++kernels;
      withFindings += std::size_t{!of.findings.empty()};
      for (const Finding& finding : of.findings) {
        ++(finding.certainty == Certainty::Certain ? certain : possible);
      }
    }
  }
  if (certain + possible == 0) {
    return fmt::format("no findings in {} kernel{}\n", kernels, kernels == 1 ? "" : "s");
  }
  return fmt::format("{} finding{} in {} of {} kernel{}: {} certain, {} possible\n",
                     certain + possible, certain + possible == 1 ? "" : "s", withFindings, kernels,
                     kernels == 1 ? "" : "s", certain, possible);
}

Json jsonOf(const ir::Module& module, const ir::SourceLines& lines, const Report& report) {
  Json kernels = Json::array();
  for (const KernelReport& of : report.kernels) {
    Json findings = Json::array();
    for (const Finding& finding : of.findings) {
      Json json = {
          {"kind", spelling(finding.kind)},     {"certainty", spelling(finding.certainty)},
          {"replay", spelling(finding.replay)}, {"message", finding.message},
          {"details", finding.details},         {"place", placeOf(module, lines, *finding.place)}};
      if (finding.other != nullptr) json["other"] = placeOf(module, lines, *finding.other);
      if (!finding.command.empty()) json["run"] = finding.command;
      findings.push_back(std::move(json));
    }
    kernels.push_back({{"kernel", of.kernel->nameText()}, {"findings", std::move(findings)}});
  }
  return {{"file", module.source().name()}, {"kernels", std::move(kernels)}};
}

std::vector<driver::SarifResult> sarifOf(const ir::Module& module, const ir::SourceLines& lines,
                                         const Report& report) {
  std::vector<driver::SarifResult> results;
  const auto placesOf = [&](const ir::Instruction& instruction) {
    return driver::sarifPlaces(module, lines, instruction.source,
                               lines.at(instruction.source.begin));
  };
  for (const KernelReport& of : report.kernels) {
    for (const Finding& finding : of.findings) {
      driver::SarifResult& result = results.emplace_back();
      result.rule = spelling(finding.kind);
      result.description = descriptionOf(finding.kind);
      result.level = finding.certainty == Certainty::Certain ? driver::SarifLevel::Error
                                                             : driver::SarifLevel::Warning;
      result.kind = spelling(finding.certainty);
      result.message = finding.message;
      for (const std::string& detail : finding.details) result.message += "\n" + detail;
      result.places = placesOf(*finding.place);
      if (finding.other == nullptr) continue;
      const auto others = placesOf(*finding.other);
      result.places.insert(result.places.end(), others.begin(), others.end());
    }
  }
  return results;
}

std::string fingerprintOf(const ir::Module& module, const Finding& finding) {
  std::string text = fmt::format("{}: {}: {}", finding.kernel->nameText(), spelling(finding.kind),
                                 textOf(module, *finding.place));
  if (finding.other != nullptr) text += fmt::format(" / {}", textOf(module, *finding.other));
  return text;
}

}  // namespace ptxopt::check
