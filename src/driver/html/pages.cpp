// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/html/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "driver/files.h"
#include "driver/html/code_table.h"
#include "driver/html/flow_drawing.h"
#include "driver/html/markup.h"
#include "driver/sync_rows.h"
#include "driver/what_if.h"
#include "parse/parser.h"
#include "support/demangle.h"

namespace ptxopt::driver {

namespace {

using passes::BarrierOutcome;

// "<li>barriers<b>5 → 1</b></li>"
std::string change(std::string_view what, std::uint64_t before,
                   std::optional<std::uint64_t> after) {
  const std::string now = after ? std::to_string(*after) : "gone";
  return fmt::format("<li>{}<b>{} → {}</b></li>", what, before, now);
}

std::string rowOf(const SyncRow& row) {
  std::string why = row.why;
  for (const std::string& more : row.more) why += '\n' + more;
  return fmt::format(
      "<tr><td class='n'><a href='#l{}'>{}</a></td><td>{}</td><td>{}</td><td class='n'>{}</td>"
      "<td class='{}'>{}</td><td class='why'>{}</td></tr>\n",
      row.line, row.line, escaped(row.source), escaped(row.statement), row.depth,
      row.outcome == BarrierOutcome::Kept ? "" : "less", passes::spelling(row.outcome),
      escaped(why));
}

std::string tableOf(std::vector<SyncRow> rows) {
  if (rows.empty()) return "<p>Nothing in it synchronises.</p>\n";
  std::ranges::stable_sort(rows, std::ranges::greater(), &SyncRow::depth);
  std::string text =
      "<h2>Barriers, waits and fences</h2><div class='scroll'><table><tr><th class='n'>line</th>"
      "<th>source</th><th>statement</th><th "
      "class='n'>loops</th><th>outcome</th><th>why</th></tr>\n";
  for (const SyncRow& row : rows) text += rowOf(row);
  return text + "</table></div>\n";
}

class Pages {
 public:
  Pages(const OptimizeOptions& options, const OptimizeResult& result)
      : result_(result), module_(parse::parse(result.source, diagnostics_)) {
    if (module_ == nullptr) return;
    rows_.emplace(*module_, result.run.remarks);
    code_.emplace(*module_, result.output);
    const auto all = [](const ir::Function&) { return true; };
    ways_ = WhatIf(result.source, options, *module_).ways(rows_->kept(all));
    rows_->setWays(ways_);
    for (const auto& of : result.before.functions) before_[of.name] = of.counts;
    for (const auto& of : result.after.functions) after_[of.name] = of.counts;
    for (ir::Function& function : result.module->functions()) {
      if (function.hasBody()) results_[std::string(function.nameText())] = &function;
    }
  }

  const std::string& name() const { return result_.source->name(); }

  std::vector<ir::Function*> functions() {
    std::vector<ir::Function*> functions;
    if (module_ == nullptr) return functions;
    for (ir::Function& function : module_->functions()) {
      if (function.hasBody()) functions.push_back(&function);
    }
    return functions;
  }

  std::string bodyOf(ir::Function& function) {
    const std::string mangled(function.nameText());
    std::vector<SyncRow> rows = rows_->of(function, true);
    std::vector<Offset> removed;
    for (const SyncRow& row : rows) {
      if (row.outcome == BarrierOutcome::Removed) removed.push_back(row.offset);
    }
    std::string text =
        fmt::format("<h1>{}</h1>\n<p class='dim'>{} {} in {}</p>\n", escaped(demangled(mangled)),
                    function.isEntry() ? "kernel" : "function", escaped(mangled), escaped(name()));
    text += numbersOf(mangled) + tableOf(std::move(rows));
    text += "<h2>PTX, before and after</h2>\n" + code_->of(function);
    if (const auto changed = results_.find(mangled); changed != results_.end()) {
      text +=
          "<h2>Control flow of the result</h2><p class='dim'>Barriers of all threads divide it "
          "into "
          "regions, whose numbers are in colour. A block leads to its lines.</p>\n";
      text += flowDrawing(*changed->second, removed);
    }
    return text;
  }

  // A row of a list of functions.
  std::string entryOf(const ir::Function& function, const std::string& link) const {
    const std::string mangled(function.nameText());
    const auto cell = [&](std::uint64_t CodeCounts::*count) {
      const auto after = after_.find(mangled);
      const std::string now = after == after_.end() ? "gone" : std::to_string(after->second.*count);
      return fmt::format("<td class='n'>{} → {}</td>", before_.at(mangled).*count, now);
    };
    return fmt::format("<tr><td><a href='{}'>{}</a></td>{}{}</tr>\n", link,
                       escaped(demangled(mangled)), cell(&CodeCounts::ctaBarriers),
                       cell(&CodeCounts::instructions));
  }

  std::string listOf(const std::string& entries) const {
    return fmt::format(
        "<h1>{}</h1>\n<div class='scroll'><table><tr><th>function</th><th class='n'>barriers</th>"
        "<th class='n'>instructions</th></tr>\n{}</table></div>\n",
        escaped(name()), entries);
  }

 private:
  std::string numbersOf(const std::string& mangled) const {
    const CodeCounts& before = before_.at(mangled);
    const auto found = after_.find(mangled);
    const auto after = [&](std::uint64_t CodeCounts::*count) {
      return found == after_.end() ? std::nullopt : std::optional(found->second.*count);
    };
    return "<ul class='numbers'>" +
           change("barriers", before.ctaBarriers, after(&CodeCounts::ctaBarriers)) +
           change("instructions", before.instructions, after(&CodeCounts::instructions)) +
           "</ul>\n";
  }

  const OptimizeResult& result_;
  Diagnostics diagnostics_;
  std::unique_ptr<ir::Module> module_;  // before the passes
  std::optional<SyncRows> rows_;
  std::optional<CodeTable> code_;
  std::map<Offset, RemovingOptions> ways_;
  std::unordered_map<std::string, CodeCounts> before_, after_;
  std::unordered_map<std::string, ir::Function*> results_;
};

}  // namespace

std::string htmlPage(const OptimizeOptions& options, const OptimizeResult& result) {
  Pages pages(options, result);
  const std::vector<ir::Function*> functions = pages.functions();
  std::string entries, bodies;
  for (ir::Function* function : functions) {
    const std::string id = escaped(function->nameText());
    entries += pages.entryOf(*function, '#' + id);
    bodies += fmt::format("<section id='{}'>\n{}</section>\n", id, pages.bodyOf(*function));
  }
  if (functions.size() != 1) bodies.insert(0, pages.listOf(entries));
  return document(pages.name(), fmt::format("<style>\n{}</style>", styleSheet()), bodies);
}

void writeHtmlPages(const OptimizeOptions& options, const OptimizeResult& result,
                    const std::string& folder, const std::string& base) {
  constexpr std::string_view kStyle = "<link rel='stylesheet' href='style.css'>";
  Pages pages(options, result);
  std::string entries;
  std::size_t number = 0;
  for (ir::Function* function : pages.functions()) {
    const std::string page = fmt::format("{}.{}.html", base, ++number);
    const std::string list =
        fmt::format("<nav><a href='{}.html'>All functions</a></nav>\n", escaped(base));
    writeFile(folder + '/' + page,
              document(demangled(function->nameText()), kStyle, list + pages.bodyOf(*function)));
    entries += pages.entryOf(*function, escaped(page));
  }
  writeFile(folder + '/' + base + ".html", document(pages.name(), kStyle, pages.listOf(entries)));
  writeFile(folder + "/style.css", styleSheet());
}

}  // namespace ptxopt::driver
