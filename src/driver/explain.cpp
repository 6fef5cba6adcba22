// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "analysis/flow/cfg.h"
#include "analysis/flow/loops.h"
#include "driver/barrier_text.h"
#include "driver/content_text.h"
#include "driver/explain_words.h"
#include "driver/remark_text.h"
#include "driver/what_if.h"
#include "ir/barrier.h"
#include "ir/source_lines.h"
#include "isa/wait_role.h"
#include "parse/parser.h"
#include "passes/registry.h"
#include "support/demangle.h"

namespace ptxopt::driver {

namespace {

using passes::BarrierOutcome;
using passes::Remark;

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 10;  // of what is below the line of a barrier

struct Row {
  Offset offset = 0;
  std::uint32_t line = 0;
  std::string source;          // "k.cu:31"
  std::string_view statement;  // its mnemonic
  bool isBarrier = true;       // of a CTA
  std::uint32_t depth = 0;
  BarrierOutcome outcome = BarrierOutcome::Kept;
  std::string why;                // in a few words, where that is possible
  std::vector<std::string> more;  // the lines below
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

// The same for the other statements that only synchronise.
Verdicts waitVerdictsOf(std::span<const Remark> remarks) {
  Verdicts verdicts;
  for (const Remark& remark : remarks) {
    const bool isRemoved = std::holds_alternative<passes::RemovedWait>(remark.content);
    if (!isRemoved && !std::holds_alternative<passes::KeptWait>(remark.content)) continue;
    const Remark*& known = verdicts[remark.place.begin];
    if (known == nullptr || isRemoved) known = &remark;
  }
  return verdicts;
}

std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end != 0) lines.push_back(oneLine(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void setWhy(Row& row, std::string why, std::vector<std::string> more) {
  row.why = std::move(why);
  row.more = std::move(more);
}

// Why a barrier is kept.  `function` is the one before the passes.
void setReason(Row& row, const Remark& remark, const ir::Function& function) {
  const passes::BarrierVerdict& verdict = *remark.barrier;
  if (verdict.conflict && verdict.conflict->example) {
    const passes::ConflictExample& example = *verdict.conflict->example;
    const auto [above, below] = sidesInElements(
        example, instructionAt(function, verdict.conflict->above.instruction.place.begin),
        instructionAt(function, verdict.conflict->below.instruction.place.begin));
    std::vector<std::string> more = {above, below};
    if (!example.given.empty()) more.push_back(example.given);
    setWhy(row,
           example.isCertain ? "two threads meet without it:" : "two threads may meet without it:",
           std::move(more));
  } else {
    std::vector<std::string> lines = linesOf(whyKept(remark) + notesText(verdict));
    if (const std::string example = exampleText(verdict); !example.empty()) {
      lines.insert(lines.begin(), example);
    }
    if (verdict.conflict) lines.insert(lines.begin(), "it orders two accesses:");
    if (lines.empty()) return;
    std::string why = lines.front();
    lines.erase(lines.begin());
    setWhy(row, std::move(why), std::move(lines));
  }
}

// Why there is no remark.
std::string silence(const ir::Module& module, const ir::Function& function,
                    std::span<const Remark> remarks) {
  if (module.isFrozen()) {
    return "the module is compiled for a debugger, and holds a directive that ptxopt does not know";
  }
  for (const Remark& remark : remarks) {
    const bool isAboutIt = std::holds_alternative<passes::KeptFunction>(remark.content) &&
                           remark.function->nameText() == function.nameText();
    if (isAboutIt) return oneLine(messageOf(remark));
  }
  if (function.isOpaque) return "the function holds a directive that ptxopt does not know";
  return "no pass looked at it";
}

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

std::string countsOf(const std::vector<Row>& rows) {
  BarrierTotals totals;
  for (const Row& row : rows) totals.add(row.isBarrier, row.outcome);
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
std::string tableOf(const ir::Function& function, std::vector<Row> rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.depth > b.depth; });
  std::size_t width = std::string_view("source").size();
  std::size_t statementWidth = 0;
  for (const Row& row : rows) width = std::max(width, row.source.size());
  if (std::ranges::any_of(rows, [](const Row& row) { return !row.isBarrier; })) {
    for (const Row& row : rows) statementWidth = std::max(statementWidth, row.statement.size() + 2);
  }
  const auto statementColumn = [&](std::string_view statement) {
    return statementWidth == 0 ? "" : fmt::format("{:<{}}", statement, statementWidth);
  };
  std::string text = fmt::format("{}: {} {}: {}\n", function.module().source().name(),
                                 function.isEntry() ? "kernel" : "function",
                                 demangled(function.nameText()), countsOf(rows));
  text += fmt::format("{:>6}  {:<{}}  {}{:>5}  {:<8}  why\n", "line", "source", width,
                      statementColumn("statement"), "loops", "outcome");
  for (const Row& row : rows) {
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
      : remarks_(result.run.remarks),
        explain_(explain),
        module_(module),
        sources_(module),
        verdicts_(verdictsOf(remarks_)),
        waitVerdicts_(waitVerdictsOf(remarks_)),
        whatIf_(source, options, module) {}

  Explanation run() {
    const KeptBarriers kept = keptBarriers();
    ways_ = whatIf_.ways(kept);
    Explanation result;
    for (ir::Function& function : module_.functions()) {
      if (!isWanted(function)) continue;
      std::vector<Row> rows = rowsOf(function);
      if (rows.empty()) continue;
      ++result.totals.functions;
      for (const Row& row : rows) result.totals.add(row.isBarrier, row.outcome);
      result.text += (result.text.empty() ? "" : "\n") + tableOf(function, std::move(rows));
    }
    result.totals.goWithAssumption = ways_.size();
    result.totals.goWithSource = static_cast<std::size_t>(
        std::ranges::count_if(ways_, [](const auto& way) { return way.second.isOfSource; }));
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

  KeptBarriers keptBarriers() const {
    KeptBarriers kept;
    for (const auto& [offset, remark] : verdicts_) {
      const ir::Function& function = *remark->function;
      if (remark->barrier->outcome != BarrierOutcome::Kept || !isWanted(function)) continue;
      kept.emplace(offset, function.isEntry() ? std::string(function.nameText()) : "");
    }
    return kept;
  }

  std::vector<Row> rowsOf(ir::Function& function) {
    std::vector<Row> rows;
    const analysis::Cfg cfg(function);
    const analysis::Loops loops(cfg);
    for (const ir::Statement& statement : function.body()) {
      const auto* instruction = statement.as<ir::Instruction>();
      if (instruction == nullptr) continue;
      const bool isBarrier = ir::ctaBarrier(*instruction).has_value();
      const bool isOther =
          explain_.allSync && isa::isOnlySynchronization(isa::waitRoleOf(*instruction->desc));
      if (!isBarrier && !isOther) continue;
      Row& row = rows.emplace_back();
      row.isBarrier = isBarrier;
      row.statement = instruction->desc->mnemonic;
      row.offset = instruction->source.begin;
      row.line = module_.source().lineColumn(row.offset).line;
      const auto place = sources_.written(row.offset);
      if (place) row.source = ir::shortText(*place);
      isSourceMissing_ |= !place;
      row.depth = loops.depthOf(instruction->block);
      if (isBarrier) {
        explainRow(row, function);
      } else {
        explainWait(row, function);
      }
      if (explain_.inlineChains) addChain(row);
    }
    return rows;
  }

  void explainRow(Row& row, const ir::Function& function) {
    const auto verdict = verdicts_.find(row.offset);
    if (verdict == verdicts_.end()) {
      row.why = silence(module_, function, remarks_);
    } else {
      const Remark& remark = *verdict->second;
      row.outcome = remark.barrier->outcome;
      row.depth = remark.barrier->loopDepth.value_or(row.depth);
      if (row.outcome == BarrierOutcome::Kept) {
        setReason(row, remark, function);
        for (std::string& text : constantOperands(function, *instructionAt(function, row.offset))) {
          row.more.push_back(std::move(text));
        }
      } else {
        row.why = "it " + whatItOrders(remark);
      }
    }
    if (const auto ways = ways_.find(row.offset); ways != ways_.end()) {
      row.more.push_back("goes with " + ways->second.text);
      const bool isShapeOpen = ways->second.isOfShape && function.isEntry();
      if (isShapeOpen) kernelsOfAnyShape_.insert(std::string(function.nameText()));
    }
  }

  void explainWait(Row& row, const ir::Function& function) const {
    const auto verdict = waitVerdicts_.find(row.offset);
    if (verdict == waitVerdicts_.end()) {
      row.why = silence(module_, function, remarks_);
      return;
    }
    const Remark& remark = *verdict->second;
    if (const auto* removed = std::get_if<passes::RemovedWait>(&remark.content)) {
      row.outcome = BarrierOutcome::Removed;
      row.why = whyWaitIsGone(*removed);
    } else {
      row.why = whyWaitIsKept(remark, std::get<passes::KeptWait>(remark.content));
    }
  }

  // "inlined: sync.h:50 in cg::sync, from k.cu:12"
  void addChain(Row& row) const {
    const ir::Location* location = sources_.at(row.offset);
    if (location == nullptr) return;
    const std::vector<ir::SourcePlace> chain = sources_.chain(*location);
    if (chain.size() < 2) return;
    std::string text = "inlined:";
    for (std::size_t k = 0; k < chain.size(); ++k) {
      text += fmt::format("{} {}", k == 0 ? "" : ", from", ir::shortText(chain[k]));
      if (!chain[k].function.empty()) text += " in " + functionName(chain[k].function);
    }
    row.more.push_back(std::move(text));
  }

  std::string hints(const KeptBarriers& kept) const {
    std::string text;
    const auto add = [&](std::string_view hint) {
      text += wrapped(fmt::format("hint: {}", hint), 0);
    };
    if (isSourceMissing_) {
      add("compile with -lineinfo (nvcc) or -gline-tables-only (clang) to see lines of the source");
    }
    if (!kernelsOfAnyShape_.empty()) {
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

  std::span<const Remark> remarks_;
  const ExplainOptions& explain_;
  ir::Module& module_;
  ir::SourceLines sources_;
  Verdicts verdicts_;
  Verdicts waitVerdicts_;
  WhatIf whatIf_;
  std::map<Offset, RemovingOptions> ways_;
  bool isSourceMissing_ = false;
  std::set<std::string> kernelsOfAnyShape_;  // for which the shape matters, and is not known
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
