// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/check_report.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "driver/remark_text.h"
#include "ir/source_lines.h"

namespace ptxopt::driver {

namespace {

// The changes of one pass that come from one line.
struct Group {
  std::uint32_t column = 0;
  std::string text;
  std::size_t places = 0;
  bool areAlike = true;  // all have this text
};

// By file, line and pass.
using Groups = std::map<std::tuple<std::string, std::uint32_t, std::string_view>, Group>;

void add(Groups& groups, const std::string& file, std::uint32_t line, std::uint32_t column,
         const passes::Remark& remark, const std::string& text) {
  const auto [at, isNew] = groups.try_emplace({file, line, remark.pass}, Group{column, text, 1});
  if (isNew) return;
  ++at->second.places;
  at->second.areAlike &= at->second.text == text;
}

Groups groupsOf(const OptimizeResult& result) {
  Groups groups;
  const ir::SourceLines lines(*result.module);
  for (const passes::Remark& remark : result.run.remarks) {
    if (remark.kind != passes::RemarkKind::Passed) continue;
    const auto written = remark.source != nullptr ? lines.written(*remark.source) : std::nullopt;
    const std::string text = changeText(remark, lines);
    if (written && !written->file.empty()) {
      add(groups, std::string(written->file), written->line, written->column, remark, text);
      continue;
    }
    const LineColumn place =
        remark.place.valid() ? result.source->lineColumn(remark.place.begin) : LineColumn();
    add(groups, result.source->name(), place.line, place.column, remark, text);
  }
  return groups;
}

std::string countOf(const Group& group) {
  if (group.places == 1) return {};
  if (group.areAlike) return fmt::format(" ({} places)", group.places);
  return fmt::format(", and {} more", group.places - 1);
}

}  // namespace

std::vector<Diagnostic> warningsOfChanges(const OptimizeResult& result) {
  std::vector<Diagnostic> warnings;
  const auto warn = [&](std::string file, LineColumn place, std::string message) {
    warnings.push_back({Severity::Warning, std::move(file), place, std::move(message)});
  };
  if (result.module != nullptr) {
    for (const auto& [key, group] : groupsOf(result)) {
      const auto& [file, line, pass] = key;
      warn(file, {line, group.column}, fmt::format("{}{} [{}]", group.text, countOf(group), pass));
    }
  }
  if (warnings.empty()) warn(result.source->name(), {}, "would change");
  return warnings;
}

}  // namespace ptxopt::driver
