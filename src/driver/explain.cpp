// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "driver/remark_text.h"
#include "driver/sync_rows.h"
#include "driver/what_if.h"
#include "parse/parser.h"
#include "passes/registry.h"
#include "support/demangle.h"

namespace ptxopt::driver {

namespace {

using passes::BarrierOutcome;

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 10;  // of what is below the line of a barrier

// Breaks a line between words.  Lines after the first have two blanks more.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  std::string line(indent, ' ');
  bool isEmpty = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!isEmpty && line.size() + 1 + word.size() > kWidth) {
      result += line + '\n';
      line.assign(indent + 2, ' ');
      isEmpty = true;
    }
    if (!isEmpty) line += ' ';
    line += word;
    isEmpty = false;
  }
  return result + line + '\n';
}

using Counts = std::map<BarrierOutcome, std::size_t>;

// "2 kept, 1 removed"
std::string countsText(const Counts& counts) {
  std::string text;
  for (const auto& [outcome, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, passes::spelling(outcome));
  }
  return text;
}

std::string plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::size_t sumOf(const Counts& counts) {
  std::size_t sum = 0;
  for (const auto& [outcome, count] : counts) sum += count;
  return sum;
}

// "7 waits and fences"
std::string othersText(const Counts& counts) {
  const std::size_t sum = sumOf(counts);
  return fmt::format("{} {}", sum, sum == 1 ? "wait or fence" : "waits and fences");
}

std::string countsOf(const std::vector<SyncRow>& rows) {
  BarrierTotals totals;
  for (const SyncRow& row : rows) totals.add(row.isBarrier, row.outcome);
  std::string text;
  if (!totals.barriers.empty()) {
    text = fmt::format("{}, {}", plural(sumOf(totals.barriers), "barrier"),
                       countsText(totals.barriers));
  }
  if (totals.others.empty()) return text;
  return fmt::format("{}{}{}, {}", text, text.empty() ? "" : "; ", othersText(totals.others),
                     countsText(totals.others));
}

// Of the statement there is a column if there are others than barriers.
std::string tableOf(const ir::Function& function, std::vector<SyncRow> rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const SyncRow& a, const SyncRow& b) { return a.depth > b.depth; });
  std::size_t width = std::string_view("source").size();
  std::size_t statementWidth = 0;
  for (const SyncRow& row : rows) width = std::max(width, row.source.size());
  if (std::ranges::any_of(rows, [](const SyncRow& row) { return !row.isBarrier; })) {
    for (const SyncRow& row : rows)
      statementWidth = std::max(statementWidth, row.statement.size() + 2);
  }
  const auto statementColumn = [&](std::string_view statement) {
    return statementWidth == 0 ? "" : fmt::format("{:<{}}", statement, statementWidth);
  };
  std::string text = fmt::format("{}: {} {}: {}\n", function.module().source().name(),
                                 function.isEntry() ? "kernel" : "function",
                                 demangled(function.nameText()), countsOf(rows));
  text += fmt::format("{:>6}  {:<{}}  {}{:>5}  {:<8}  why\n", "line", "source", width,
                      statementColumn("statement"), "loops", "outcome");
  for (const SyncRow& row : rows) {
    std::string line =
        fmt::format("{:>6}  {:<{}}  {}{:>5}  {}", row.line, row.source, width,
                    statementColumn(row.statement), row.depth, passes::spelling(row.outcome));
    const std::size_t column = 6 + 2 + width + 2 + statementWidth + 5 + 2 + 8 + 2;
    const bool fits = column + row.why.size() <= kWidth;
    if (fits && !row.why.empty()) line = fmt::format("{:<{}}{}", line, column, row.why);
    text += line + '\n';
    if (!fits) text += wrapped(row.why, kIndent);
    for (const std::string& more : row.more) text += wrapped(more, kIndent);
  }
  return text;
}

class Explainer {
 public:
  Explainer(const std::shared_ptr<const SourceText>& source, const OptimizeOptions& options,
            const OptimizeResult& result, const ExplainOptions& explain, ir::Module& module)
      : explain_(explain),
        module_(module),
        rows_(module, result.run.remarks),
        whatIf_(source, options, module) {
    if (explain.inlineChains) rows_.showChains();
  }

