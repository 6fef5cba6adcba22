// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/flow/cfg.h"
#include "analysis/flow/loops.h"
#include "analysis/launch/assumptions.h"
#include "driver/remark_text.h"
#include "ir/barrier.h"
#include "ir/source_lines.h"
#include "parse/parser.h"

namespace ptxopt::driver {

namespace {

using passes::BarrierOutcome;
using passes::Remark;

// The example of a block with one row, for kernels whose block shape is unknown.
constexpr std::string_view kExampleBlock = "256,1,1";
// Groups of options to try for barriers that no single option removes.
constexpr std::size_t kMostGroups = 4;

struct Row {
  Offset offset = 0;
  std::uint32_t line = 0;
  std::string source;  // "k.cu:31"
  std::uint32_t depth = 0;
  BarrierOutcome outcome = BarrierOutcome::Kept;
  std::string why;
};

// By the position of the barrier: the remark of the first pass that kept it, or of the pass that
// removed it.
using Verdicts = std::map<Offset, const Remark*>;
Verdicts verdictsOf(std::span<const Remark> remarks) {
  Verdicts verdicts;
  for (const Remark& remark : remarks) {
    if (!remark.barrier || !remark.place.valid()) continue;
    const Remark*& known = verdicts[remark.place.begin];
    if (known == nullptr || remark.barrier->outcome != BarrierOutcome::Kept) known = &remark;
  }
  return verdicts;
}

std::string whyKept(const Remark& remark) {
  const std::string example = exampleText(*remark.barrier);
  return oneLine(example.empty() ? reasonText(remark) + remark.barrier->notes : example);
}

// ---- options that would remove a barrier
// ---------------------------------------------------------

class WhatIf {
 public:
  WhatIf(std::shared_ptr<const SourceText> source, OptimizeOptions options,
         std::vector<std::string> kernels, std::set<Offset> kept)
      : source_(std::move(source)),
        options_(std::move(options)),
        kernels_(std::move(kernels)),
        kept_(std::move(kept)) {
    options_.run.afterPass = nullptr;
    options_.run.changeLimit = passes::ChangeBudget::kUnlimited;
    options_.run.verifyEach = false;
    options_.verifyInput = InputCheck::None;
    options_.countCode = false;
  }

  // "--assume-1d", "--a with --b"; alternatives are separated by "or".
  std::map<Offset, std::string> run() {
    if (kept_.empty()) return {};
    std::vector<std::size_t> all;
    for (std::size_t k = 0; k < analysis::kAssumptionCount; ++k) all.push_back(k);
    const std::set<Offset> goWithAll = thoseThatGo(all);
    if (goWithAll.empty()) return {};
    std::set<Offset> open = goWithAll;
    std::set<Offset> goInOneRow;
    for (const std::size_t k : all) {
      const std::set<Offset> gone = thoseThatGo({k});
      if (info(k).assumption == analysis::Assumption::OneRow) goInOneRow = gone;
      for (const Offset offset : gone) {
        // Of the shape, only the fact that there is one row matters.
        if (!isOfKernels(k) || !goInOneRow.contains(offset)) add(offset, spelling(k));
        open.erase(offset);
      }
    }
    if (!open.empty()) addGroups(all, open);
    return std::move(found_);
  }

 private:
  // The assumption with this number, weaker ones first: those are suggested first.
  static const analysis::AssumptionInfo& info(std::size_t k) {
    return analysis::kAssumptions[analysis::kAssumptionCount - 1 - k];
  }
  static bool isOfKernels(std::size_t k) {
    return info(k).assumption == analysis::Assumption::BlockDim;
  }
  static std::string spelling(std::size_t k) {
    const std::string option = fmt::format("--{}", info(k).name);
    return isOfKernels(k) ? fmt::format("{} ({} does)", option, kExampleBlock) : option;
  }

  void add(Offset offset, const std::string& words) {
    std::string& text = found_[offset];
    text += (text.empty() ? "" : " or ") + words;
  }

  std::set<Offset> thoseThatGo(const std::vector<std::size_t>& words) const {
    OptimizeOptions options = options_;
    for (const std::size_t k : words) {
      if (!isOfKernels(k)) {
        options.run.assumptions.add("", info(k).name);
        continue;
      }
      // An assumption of the user about the shape of a kernel remains.
      const std::string word = fmt::format("{}={}", info(k).name, kExampleBlock);
      for (const std::string& kernel : kernels_) options.run.assumptions.add(kernel, word);
    }
    const OptimizeResult result = optimize(source_, options);
    std::set<Offset> gone;
    if (!result.ok) return gone;
    for (const auto& [offset, remark] : verdictsOf(result.run.remarks)) {
      const bool isKept = remark->barrier->outcome == BarrierOutcome::Kept;
      if (kept_.contains(offset) && !isKept) gone.insert(offset);
    }
    return gone;
  }

