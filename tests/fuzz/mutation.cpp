// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mutation.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "driver/remark_text.h"
#include "ir/barrier.h"
#include "launches.h"
#include "parse/parser.h"

namespace ptxopt::fuzz {

std::vector<Mutant> deleteNeeded(const RandomKernel& kernel) {
  std::vector<Mutant> mutants;
  const std::string text = kernel.text();
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    const std::string_view content = std::string_view(text).substr(begin, end - 1 - begin);
    ++line;
    const bool isBarrier = content.ends_with(RandomKernel::kNeededBarrier);
    if (isBarrier || content.ends_with(RandomKernel::kNeededStore)) {
      mutants.push_back({line, isBarrier, text.substr(0, begin) + text.substr(end), false});
    }
    begin = end;
  }
  return mutants;
}

namespace {

// Those in whose place a run comes: a trap there shows.
std::vector<Mutant> onlyExecuted(const std::string& name, const std::string& text,
                                 std::vector<Mutant> mutants,
                                 const std::vector<std::string>& trapped,
                                 const CheckOptions& options) {
  CheckOptions once = options;
  once.schedules = 1;
  const std::vector<bool> isExecuted = tellsApart(name, text, trapped, once);
  std::vector<Mutant> executed;
  for (std::size_t k = 0; k < mutants.size(); ++k) {
    if (isExecuted[k]) executed.push_back(std::move(mutants[k]));
  }
  return executed;
}

}  // namespace

std::vector<Mutant> deleteEach(const std::string& name, const std::string& text,
                               const CheckOptions& options) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<const SourceText>(name, text);
  const auto module = parse::parse(source, diagnostics);
  if (module == nullptr) throw std::runtime_error(name + ": not understood as PTX");
  std::vector<Mutant> mutants;
  std::vector<std::string> trapped;
  for (const ir::Function& function : module->functions()) {
    for (const ir::Statement& statement : function.body()) {
      const auto* instruction = statement.as<ir::Instruction>();
      if (instruction == nullptr) continue;
      const isa::InstructionDesc& desc = *instruction->desc;
      const bool isBarrier =
          (instruction->is(isa::Opcode::Bar) || instruction->is(isa::Opcode::Barrier)) &&
          desc.has(".sync") && !desc.has(".warp") && !desc.has(".cluster");
      const bool isStore =
          instruction->is(isa::Opcode::St) && !desc.has(".local") && !desc.has(".param");
      if (!isBarrier && !isStore) continue;
      const SourceRange range = statement.source;
      const std::string before = text.substr(0, range.begin);
      const std::string after = text.substr(range.end);
      mutants.push_back({source->lineColumn(range.begin).line, isBarrier, before + after, false});
      const std::string_view content = source->slice(range);
      const std::string_view guard =
          content.starts_with('@') ? content.substr(0, content.find_first_of(" \t")) : "";
      trapped.push_back(before + std::string(guard) + " trap;" + after);
    }
  }
  return onlyExecuted(name, text, std::move(mutants), trapped, options);
}

namespace {

// A text with parts of it replaced: from where, up to where, and by what.
using Edits = std::map<std::size_t, std::pair<std::size_t, std::string>>;

std::string edited(const std::string& text, const Edits& edits) {
  std::string result;
  std::size_t at = 0;
  for (const auto& [begin, edit] : edits) {
    result += text.substr(at, begin - at) + edit.second;
    at = edit.first;
  }
  return result + text.substr(at);
}

std::uint64_t ctaBarriers(const std::string& name, const std::string& text) {
  Diagnostics diagnostics;
  const auto module = parse::parse(std::make_shared<const SourceText>(name, text), diagnostics);
  if (module == nullptr) throw std::runtime_error(name + ": not understood as PTX");
  std::uint64_t count = 0;
  for (const ir::Function& function : module->functions()) {
    for (const ir::Statement& statement : function.body()) {
      const auto* instruction = statement.as<ir::Instruction>();
      count += instruction != nullptr && ir::ctaBarrier(*instruction) ? 1 : 0;
    }
  }
  return count;
}

}  // namespace

