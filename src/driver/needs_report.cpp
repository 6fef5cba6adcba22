// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/needs_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/needs/needs.h"
#include "ir/source_lines.h"
#include "isa/targets.h"

namespace ptxopt::driver {

namespace {

using analysis::Need;
using analysis::NeedSum;
using Json = nlohmann::ordered_json;

// The module, or one function of it, or what stands in no function.
struct Part {
  const ir::Function* function = nullptr;
  NeedSum sum;
  isa::Version version;               // of `sum`
  std::optional<isa::Target> target;  // of `sum`
  std::optional<isa::Target> below;   // the next lower one
  std::vector<Need> versionNeeds;     // what decides
  std::vector<Need> targetNeeds;

  void finishSum() {
    target = sum.target();
    version = target ? sum.version(*target) : sum.version();
    if (target) below = sum.targetBelow(*target);
  }
  void collect(const Need& need) {
    if ((target ? need.versionFor(*target) : need.version) == version) versionNeeds.push_back(need);
    if (below && !isa::satisfies(*below, need.target)) targetNeeds.push_back(need);
  }
};

class Report {
 public:
  explicit Report(const ir::Module& module) : module_(module), lines_(module) {
    analysis::forEachNeed(module, [this](const Need& need) { needs_.push_back(need); });
  }

  Part whole() const {
    Part part;
    for (const Need& need : needs_) part.sum.add(need);
    part.finishSum();
    for (const Need& need : needs_) part.collect(need);
    return part;
  }

  // First what stands in no function, then the functions in the order of the text.
  std::vector<Part> parts() const {
    std::vector<Part> parts(1);
    for (std::size_t begin = 0; begin < needs_.size();) {
      std::size_t end = begin;
      while (end < needs_.size() && needs_[end].function == needs_[begin].function) ++end;
      if (needs_[begin].function != nullptr) parts.emplace_back().function = needs_[begin].function;
      Part& part = needs_[begin].function != nullptr ? parts.back() : parts.front();
      for (; begin != end; ++begin) part.sum.add(needs_[begin]);
    }
    for (Part& part : parts) part.finishSum();
    std::size_t at = 0;
    for (const Need& need : needs_) {
      if (need.function != nullptr && parts[at].function != need.function) ++at;
      (need.function != nullptr ? parts[at] : parts.front()).collect(need);
    }
    return parts;
  }

  // ---- text -------------------------------------------------------------------------------------

  std::string text(const Part& part, std::string_view name) const {
    const std::string file = module_.source().name();
    if (!part.target) {
      return fmt::format("{}: {}no target has everything: PTX {} and {} are needed\n", file, name,
                         isa::toString(part.version), requirements(part));
    }
    const std::string version = "PTX " + isa::toString(part.version);
    const std::string target = isa::toString(*part.target);
    std::string text = fmt::format("{}: {}needs {} and {}", file, name, version, target);
    if (part.function == nullptr && name.empty()) {
      text += fmt::format("; states PTX {} and {}", isa::toString(module_.version),
                          isa::toString(module_.target));
    }
    text += '\n';
    if (isSamePlace(part)) return text + line(part.versionNeeds, version + " and " + target);
    if (part.versionNeeds.empty()) {
      text += fmt::format("{}: {}: no earlier version has {}\n", file, version, target);
    }
    return text + line(part.versionNeeds, version) + line(part.targetNeeds, target);
  }

  // ---- JSON -------------------------------------------------------------------------------------

  Json json(const Part& part) const {
    Json json;
    json["version"] = isa::toString(part.version);
    json["target"] = part.target ? Json(isa::toString(*part.target)) : Json();
    json["lower_version"] = lowerVersion(part);
    json["lower_target"] = lowerTarget(part);
    json["version_needed_by"] = places(part.versionNeeds, isa::kUnprovenVersion);
    json["target_needed_by"] = places(part.targetNeeds, isa::kUnprovenTarget);
    return json;
  }

