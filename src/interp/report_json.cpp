// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/report_json.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "interp/program.h"
#include "support/demangle.h"

namespace ptxopt::interp {

namespace {

nlohmann::json placeJson(const ir::Module& module, const ir::SourceLines& lines,
                         const ir::Instruction* instruction) {
  if (instruction == nullptr) return nullptr;
  const LineColumn at = module.source().lineColumn(instruction->source.begin);
  nlohmann::json result = {{"line", at.line}, {"column", at.column}};
  const std::vector<ir::SourcePlace> chain = sourceChain(lines, *instruction);
  for (std::size_t k = 0; k < chain.size(); ++k) {
    nlohmann::json place = {{"file", chain[k].file}, {"line", chain[k].line}};
    if (!chain[k].function.empty()) place["function"] = chain[k].function;
    if (k == 0) {
      result["source"] = place;
    } else {
      result["inlinedAt"].push_back(place);
    }
  }
  return result;
}

void addCounts(nlohmann::json& result, std::size_t threads, std::size_t ctas) {
  if (threads == 0) return;
  result["threads"] = threads;
  result["ctas"] = ctas;
}

nlohmann::json findingJson(const ir::Module& module, const ir::SourceLines& lines,
                           const Finding& finding) {
  nlohmann::json result = {{"kind", spelling(finding.kind)},
                           {"file", module.source().name()},
                           {"place", placeJson(module, lines, finding.place)},
                           {"message", finding.message},
                           {"other", placeJson(module, lines, finding.other)},
                           {"otherMessage", finding.otherMessage}};
  addCounts(result, finding.threads.size(), ctasOf(finding.threads));
  // The first line of the file of facts describes the file.
  if (finding.kind == FindingKind::FalseFact) result["factsLine"] = finding.claim + 2;
  return result;
}

// The findings, and the groups that the text shows one of each of.
void addFindings(nlohmann::json& report, const ir::Module& module,
                 const std::vector<Finding>& findings) {
  const ir::SourceLines lines(module);
  report["findings"] = nlohmann::json::array();
  for (const Finding& finding : findings) {
    report["findings"].push_back(findingJson(module, lines, finding));
  }
  report["groups"] = nlohmann::json::array();
  for (const FindingGroup& group : groupFindings(module, lines, findings)) {
    nlohmann::json one = {{"kind", spelling(group.example->kind)}, {"findings", group.members}};
    addCounts(one, group.threads, group.ctas);
    report["groups"].push_back(std::move(one));
  }
}

constexpr std::string_view kBounds[] = {".reqntid",       ".maxntid",           ".minnctapersm",
                                        ".maxnctapersm",  ".reqnctapercluster", ".maxnreg",
                                        ".maxclusterrank"};

std::string typeOf(const ir::Variable& variable) {
  std::string text(isa::spelling(variable.type));
  for (const std::int64_t dimension : variable.dimensions) {
    text += "[" + std::to_string(dimension) + "]";
  }
  return text;
}

nlohmann::json describe(const ir::Module& module, const ir::Function& kernel) {
  const Image image(module);
  const Program program(module, kernel, image);
  const std::string name(kernel.nameText());
  nlohmann::json result = {{"name", name},
                           {"demangled", demangled(name)},
                           {"parameters", nlohmann::json::array()},
                           {"shared", program.staticSharedBytes()},
                           {"bounds", nlohmann::json::object()}};
  for (const ir::Variable* parameter : entryParameters(kernel)) {
    result["parameters"].push_back({{"name", module.text(parameter->name)},
                                    {"type", typeOf(*parameter)},
                                    {"bytes", parameter->size}});
  }
  result["usesDynamicShared"] = program.usesDynamicShared();
  for (const std::string_view bound : kBounds) {
    const ir::Attribute* attribute = kernel.attribute(bound);
    if (attribute != nullptr) result["bounds"][std::string(bound)] = attribute->values;
  }
  return result;
}

}  // namespace

std::string checksumText(const Outcome& outcome) {
  return fmt::format("{:016x}", outcome.checksum());
}

nlohmann::json toJson(const ir::Module& module, const Survey& survey) {
  nlohmann::json report = {{"runs", survey.runs}, {"steps", survey.steps}};
  addFindings(report, module, survey.findings);
  report["outcomes"] = nlohmann::json::array();
  for (const Outcome& outcome : survey.distinct) {
    report["outcomes"].push_back(
        {{"checksum", checksumText(outcome)}, {"printed", outcome.printed}});
  }
  return report;
}

nlohmann::json kernelsJson(const ir::Module& module) {
  nlohmann::json kernels = nlohmann::json::array();
  for (const ir::Function& function : module.functions()) {
    if (function.isEntry() && function.hasBody()) kernels.push_back(describe(module, function));
  }
  return {{"kernels", kernels}};
}

}  // namespace ptxopt::interp
