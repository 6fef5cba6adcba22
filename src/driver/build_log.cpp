// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/build_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <map>

#include <nlohmann/json.hpp>

#include "driver/ptxas_process.h"

namespace ptxopt::ptxas {

namespace {

using Json = nlohmann::ordered_json;
using Outcome = LogEntry::Outcome;

constexpr std::array<std::string_view, 4> kOutcomes = {"optimized", "unchanged", "fallback",
                                                       "left alone"};

std::string_view spelling(Outcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)];
}

// "2026-11-23T04:00:00Z"
std::string currentTime() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

void addCounts(Json& line, const LogEntry& entry) {
  if (!entry.before) return;
  line["kernels"] = entry.before->kernels;
  line["names"] = entry.kernels;
  const auto add = [&](const char* name, std::uint64_t CodeCounts::*count) {
    line[fmt::format("{}Before", name)] = (*entry.before).*count;
    line[fmt::format("{}After", name)] = (entry.after ? *entry.after : *entry.before).*count;
  };
  add("barriers", &CodeCounts::barriers);
  add("instructions", &CodeCounts::instructions);
}

// ---- the table ---------------------------------------------------------------------------------

struct Sum {
  std::uint64_t texts = 0;
  std::uint64_t kernels = 0;
  std::array<std::uint64_t, 2> barriers{};  // before and after
  std::array<std::uint64_t, 2> instructions{};
  double seconds = 0;

  void add(const Json& line) {
    const auto number = [&](const char* name) { return line.value(name, std::uint64_t{0}); };
    ++texts;
    kernels += number("kernels");
    barriers[0] += number("barriersBefore");
    barriers[1] += number("barriersAfter");
    instructions[0] += number("instructionsBefore");
    instructions[1] += number("instructionsAfter");
    seconds += line.value("seconds", 0.0);
  }
  void add(const Sum& other) {
    texts += other.texts;
    kernels += other.kernels;
    seconds += other.seconds;
    for (const std::size_t k : {0, 1}) {
      barriers[k] += other.barriers[k];
      instructions[k] += other.instructions[k];
    }
  }
};

std::string rowOf(std::string_view name, const Sum& sum) {
  const auto change = [](const std::array<std::uint64_t, 2>& counts) {
    return counts[0] == counts[1] ? fmt::format("{}", counts[0])
                                  : fmt::format("{} -> {}", counts[0], counts[1]);
  };
  return fmt::format("{:<12}{:>8}{:>9}{:>20}{:>24}{:>10.2f}\n", name, sum.texts, sum.kernels,
                     change(sum.barriers), change(sum.instructions), sum.seconds);
}

}  // namespace

void appendToLog(const std::string& path, const std::vector<LogEntry>& entries,
                 const std::string& ptxas, const std::string& flags) {
  const std::string now = currentTime();
  std::string lines;
  for (const LogEntry& entry : entries) {
    Json line;
    line["time"] = now;
    line["outcome"] = spelling(entry.outcome);
    line["input"] = entry.input;
    if (!entry.source.empty()) line["source"] = entry.source;
    if (!entry.reason.empty()) line["reason"] = entry.reason;
    addCounts(line, entry);
    line["seconds"] = entry.seconds;
    line["flags"] = flags;
    line["ptxas"] = ptxas;
    // Names of files may hold any bytes; JSON must be UTF-8.
    lines += line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  }
  appendAtomically(path, lines);
}

std::string summaryOf(std::string_view log) {
  std::map<std::string, Sum, std::less<>> sums;
  std::map<std::string, std::uint64_t> reasons;
  std::uint64_t others = 0;
  while (!log.empty()) {
    const std::string_view text = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(text.size() + 1, log.size()));
    const Json line = Json::parse(text, nullptr, false);
    const std::string outcome = line.is_object() ? line.value("outcome", "") : "";
    if (std::ranges::find(kOutcomes, outcome) == kOutcomes.end()) {
      ++others;
      continue;
    }
    sums[outcome].add(line);
    if (const std::string reason = line.value("reason", ""); !reason.empty()) {
      ++reasons[fmt::format("{}: {}", outcome, reason)];
    }
  }
  std::string table = fmt::format("{:<12}{:>8}{:>9}{:>20}{:>24}{:>10}\n", "", "texts", "kernels",
                                  "barriers", "instructions", "seconds");
  Sum total;
  for (const std::string_view outcome : kOutcomes) {
    const auto sum = sums.find(outcome);
    if (sum == sums.end()) continue;
    table += rowOf(outcome, sum->second);
    total.add(sum->second);
  }
  table += rowOf("total", total);
  if (!reasons.empty()) table += "\nwhy not:\n";
  for (const auto& [reason, count] : reasons) table += fmt::format("{:>6}  {}\n", count, reason);
  if (total.texts == 0) {
    table += fmt::format("\nnote: {}\n", kNothingCame);
  } else if (total.kernels == 0 && sums.contains(spelling(Outcome::Unchanged))) {
    table += fmt::format(
        "\nnote: no text has a kernel: these are probes, as CMake compiles them; for your files, "
        "{}\n",
        kNothingCame);
  }
  if (others != 0) table += fmt::format("\n{} lines are no entries of a log\n", others);
  return table;
}

std::string sourceOf(std::string_view text) {
  constexpr std::string_view kFile = ".file";
  for (std::size_t at = text.find(kFile); at != std::string_view::npos;
       at = text.find(kFile, at + kFile.size())) {
    const std::size_t lineBegin = text.rfind('\n', at) + 1;  // npos + 1 is 0
    const bool isFirst =
        text.substr(lineBegin, at - lineBegin).find_first_not_of(" \t") == std::string_view::npos;
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const std::size_t open = line.find('"');
    const std::size_t close = line.find('"', open + 1);
    if (isFirst && open != std::string_view::npos && close != std::string_view::npos) {
      return std::string(line.substr(open + 1, close - open - 1));
    }
  }
  return {};
}

}  // namespace ptxopt::ptxas
