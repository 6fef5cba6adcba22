// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptxrun_report.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <iostream>
#include <tuple>

#include "driver/files.h"
#include "interp/report_json.h"

namespace ptxopt::ptxrun {

namespace {

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

// "NAME:REST"; the syntax is for the message.
std::pair<std::string, std::string> splitName(const std::string& text, const std::string& syntax) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string::npos || colon + 1 == text.size()) {
    throw BadInput{"'" + text + "' is not as in " + syntax};
  }
  return {text.substr(0, colon), text.substr(colon + 1)};
}

const interp::NamedBytes& objectOf(const interp::Outcome& outcome, const std::string& name) {
  const interp::NamedBytes* object = interp::findObject(outcome, name);
  if (object == nullptr) throw BadInput{interp::noObject(outcome, name)};
  return *object;
}

bool isDumped(const Job& job, const interp::Outcome& outcome, const interp::NamedBytes& object,
              const Options& options) {
  if (options.dumps) return true;
  for (const interp::Launch& launch : job.scenario.launches) {
    for (const std::string& name : launch.printed) {
      if (interp::findObject(outcome, name) == &object) return true;
    }
  }
  return false;
}

// NAME[:TYPE[:COUNT]]
void printNumbers(const interp::Outcome& outcome, const std::string& text) {
  const std::vector<std::string_view> words = interp::split(text, ':');
  const auto type =
      words.size() > 1 ? interp::parseElementType(words[1]) : std::optional(isa::Type::U32);
  const auto count = words.size() > 2 ? interp::parseNumber(words[2]) : ~std::uint64_t{0};
  if (!type || !count || words.size() > 3) {
    throw BadInput{"--print " + text + " is not as in --print arg0:f32 or --print arg0:f32:16"};
  }
  const interp::NamedBytes& object = objectOf(outcome, std::string(words[0]));
  const std::vector<std::uint64_t> elements = interp::elementsOf(object.bytes, *type);
  constexpr std::size_t kPerLine = 8;
  const std::size_t end = std::min<std::uint64_t>(elements.size(), *count);
  std::printf("%s:", std::string(words[0]).c_str());
  for (std::size_t k = 0; k < end; ++k) {
    if (k % kPerLine == 0 && end > kPerLine) std::printf("\n  [%zu]", k);
    std::printf(" %s", interp::elementText(*type, elements[k]).c_str());
  }
  std::printf(end < elements.size() ? " ...\n" : "\n");
}

// NAME:FILE[:TOLERANCE[:TYPE]]
interp::Expectation expectationOf(const std::string& text) {
  interp::Expectation expectation;
  std::string file;
  std::tie(expectation.name, file) = splitName(text, "--expect NAME:FILE:TOLERANCE");
  const auto takeLast = [&]() -> std::string {
    const std::size_t colon = file.rfind(':');
    return colon == std::string::npos ? "" : file.substr(colon + 1);
  };
  const auto dropLast = [&] { file.resize(file.rfind(':')); };
  const auto type = interp::parseElementType(takeLast());
  if (type) dropLast();
  if (const auto tolerance = interp::parseReal(takeLast())) {
    expectation.tolerance = *tolerance;
    expectation.type = isa::Type::F32;
    dropLast();
  }
  if (type) expectation.type = *type;
  try {
    const auto content = driver::readSource(file);
    expectation.bytes.assign(content->text().begin(), content->text().end());
  } catch (const driver::FileError& problem) {
    throw BadInput{file + ": " + problem.what()};
  }
  if (expectation.bytes.empty()) {
    throw BadInput{"--expect " + text + ": the file is empty, so there is nothing to compare"};
  }
  return expectation;
}

