// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

#include "support/limits.h"

namespace ptxopt::driver {

namespace {

using Json = nlohmann::ordered_json;

// By name, in the order of their first occurrence.
void add(std::vector<passes::PassTime>& sums, const std::vector<passes::PassTime>& times) {
  for (const passes::PassTime& time : times) {
    const auto same = std::find_if(sums.begin(), sums.end(),
                                   [&](const passes::PassTime& s) { return s.name == time.name; });
    if (same != sums.end()) {
      same->seconds += time.seconds;
    } else {
      sums.push_back(time);
    }
  }
}

FileStatistics sumOf(const std::vector<FileStatistics>& files) {
  FileStatistics sum;
  for (const FileStatistics& file : files) {
    sum.changed = sum.changed || file.changed;
    sum.before += file.before;
    sum.after += file.after;
    for (const auto& [pass, counters] : file.passes) {
      for (const auto& [counter, count] : counters) sum.passes[pass][counter] += count;
    }
    add(sum.phases, file.phases);
    add(sum.passTimes, file.passTimes);
  }
  return sum;
}

Json toJson(const CodeCounts& counts) {
  return {{"instructions", counts.instructions}, {"barriers", counts.ctaBarriers}};
}

void writeCounts(Json& json, const FileStatistics& statistics) {
  json["changed"] = statistics.changed;
  json["before"] = toJson(statistics.before);
  json["after"] = toJson(statistics.after);
  Json& passes = json["passes"] = Json::object();
  for (const auto& [pass, counters] : statistics.passes) {
    Json& named = passes[pass] = Json::object();
    for (const auto& [counter, count] : counters) named[counter] = count;
  }
}

// A function that has gone has no counts afterwards.
Json toJson(const std::vector<FunctionStatistics>& functions) {
  Json list = Json::array();
  for (const FunctionStatistics& function : functions) {
    Json json;
    json["name"] = function.name;
    json["kernel"] = function.isKernel;
    json["before"] = toJson(function.before);
    json["after"] = function.after ? toJson(*function.after) : Json();
    list.push_back(std::move(json));
  }
  return list;
}

std::vector<FunctionStatistics> functionsOf(const ModuleCounts& before, const ModuleCounts& after) {
  std::unordered_map<std::string_view, const CodeCounts*> left;
  for (const auto& function : after.functions) left.emplace(function.name, &function.counts);
  std::vector<FunctionStatistics> functions;
  for (const auto& function : before.functions) {
    FunctionStatistics& one = functions.emplace_back(
        FunctionStatistics{function.name, function.isKernel, function.counts, {}});
    if (const auto at = left.find(function.name); at != left.end()) one.after = *at->second;
  }
  return functions;
}

// Calls visit(key, count).
template <class Visitor>
void forEachLimitMet(Visitor&& visit) {
  for (std::size_t k = 0; k < kLimits.size(); ++k) {
    const std::uint64_t count = timesMet(static_cast<Limit>(k));
    if (count != 0) visit(kLimits[k].key, count);
  }
}

}  // namespace

FileStatistics statisticsOf(const std::string& file, const OptimizeResult& result) {
  FileStatistics statistics;
  statistics.file = file;
  statistics.ok = result.ok;
  statistics.changed = result.run.changed || result.isRestated;
  statistics.before = result.before;
  statistics.after = result.after;
  statistics.functions = functionsOf(result.before, result.after);
  statistics.passes = result.run.statistics;
  statistics.phases = result.phases;
  statistics.passTimes = result.run.times;
  return statistics;
}

std::string statisticsTable(const std::vector<FileStatistics>& files) {
  const FileStatistics sum = sumOf(files);
  std::string text;
  auto out = std::back_inserter(text);
  const auto changed = std::count_if(files.begin(), files.end(),
                                     [](const FileStatistics& file) { return file.changed; });
  fmt::format_to(out, "{:<44}{:>12}{:>12}\n", "", "before", "after");
  fmt::format_to(out, "{:<44}{:>12}{:>12}\n", "instructions", sum.before.instructions,
                 sum.after.instructions);
  fmt::format_to(out, "{:<44}{:>12}{:>12}\n", "barriers of the CTA", sum.before.ctaBarriers,
                 sum.after.ctaBarriers);
  fmt::format_to(out, "{:<44}{:>12}{:>12}\n", "files changed", changed,
                 fmt::format("of {}", files.size()));
  for (const auto& [pass, counters] : sum.passes) {
    for (const auto& [counter, count] : counters) {
      fmt::format_to(out, "{:<44}{:>12}\n", fmt::format("{}: {}", pass, counter), count);
    }
  }
  forEachLimitMet([&](std::string_view key, std::uint64_t count) {
    fmt::format_to(out, "{:<44}{:>12}\n", fmt::format("limit met: {}", key), count);
  });
  return text;
}

std::string statisticsJson(const std::vector<FileStatistics>& files) {
  Json document;
  Json& list = document["files"] = Json::array();
  for (const FileStatistics& file : files) {
    Json json;
    json["file"] = file.file;
    json["ok"] = file.ok;
    writeCounts(json, file);
    json["functions"] = toJson(file.functions);
    list.push_back(std::move(json));
  }
  Json& total = document["total"];
  writeCounts(total, sumOf(files));
  Json& limits = total["limits"] = Json::object();
  forEachLimitMet([&](std::string_view key, std::uint64_t count) { limits[key] = count; });
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string timeTable(const std::vector<FileStatistics>& files) {
  const FileStatistics sum = sumOf(files);
  double total = 0;
  for (const passes::PassTime& phase : sum.phases) total += phase.seconds;
  std::string text;
  auto out = std::back_inserter(text);
  const auto row = [&](const std::string& name, double seconds) {
    fmt::format_to(out, "{:<32}{:>12.3f} ms{:>8.1f} %\n", name, seconds * 1e3,
                   total > 0 ? seconds / total * 100 : 0.0);
  };
  for (const passes::PassTime& phase : sum.phases) {
    row(phase.name, phase.seconds);
    if (phase.name != "passes") continue;
    for (const passes::PassTime& pass : sum.passTimes) row("  " + pass.name, pass.seconds);
  }
  row("total", total);
  return text;
}

}  // namespace ptxopt::driver