  Explanation run() {
    const KeptBarriers kept =
        rows_.kept([this](const ir::Function& function) { return isWanted(function); });
    const std::map<Offset, RemovingOptions> ways = whatIf_.ways(kept);
    rows_.setWays(ways);
    Explanation result;
    for (ir::Function& function : module_.functions()) {
      if (!isWanted(function)) continue;
      std::vector<SyncRow> rows = rows_.of(function, explain_.allSync);
      if (rows.empty()) continue;
      ++result.totals.functions;
      for (const SyncRow& row : rows) result.totals.add(row.isBarrier, row.outcome);
      result.text += (result.text.empty() ? "" : "\n") + tableOf(function, std::move(rows));
    }
    result.totals.goWithAssumption = ways.size();
    result.totals.goWithSource = static_cast<std::size_t>(
        std::ranges::count_if(ways, [](const auto& way) { return way.second.isOfSource; }));
    if (result.text.empty()) {
      result.text = module_.source().name() +
                    (explain_.allSync ? ": nothing that synchronises\n" : ": no barriers\n");
    } else {
      result.text += hints(kept);
    }
    return result;
  }

 private:
  bool isWanted(const ir::Function& function) const {
    if (!function.hasBody()) return false;
    return explain_.kernels.empty() ||
           std::ranges::any_of(explain_.kernels,
                               [&](const std::string& name) { return isCalled(function, name); });
  }

  std::string hints(const KeptBarriers& kept) const {
    std::string text;
    const auto add = [&](std::string_view hint) {
      text += wrapped(fmt::format("hint: {}", hint), 0);
    };
    if (rows_.isSourceMissing()) {
      add("compile with -lineinfo (nvcc) or -gline-tables-only (clang) to see lines of the source");
    }
    if (!rows_.kernelsOfAnyShape().empty()) {
      add("what the PTX says of the shape of blocks need not be assumed: __block_size__((X, Y, Z)) "
          "in CUDA C++ gives all of it, __launch_bounds__(N) the largest number of threads; "
          "--block-dim=KERNEL=X,Y,Z assumes it");
    }
    if (const std::size_t count = whatIf_.weakened(kept).size(); count != 0) {
      const std::string weakening = passes::pipelineThatWeakensBarriers();
      add(fmt::format("the pass {} would weaken {} to bar.warp.sync: --passes=PASSES,{}", weakening,
                      fmt::format("{} of the kept barriers", count), weakening));
    }
    if (const std::size_t count = whatIf_.guarded(kept).size(); count != 0) {
      const std::string guarding = passes::pipelineThatGuardsBarriers();
      add(
          fmt::format("{} would let some launches skip {} of the kept barriers: "
                      "--passes='PASSES,{}'",
                      guarding, count, guarding));
    }
    return text.empty() ? text : '\n' + text;
  }

  const ExplainOptions& explain_;
  ir::Module& module_;
  SyncRows rows_;
  WhatIf whatIf_;
};

}  // namespace

void BarrierTotals::add(bool isBarrier, BarrierOutcome outcome) {
  ++(isBarrier ? barriers : others)[outcome];
}

void BarrierTotals::add(const BarrierTotals& other) {
  functions += other.functions;
  goWithAssumption += other.goWithAssumption;
  goWithSource += other.goWithSource;
  for (const auto& [outcome, count] : other.barriers) barriers[outcome] += count;
  for (const auto& [outcome, count] : other.others) others[outcome] += count;
}

std::string BarrierTotals::text() const {
  std::string text = fmt::format("{} in {}: {}", plural(sumOf(barriers), "barrier"),
                                 plural(functions, "function"), countsText(barriers));
  if (goWithAssumption != 0) text += fmt::format("; {} would go with options", goWithAssumption);
  if (goWithSource != 0) text += fmt::format(", {} of them with --trust-source", goWithSource);
  if (!others.empty()) text += fmt::format("; {}: {}", othersText(others), countsText(others));
  return text;
}

bool isCalled(const ir::Function& function, const std::string& name) {
  return function.nameText() == name || demangled(function.nameText()) == name ||
         functionName(function.nameText()) == name;
}

Explanation explainBarriers(const std::shared_ptr<const SourceText>& source,
                            const OptimizeOptions& options, const OptimizeResult& result,
                            const ExplainOptions& explain) {
  // The passes have changed the module in `result`.
  Diagnostics diagnostics;
  const std::unique_ptr<ir::Module> module = parse::parse(source, diagnostics);
  if (module == nullptr) return {};
  return Explainer(source, options, result, explain, *module).run();
}

}  // namespace ptxopt::driver