  Json document() const {
    Json json;
    json["file"] = module_.source().name();
    json["stated_version"] = isa::toString(module_.version);
    json["stated_target"] = isa::toString(module_.target);
    json.update(this->json(whole()));
    return json;
  }

 private:
  static Json at(isa::Version version, isa::Target target) {
    return {{"version", isa::toString(version)}, {"target", isa::toString(target)}};
  }

  // The next lower version that has the target; null if there is none.
  static Json lowerVersion(const Part& part) {
    const auto all = isa::knownVersions();
    const auto found = std::ranges::lower_bound(all, part.version);
    if (!part.target || found == all.begin()) return {};
    const isa::Version lower = *std::prev(found);
    return lower < isa::firstVersion(*part.target) ? Json() : at(lower, *part.target);
  }

  // The next lower target, with a version that has it.
  static Json lowerTarget(const Part& part) {
    if (!part.below) return {};
    return at(std::max(part.version, *isa::firstVersion(*part.below)), *part.below);
  }

  static bool isSamePlace(const Part& part) {
    return !part.versionNeeds.empty() && !part.targetNeeds.empty() &&
           part.versionNeeds.front().at == part.targetNeeds.front().at &&
           part.versionNeeds.front().what == part.targetNeeds.front().what;
  }

  static std::string requirements(const Part& part) {
    std::string text;
    for (const std::string_view one : part.sum.targets()) {
      text += (text.empty() ? "" : ", ") + isa::targetsText(one);
    }
    return text;
  }

  std::string line(const std::vector<Need>& needs, std::string_view what) const {
    if (needs.empty()) return {};
    const Need& first = needs.front();
    const LineColumn place = module_.source().lineColumn(first.at);
    std::string text = fmt::format("{}:{}:{}: {}: '{}'", module_.source().name(), place.line,
                                   place.column, what, first.what);
    if (!first.isUnderstood) text += ", which is not understood";
    if (const auto written = lines_.written(first.at)) text += " (" + shortText(*written) + ')';
    if (needs.size() > 1) {
      text += fmt::format(", and {} more place{}", needs.size() - 1, needs.size() > 2 ? "s" : "");
    }
    return text + '\n';
  }

  Json places(const std::vector<Need>& needs, isa::Unproven unproven) const {
    Json list = Json::array();
    for (const Need& need : needs) {
      const LineColumn place = module_.source().lineColumn(need.at);
      Json& json = list.emplace_back();
      json["line"] = place.line;
      json["column"] = place.column;
      json["what"] = need.what;
      if (const auto written = lines_.written(need.at)) json["source"] = shortText(*written);
      json["understood"] = need.isUnderstood;
      // False: ptxas takes it all the same below the version or target of the manual.
      json["enforced"] = (need.unproven & unproven) == 0;
    }
    return list;
  }

  const ir::Module& module_;
  ir::SourceLines lines_;
  std::vector<Need> needs_;
};

std::string nameOf(const Part& part) {
  if (part.function == nullptr) return "outside of kernels and functions: ";
  return fmt::format("{} {}: ", part.function->isEntry() ? "kernel" : "function",
                     part.function->nameText());
}

}  // namespace

std::string needsReport(const ir::Module& module, ReportFormat format, bool byKernel) {
  const Report report(module);
  if (format == ReportFormat::Json) {
    Json json = report.document();
    if (byKernel) {
      Json& list = json["parts"] = Json::array();
      for (const Part& part : report.parts()) {
        Json& one = list.emplace_back();
        one["name"] = part.function != nullptr ? Json(part.function->nameText()) : Json();
        one["kernel"] = part.function != nullptr && part.function->isEntry();
        one.update(report.json(part));
      }
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  }
  std::string text = report.text(report.whole(), "");
  if (!byKernel) return text;
  for (const Part& part : report.parts()) text += report.text(part, nameOf(part));
  return text;
}

}  // namespace ptxopt::driver
