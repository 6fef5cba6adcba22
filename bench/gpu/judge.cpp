// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "judge.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "compare_bytes.h"
#include "interp/compare.h"

namespace ptxopt::gpu {

namespace {

// Offsets of the addresses that the launch puts into a buffer: they differ between machines.
std::vector<std::size_t> addressesIn(const interp::Launch& launch, const std::string& object) {
  std::vector<std::size_t> offsets;
  const auto collect = [&](const std::string& name, const interp::Argument& argument) {
    if (name != object) return;
    for (const auto& address : argument.addresses) offsets.push_back(address.offset);
  };
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    collect("argument " + std::to_string(k), launch.arguments[k]);
  }
  for (const auto& [name, content] : launch.globals) collect(name, content);
  return offsets;
}

template <class... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

// True if the objects of the same names have the same bytes in both.
bool areSame(const Case& one, const std::vector<interp::NamedBytes>& expected,
             const std::vector<interp::NamedBytes>& actual, const Tolerance& tolerance,
             std::string& detail) {
  double largest = 0;
  std::size_t bytes = 0;
  for (const interp::NamedBytes& object : actual) {
    const auto same = std::find_if(expected.begin(), expected.end(),
                                   [&](const auto& other) { return other.name == object.name; });
    if (same == expected.end()) continue;
    const auto result =
        compareBytes(same->bytes, object.bytes, tolerance, addressesIn(one.launch, object.name));
    if (!result.isSame()) {
      detail = object.name + " differs at byte " + std::to_string(*result.firstDifference);
      return false;
    }
    largest = std::max(largest, result.largestError);
    bytes += object.bytes.size();
  }
  detail = formatted("%zu bytes, error %.3g", bytes, largest);
  if (actual.size() < expected.size()) {
    detail += ", " + std::to_string(expected.size() - actual.size()) + " variables not readable";
  }
  return true;
}

// Of an interpolated place: 0.5 is the median.
double quantile(std::vector<double> values, double place) {
  std::sort(values.begin(), values.end());
  const double at = place * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

std::string cellsOf(const Times& times) {
  std::vector<double> before;
  std::vector<double> after;
  std::vector<double> ratio;
  for (const Times::Pair& pair : times.pairs) {
    before.push_back(pair.before);
    after.push_back(pair.after);
    ratio.push_back(pair.before > 0 ? pair.after / pair.before : 1);
  }
  return formatted("%.3f\t%.3f\t%.4f\t%.4f\t%.4f\t%zu\t%u", quantile(before, 0.5),
                   quantile(after, 0.5), quantile(ratio, 0.5), quantile(ratio, 0.25),
                   quantile(ratio, 0.75), times.pairs.size(), times.launches);
}

// The separator of cells, and that of messages, stay out of them.
std::string clean(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

}  // namespace

bool isSame(const std::string& optimized) {
  return optimized == "same";
}

bool Row::isGood() const {
  return verdict != "different" &&
         std::none_of(optimized.begin(), optimized.end(),
                      [](const std::string& text) { return text.starts_with("different"); });
}

std::string Row::line() const {
  std::string text =
      clean(step) + '\t' + clean(mode) + '\t' + clean(verdict) + '\t' + clean(detail);
  for (const std::string& result : optimized) text += '\t' + clean(result);
  return text;
}

Row Row::ofLine(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == '\t') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  cells.resize(std::max<std::size_t>(cells.size(), 4));
  return {cells[0], cells[1], cells[2], cells[3], {cells.begin() + 4, cells.end()}};
}

// What the interpreter computes.
struct Judge::Expectation {
  std::optional<interp::Outcome> outcome;
  std::string reason;  // why there is none
  // There is none, but what the GPU does may have one outcome all the same.
  bool mayBeCompared = false;
};

Judge::Expectation Judge::expectation(const Case& one) const {
  using Kind = interp::FindingKind;
  interp::MachineOptions machine;
  machine.stepLimit = options_.stepLimit;
  Expectation result;
  auto survey = interp::survey(*one.module, one.launch, machine, options_.schedules, result.reason);
  if (!survey) return result;
  if (!survey->findings.empty()) {
    result.reason = interp::spelling(survey->findings.front().kind);
    const std::vector<Kind>& known = one.launch.expected;
    const bool isRaceKnown = std::count(known.begin(), known.end(), Kind::DataRace) != 0;
    const bool isOneOutcome = survey->distinct.size() == 1 && !one.launch.isBroken;
    const auto isHarmless = [&](const interp::Finding& finding) {
      if (finding.kind == Kind::StepLimit) return options_.runsUnfinished;
      if (finding.kind == Kind::DataRace) return isRaceKnown && isOneOutcome;
      return finding.kind == Kind::Unsupported;
    };
    result.mayBeCompared =
        std::all_of(survey->findings.begin(), survey->findings.end(), isHarmless);
  } else if (survey->distinct.size() != 1) {
    result.reason = "several outcomes";
  } else {
    result.outcome = std::move(survey->distinct.front());
  }
  return result;
}

// Runs the kernel as it is.  False: there is nothing to compare others with.
bool Judge::compareOriginal(const Case& one, const Expectation& expected, Row& row,
                            std::vector<interp::NamedBytes>& actual, bool& isSpent) const {
  const std::string text(one.source->text());
  const std::vector<interp::NamedBytes> wanted = objectsOf(one);
  DeviceError error;
  const auto run = [&] {
    auto result = device_->run(text, *one.kernel, one.launch, wanted, error);
    isSpent = isSpent || error.isFinal;
    return result;
  };
  const auto first = run();
  if (!first) {
    row.verdict = error.isFault && expected.outcome ? "different" : "not compared";
    row.detail = expected.outcome ? error.text : expected.reason + "; " + error.text;
    return false;
  }
  actual = *first;
  if (expected.outcome) {
    const Tolerance tolerance = toleranceFor(*one.module, *one.kernel, options_.tolerance);
    const bool same = areSame(one, expected.outcome->memory, actual, tolerance, row.detail);
    row.verdict = same ? "same" : "different";
    return true;
  }
  const auto second = run();
  std::string detail;
  if (second && areSame(one, actual, *second, {}, detail)) return true;
  row.detail += second ? "; two runs differ: " + detail : "; " + error.text;
  return false;
}

Row Judge::compare(const Case& one, const std::function<void(const Row&)>& report,
                   bool& isSpent) const {
  const Tolerance tolerance = toleranceFor(*one.module, *one.kernel, options_.tolerance);
  Row row;
  row.mode = tolerance.isExact() ? "exact" : formatted("within %.3g", options_.tolerance);
  row.verdict = "not compared";
  row.step = "interpreter";
  report(row);
  const Expectation expected = expectation(one);
  row.detail = expected.reason;
  const bool isCompared = expected.outcome || expected.mayBeCompared;
  std::vector<interp::NamedBytes> before;
  if (device_ == nullptr) {
    if (!isCompared) return row;
    if (expected.outcome) {
      row.verdict = "to be compared";
      row.detail = std::to_string(expected.outcome->memory.size()) + " objects";
    }
  } else {
    if (!isCompared) return row;
    row.step = "original";
    report(row);
    if (!compareOriginal(one, expected, row, before, isSpent)) return row;
  }
  std::vector<std::string> texts;
  for (const NamedPipeline& pipeline : options_.pipelines) {
    row.step = pipeline.name;
    report(row);
    const Variant variant = optimize(one, pipeline);
    const auto known = static_cast<std::size_t>(
        std::find(texts.begin(), texts.end(), variant.text) - texts.begin());
    const bool isKnown = known < texts.size();
    texts.push_back(variant.text);
    if (variant.text.empty()) {
      row.optimized.push_back("not compared: cannot be optimized");
    } else if (!variant.isChanged) {
      row.optimized.push_back("unchanged");
    } else if (isKnown) {
      row.optimized.push_back("as " + options_.pipelines[known].name);
    } else if (device_ == nullptr) {
      row.optimized.push_back("to be compared");
    } else if (isSpent) {
      row.optimized.push_back("not compared: after a fault");
    } else {
      DeviceError error;
      std::string detail;
      const auto after = device_->run(variant.text, *one.kernel, one.launch, before, error);
      isSpent = isSpent || error.isFinal;
      if (!after) {
        row.optimized.push_back("different: " + error.text);
      } else {
        row.optimized.push_back(areSame(one, before, *after, {}, detail) ? "same"
                                                                         : "different: " + detail);
      }
    }
  }
  return row;
}

std::string Judge::time(const Case& one, const NamedPipeline& pipeline, bool& isSpent) const {
  const Variant variant = optimize(one, pipeline);
  if (variant.text.empty()) return {};
  if (!variant.isCodeChanged && !options_.timesUnchanged) return {};
  const std::string before(one.source->text());
  DeviceError error;
  const auto times = device_->time(before, variant.text, *one.kernel, one.launch, objectsOf(one),
                                   options_.pairs, options_.byGraph, error);
  isSpent = error.isFinal;
  const std::string note = variant.isCodeChanged ? "" : "the same code";
  if (!times) return "\t\t\t\t\t\t\t" + clean("not measured: " + error.text);
  return cellsOf(*times) + '\t' + note;
}

}  // namespace ptxopt::gpu