// Bytes beyond the end of the file are not compared, and a note says so.
void noteIfShort(const std::string& option, const interp::Expectation& expectation,
                 const interp::Outcome& outcome) {
  const std::size_t all = objectOf(outcome, expectation.name).bytes.size();
  const auto size = static_cast<std::size_t>(std::max(isa::bitWidth(expectation.type), 8)) / 8;
  const std::size_t compared = expectation.bytes.size() / size * size;
  if (compared >= all) return;
  std::cerr << "note: --expect " << option << ": compared " << compared << " of " << all
            << " bytes\n";
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void printGroups(const ir::Module& module, const ir::SourceLines& lines,
                 const std::vector<interp::FindingGroup>& groups) {
  std::cout << std::flush;
  std::fflush(stdout);
  for (const interp::FindingGroup& group : groups) {
    std::cerr << interp::format(module, lines, group) << '\n';
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

nlohmann::json toJson(const ir::Module& module, const interp::Survey& result,
                      const std::vector<std::string>& unexpected, bool hasFacts) {
  nlohmann::json report = interp::toJson(module, result);
  if (hasFacts) report["facts"] = FactCounts(result.audit).json();
  report["unexpected"] = unexpected;
  return report;
}

void print(const ir::Module& module, const Job& job, const interp::Survey& result,
           const std::vector<std::string>& unexpected, const Options& options) {
  const ir::SourceLines lines(module);
  const std::vector<interp::FindingGroup> groups =
      interp::groupFindings(module, lines, result.findings);
  printGroups(module, lines, groups);
  for (const std::string& message : unexpected) std::cerr << "unexpected: " << message << '\n';
  std::printf(
      "%s, %s, %s%s\n", counted(result.runs, "schedule").c_str(),
      counted(result.outcomes.size(), "distinct outcome").c_str(),
      interp::summaryOf(groups).c_str(),
      unexpected.empty() ? "" : (", " + counted(unexpected.size(), "unexpected result")).c_str());
  for (const interp::Outcome& outcome : result.distinct) {
    std::fputs(outcome.printed.c_str(), stdout);
    for (const interp::NamedBytes& object : outcome.memory) {
      if (isDumped(job, outcome, object, options)) dump(object);
    }
    for (const std::string& text : options.printed) printNumbers(outcome, text);
    std::printf("checksum %s\n", interp::checksumText(outcome).c_str());
  }
  std::fflush(stdout);
}

void printFindings(const ir::Module& module, const std::vector<interp::Finding>& findings) {
  const ir::SourceLines lines(module);
  printGroups(module, lines, interp::groupFindings(module, lines, findings));
}

std::vector<std::string> unexpected(const Job& job, const interp::Survey& result,
                                    const Options& options) {
  std::vector<interp::Expectation> expectations = job.scenario.expectations;
  for (const std::string& text : options.expected) expectations.push_back(expectationOf(text));
  for (std::size_t k = 0; k < options.expected.size() && !result.distinct.empty(); ++k) {
    noteIfShort(options.expected[k], expectations[job.scenario.expectations.size() + k],
                result.distinct.front());
  }
  std::vector<std::string> messages;
  for (const interp::Expectation& expectation : expectations) {
    for (const interp::Outcome& outcome : result.distinct) {
      objectOf(outcome, expectation.name);
      if (auto message = interp::mismatch(outcome, expectation)) {
        messages.push_back(std::move(*message));
        break;
      }
    }
    if (result.distinct.empty()) messages.push_back(expectation.name + ": no run came to its end");
  }
  return messages;
}

void save(const interp::Survey& result, const Options& options) {
  for (const std::string& text : options.saved) {
    const auto [name, file] = splitName(text, "--save NAME:FILE");
    if (result.distinct.empty()) throw BadInput{"--save " + text + ": no run came to its end"};
    const interp::NamedBytes& object = objectOf(result.distinct.front(), name);
    const std::string_view bytes(reinterpret_cast<const char*>(object.bytes.data()),
                                 object.bytes.size());
    try {
      driver::writeFile(file, bytes);
    } catch (const driver::FileError& problem) {
      throw BadInput{file + ": " + problem.what()};
    }
  }
}

}  // namespace ptxopt::ptxrun