std::vector<Mutant> deleteKept(const std::string& name, const std::string& text,
                               const std::string& pipeline, const CheckOptions& options,
                               std::string& output) {
  const driver::OptimizeResult made = optimize(name, text, pipeline, options);
  if (!made.ok) throw std::runtime_error(name + ": " + pipeline + " fails");
  // The edits of the passes, told from their remarks, so that they can be made without one barrier.
  Edits edits;
  for (const passes::Remark& remark : made.run.remarks) {
    if (remark.kind != passes::RemarkKind::Passed) continue;
    edits[remark.place.begin] = {remark.place.end,
                                 remark.pass == "warp-sync" ? "bar.warp.sync -1;" : ""};
  }
  output = edited(text, edits);
  if (ctaBarriers(name, output) != made.after.ctaBarriers) {
    throw std::runtime_error(name + ": the remarks of " + pipeline + " do not say what it does");
  }
  const auto with = [&](SourceRange range, std::string replacement) {
    Edits more = edits;
    more[range.begin] = {range.end, std::move(replacement)};
    return edited(text, more);
  };
  std::vector<Mutant> mutants;
  std::vector<std::string> trapped;
  for (const passes::Remark& remark : made.run.remarks) {
    // warp-sync speaks of the same barriers once more, about pairs of two warps only.
    if (remark.kind != passes::RemarkKind::Missed || remark.pass != "dead-sync") continue;
    const bool isForConflict = remark.barrier && remark.barrier->conflict &&
                               remark.barrier->conflict->above.instruction.place.valid();
    if (!isForConflict || edits.contains(remark.place.begin)) continue;
    const SourceRange range = remark.place;
    const std::string_view content = made.source->slice(range);
    const std::string_view guard =
        content.starts_with('@') ? content.substr(0, content.find_first_of(" \t")) : "";
    Mutant& mutant = mutants.emplace_back();
    mutant.line = made.source->lineColumn(range.begin).line;
    mutant.isBarrier = true;
    mutant.text = with(range, "");
    mutant.why = driver::messageOf(remark);
    const std::string& above = remark.barrier->conflict->above.address;
    const std::string& below = remark.barrier->conflict->below.address;
    mutant.isForAccesses = !above.empty() && !below.empty();
    if (mutant.isForAccesses) mutant.addresses = above + " " + below;
    trapped.push_back(with(range, std::string(guard) + " trap;"));
  }
  return onlyExecuted(name, output, std::move(mutants), trapped, options);
}

void judge(const std::string& name, const std::string& text, std::vector<Mutant>& mutants,
           const CheckOptions& options) {
  std::vector<std::string> texts;
  for (const Mutant& mutant : mutants) texts.push_back(mutant.text);
  const std::vector<bool> caught = tellsApart(name, text, texts, options);
  for (std::size_t k = 0; k < mutants.size(); ++k) mutants[k].caught = caught[k];
}

void judgeElsewhere(const std::string& name, const std::string& text, std::vector<Mutant>& mutants,
                    const CheckOptions& options, bool all) {
  std::vector<std::string> texts;
  for (const Mutant& mutant : mutants) texts.push_back(mutant.text);
  const auto tryLaunch = [&](const OtherLaunch& other, const std::vector<bool>& isOpen) {
    const std::vector<bool> caught =
        tellsApartUnder(other.launch, name, text, texts, isOpen, options);
    for (std::size_t k = 0; k < mutants.size(); ++k) {
      if (!caught[k]) continue;
      mutants[k].caught = true;
      mutants[k].launch = other.text;
    }
  };
  std::string error;
  Diagnostics diagnostics;
  const auto module = parse::parse(std::make_shared<const SourceText>(name, text), diagnostics);
  for (const interp::Launch& launch : interp::findLaunches(text, error)) {
    const OtherLaunches others(*module, launch, options);
    for (std::size_t k = 0; k < mutants.size(); ++k) {
      std::vector<bool> isOpen(mutants.size());
      isOpen[k] = true;
      if (mutants[k].caught || !mutants[k].isForAccesses) continue;
      for (const OtherLaunch& other : others.pointing(mutants[k].addresses)) {
        if (!mutants[k].caught) tryLaunch(other, isOpen);
      }
    }
    for (const OtherLaunch& other : others.general()) {
      std::vector<bool> isOpen;
      for (const Mutant& mutant : mutants) {
        isOpen.push_back(!mutant.caught && (all || mutant.isForAccesses));
      }
      if (std::ranges::find(isOpen, true) != isOpen.end()) tryLaunch(other, isOpen);
    }
  }
}

}  // namespace ptxopt::fuzz
