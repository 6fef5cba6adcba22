// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/sync_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "analysis/flow/cfg.h"
#include "analysis/flow/loops.h"
#include "driver/barrier_text.h"
#include "driver/content_text.h"
#include "driver/explain_words.h"
#include "driver/remark_text.h"
#include "ir/barrier.h"
#include "isa/wait_role.h"
#include "support/demangle.h"

namespace ptxopt::driver {

namespace {

using passes::BarrierOutcome;
using passes::Remark;

std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end != 0) lines.push_back(oneLine(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void setWhy(SyncRow& row, std::string why, std::vector<std::string> more) {
  row.why = std::move(why);
  row.more = std::move(more);
}

// Why a barrier is kept.  `function` is the one before the passes.
void setReason(SyncRow& row, const Remark& remark, const ir::Function& function) {
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

}  // namespace

SyncRows::SyncRows(ir::Module& module, std::span<const Remark> remarks)
    : module_(module), remarks_(remarks), sources_(module) {
  // Of the passes that kept it the first one counts, and more one that did not.
  for (const Remark& remark : remarks) {
    if (!remark.place.valid()) continue;
    const bool isGone = remark.barrier
                            ? remark.barrier->outcome != BarrierOutcome::Kept
                            : std::holds_alternative<passes::RemovedWait>(remark.content);
    const bool isOfWait = isGone || std::holds_alternative<passes::KeptWait>(remark.content);
    if (!remark.barrier && !isOfWait) continue;
    const Remark*& known = (remark.barrier ? barriers_ : waits_)[remark.place.begin];
    if (known == nullptr || isGone) known = &remark;
  }
}

KeptBarriers SyncRows::kept(const std::function<bool(const ir::Function&)>& isWanted) const {
  KeptBarriers kept;
  for (const auto& [offset, remark] : barriers_) {
    const ir::Function& function = *remark->function;
    if (remark->barrier->outcome != BarrierOutcome::Kept || !isWanted(function)) continue;
    kept.emplace(offset, function.isEntry() ? std::string(function.nameText()) : "");
  }
  return kept;
}

std::vector<SyncRow> SyncRows::of(ir::Function& function, bool allSync) {
  std::vector<SyncRow> rows;
  const analysis::Cfg cfg(function);
  const analysis::Loops loops(cfg);
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr) continue;
    const bool isBarrier = ir::ctaBarrier(*instruction).has_value();
    const bool isOther = allSync && isa::isOnlySynchronization(isa::waitRoleOf(*instruction->desc));
    if (!isBarrier && !isOther) continue;
    SyncRow& row = rows.emplace_back();
    row.isBarrier = isBarrier;
    row.statement = instruction->desc->mnemonic;
    row.offset = instruction->source.begin;
    row.line = module_.source().lineColumn(row.offset).line;
    const auto place = sources_.written(row.offset);
    if (place) row.source = ir::shortText(*place);
    isSourceMissing_ |= !place;
    row.depth = loops.depthOf(instruction->block);
    if (isBarrier) {
      explainBarrier(row, function);
    } else {
      explainWait(row, function);
    }
    if (showsChains_) addChain(row);
  }
  return rows;
}

void SyncRows::explainBarrier(SyncRow& row, const ir::Function& function) {
  const auto verdict = barriers_.find(row.offset);
  if (verdict == barriers_.end()) {
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
  if (ways_ == nullptr) return;
  if (const auto ways = ways_->find(row.offset); ways != ways_->end()) {
    row.more.push_back("goes with " + ways->second.text);
    const bool isShapeOpen = ways->second.isOfShape && function.isEntry();
    if (isShapeOpen) kernelsOfAnyShape_.insert(std::string(function.nameText()));
  }
}

void SyncRows::explainWait(SyncRow& row, const ir::Function& function) const {
  const auto verdict = waits_.find(row.offset);
  if (verdict == waits_.end()) {
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
void SyncRows::addChain(SyncRow& row) const {
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

}  // namespace ptxopt::driver