  // An option belongs to the group of a barrier if the barrier is kept without the option; then the
  // group is tested.
  void addGroups(const std::vector<std::size_t>& all, const std::set<Offset>& open) {
    std::map<Offset, std::vector<std::size_t>> groupOf;
    for (const std::size_t k : all) {
      std::vector<std::size_t> others = all;
      std::erase(others, k);
      const std::set<Offset> gone = thoseThatGo(others);
      for (const Offset offset : open) {
        if (!gone.contains(offset)) groupOf[offset].push_back(k);
      }
    }
    std::map<std::vector<std::size_t>, std::set<Offset>> enough;
    for (const auto& [offset, group] : groupOf) {
      if (group.size() < 2) continue;
      const bool isNew = !enough.contains(group);
      if (isNew && enough.size() == kMostGroups) continue;
      if (isNew) enough.emplace(group, thoseThatGo(group));
      if (!enough.at(group).contains(offset)) continue;
      std::string words;
      for (const std::size_t k : group) words += (words.empty() ? "" : " with ") + spelling(k);
      add(offset, words);
    }
  }

  std::shared_ptr<const SourceText> source_;
  OptimizeOptions options_;
  std::vector<std::string> kernels_;
  std::set<Offset> kept_;
  std::map<Offset, std::string> found_;
};

// ---- the table ---------------------------------------------------------------------------------

std::vector<Row> rowsOf(ir::Function& function, const ir::SourceLines& sources) {
  std::vector<Row> rows;
  const analysis::Cfg cfg(function);
  const analysis::Loops loops(cfg);
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr || !ir::ctaBarrier(*instruction)) continue;
    Row& row = rows.emplace_back();
    row.offset = instruction->source.begin;
    row.line = function.module().source().lineColumn(row.offset).line;
    if (const auto place = sources.written(row.offset)) row.source = ir::shortText(*place);
    row.depth = loops.depthOf(instruction->block);
  }
  return rows;
}

// Why there is no remark.
std::string silence(const ir::Module& module, const ir::Function& function,
                    std::span<const Remark> remarks) {
  if (module.isFrozen()) {
    return "the module is compiled for a debugger, and holds a directive that ptxopt does not know";
  }
  for (const Remark& remark : remarks) {
    const bool isAboutIt = remark.function != nullptr && remark.pass.empty() &&
                           remark.function->nameText() == function.nameText();
    if (isAboutIt) return oneLine(remark.message);
  }
  if (function.isOpaque) return "the function holds a directive that ptxopt does not know";
  return "no pass looked at it";
}

std::string textOf(const ir::Function& function, std::vector<Row> rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.depth > b.depth; });
  std::map<std::string_view, std::size_t> counts;
  std::size_t width = std::string_view("source").size();
  for (const Row& row : rows) {
    ++counts[passes::spelling(row.outcome)];
    width = std::max(width, row.source.size());
  }
  std::string text = fmt::format("{}: {} {}: {} barrier{}", function.module().source().name(),
                                 function.isEntry() ? "kernel" : "function", function.nameText(),
                                 rows.size(), rows.size() == 1 ? "" : "s");
  for (const auto& [outcome, count] : counts) text += fmt::format(", {} {}", count, outcome);
  text += fmt::format("\n{:>6}  {:<{}}  {:>5}  {:<8}  why\n", "line", "source", width, "loops",
                      "outcome");
  for (const Row& row : rows) {
    text += fmt::format("{:>6}  {:<{}}  {:>5}  {:<8}  {}\n", row.line, row.source, width, row.depth,
                        passes::spelling(row.outcome), row.why);
  }
  return text;
}

}  // namespace

std::string explainBarriers(const std::shared_ptr<const SourceText>& source,
                            const OptimizeOptions& options, const OptimizeResult& result) {
  // The passes have changed the module in `result`.
  Diagnostics diagnostics;
  const std::unique_ptr<ir::Module> module = parse::parse(source, diagnostics);
  if (module == nullptr) return {};
  const ir::SourceLines sources(*module);
  const Verdicts verdicts = verdictsOf(result.run.remarks);
  std::set<Offset> kept;
  for (const auto& [offset, remark] : verdicts) {
    if (remark->barrier->outcome == BarrierOutcome::Kept) kept.insert(offset);
  }
  std::vector<std::string> kernels;
  for (const ir::Function& function : module->functions()) {
    if (function.isEntry()) kernels.emplace_back(function.nameText());
  }
  const std::map<Offset, std::string> goUnder =
      WhatIf(source, options, std::move(kernels), std::move(kept)).run();

  std::string text;
  for (ir::Function& function : module->functions()) {
    if (!function.hasBody()) continue;
    std::vector<Row> rows = rowsOf(function, sources);
    if (rows.empty()) continue;
    for (Row& row : rows) {
      const auto verdict = verdicts.find(row.offset);
      if (verdict == verdicts.end()) {
        row.why = silence(*module, function, result.run.remarks);
        continue;
      }
      const Remark& remark = *verdict->second;
      row.outcome = remark.barrier->outcome;
      row.depth = remark.barrier->loopDepth.value_or(row.depth);
      row.why =
          row.outcome == BarrierOutcome::Kept ? whyKept(remark) : "it " + whatItOrders(remark);
      if (const auto under = goUnder.find(row.offset); under != goUnder.end()) {
        row.why += fmt::format("; goes with {}", under->second);
      }
    }
    text += (text.empty() ? "" : "\n") + textOf(function, std::move(rows));
  }
  return text.empty() ? source->name() + ": no barriers\n" : text;
}

}  // namespace ptxopt::driver
