// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/content_text.h"

#include <fmt/format.h>

#include <string_view>
#include <variant>

#include "isa/isa.h"

namespace ptxopt::driver {

namespace {

using passes::VariableAsItWas;
using Details = std::vector<std::pair<std::string, std::string>>;

std::string variableText(const VariableAsItWas& variable) {
  return fmt::format("variable '{}' ({}, {} bytes)", variable.name, isa::spelling(variable.space),
                     variable.bytes);
}

std::string_view words(passes::MergedInstruction::Why why) {
  using Why = passes::MergedInstruction::Why;
  switch (why) {
    case Why::SameValue:
      return "its value is in";
    case Why::Copy:
      return "a copy of";
    case Why::Loaded:
      return "what it loads is in";
    case Why::LoadedNumber:
      return "what it loads is a number:";
    case Why::Number:
      return "always the same number:";
    case Why::SameResult:
      return "its result is in";
    case Why::Overwritten:
      return "written again before it is read";
    case Why::EqualHeads:
      return "both arms of a branch begin with it";
  }
  return {};
}

std::string_view words(passes::RemovedWait::Why why) {
  using Why = passes::RemovedWait::Why;
  switch (why) {
    case Why::Nothing:
      return "nothing is outstanding that it waits for";
    case Why::EmptyGroup:
      return "nothing has been issued for the group that it ends, and no wait needs to count it";
    case Why::FullWaitAhead:
      return "a wait for the same groups to be complete comes behind it";
    case Why::FenceBeside:
      return "a fence that is at least as strong stands beside it";
    case Why::ProxyFenceBehind:
      return "nothing has been accessed since another one";
    case Why::ProxyFenceAhead:
      return "another one comes before anything that it could be for";
    case Why::NothingBefore:
      return "nothing that it could be for comes before it";
    case Why::NobodyIssues:
      return "the kernel has no operation of the async proxy, and nobody can learn that it wrote";
    case Why::NothingBehind:
      return "nothing that it could be for comes behind it";
    case Why::BarrierAhead:
      return "a barrier of all threads comes behind it, and no other CTA has the mbarrier";
    case Why::InitFenceAhead:
      return "another one comes before anybody can know of the mbarrier";
    case Why::BarrierBeside:
      return "a barrier for the same threads stands beside it";
    case Why::SameBefore:
      return "another one before it has done the same";
    case Why::PhaseSeen:
      return "the thread has just seen this phase of the mbarrier complete";
  }
  return {};
}

std::string_view words(passes::KeptWait::Why why) {
  using Why = passes::KeptWait::Why;
  switch (why) {
    case Why::Outstanding:
      return "what it waits for may be outstanding";
    case Why::InGroup:
      return "something may be in the group, or a wait counts it";
    case Why::Orders:
      return "it may order accesses";
    case Why::Guarded:
      return "it is under a guard";
    case Why::AskedFor:
      return "a comment, an option or a directive asks for it";
  }
  return {};
}

std::string placeOf(const passes::Remark& remark, const passes::NamedStatement& named) {
  const SourceText& text = remark.function->module().source();
  return fmt::format("{} at line {}", named.mnemonic, text.lineColumn(named.place.begin).line);
}

std::string reasonOf(const passes::RemovedVariable& removed) {
  using Why = passes::RemovedVariable::Why;
  switch (removed.why) {
    case Why::NotReached:
      return "nothing refers to it";
    case Why::NotUsed:
      return "nothing uses it";
    case Why::NotRead:
      return "nothing reads it";
    case Why::OnlyReceives:
      return "it only receives such memory";
    case Why::Equal:
      return fmt::format("it equals '{}'", removed.equal);
  }
  return {};
}

// What it may be for, in words that go behind a colon or a comma.
std::string whatItMayBeFor(const passes::Remark& remark, const passes::KeptWait& kept) {
  if (kept.above && kept.below) {
    return fmt::format("{} before {}", placeOf(remark, *kept.above), placeOf(remark, *kept.below));
  }
  if (kept.above) return placeOf(remark, *kept.above);
  return kept.below ? "what comes before " + placeOf(remark, *kept.below) : "";
}

// ".shared" without its dot.
std::string nameOf(isa::Space space) {
  return std::string(isa::spelling(space).substr(1));
}

// The text of each kind of content.
struct Text {
  const passes::Remark& remark;

  std::string_view function() const { return remark.function->nameText(); }

  std::string operator()(const std::monostate&) const { return {}; }
  std::string operator()(const passes::KeptFunction& kept) const {
    return fmt::format("function {} is left unchanged: {}", function(), kept.reason);
  }
  std::string operator()(const passes::LeftSsaForm& left) const {
    return fmt::format(
        "out of SSA form with {} copies, {} temporaries, {} blocks on edges, {} new registers",
        left.copies, left.temporaries, left.blocks, left.newRegisters);
  }
  std::string operator()(const passes::CheckedTables& tables) const {
    return fmt::format(
        "hashing: {} keys looked up and found as by comparing all, {} entered, the longest chain "
        "{}",
        tables.lookUps, tables.entered, tables.longestChain);
  }
  std::string operator()(const passes::MergedInstruction& merged) const {
    return fmt::format("{}: {}{}{}", merged.mnemonic, words(merged.why),
                       merged.reg.empty() ? "" : " ", merged.reg);
  }
  std::string operator()(const passes::RemovedWait& removed) const {
    return fmt::format("Removed {}: {}", removed.mnemonic, words(removed.why));
  }
  std::string operator()(const passes::KeptWait& kept) const {
    return fmt::format("Kept {}: {}", kept.mnemonic, whyWaitIsKept(remark, kept));
  }
  std::string operator()(const passes::SharedBase& shared) const {
    const std::string offset = shared.distance == 0 ? "" : fmt::format("{:+}", shared.distance);
    std::string text = fmt::format("{} is {}{}", shared.reg, shared.base, offset);
    if (shared.accesses == 0) return text;
    return text + (shared.accesses == 1
                       ? ": 1 access goes through that"
                       : fmt::format(": {} accesses go through that", shared.accesses));
  }
  std::string operator()(const passes::MetLimit& limit) const {
    return fmt::format("{}={} was met: there may be more to share", limit.name, limit.most);
  }
  std::string operator()(const passes::RemovedFunction&) const {
    return fmt::format("Removed function '{}': nothing can reach it", function());
  }
  std::string operator()(const passes::RemovedVariable& removed) const {
    const std::string text =
        fmt::format("Removed {}: {}", variableText(removed.variable), reasonOf(removed));
    return removed.stores == 0 ? text : text + fmt::format(", and {} stores to it", removed.stores);
  }
  std::string operator()(const passes::RemovedAllocation&) const {
    return fmt::format("Removed malloc in function {}: its memory is only written and freed",
                       function());
  }
  std::string operator()(const passes::VariableInRegisters& moved) const {
    return fmt::format("Moved {} into registers, {} for each thread", variableText(moved.variable),
                       moved.slots);
  }
  std::string operator()(const passes::SplitVariable& split) const {
    return fmt::format("Split {}: fields {}, bytes {}", variableText(split.variable),
                       split.fields.size(), split.bytes);
  }
  std::string operator()(const passes::FoldedLoad& folded) const {
    return fmt::format("Folded load of '{}', which nothing writes, in function {}", folded.variable,
                       function());
  }
  std::string operator()(const passes::KeptVariable& kept) const {
    return fmt::format("Kept {} as it is: {}", variableText(kept.variable), kept.reason);
  }
  std::string operator()(const passes::StoppedEarly& stopped) const {
    return fmt::format("Stopped after {} rounds: another run may find more", stopped.rounds);
  }
  std::string operator()(const passes::SavedInKernel& saved) const {
    return fmt::format("Saved {} bytes of .shared and {} of .local in kernel {}", saved.shared,
                       saved.local, function());
  }
  std::string operator()(const passes::SavedInModule& saved) const {
    return fmt::format("Saved {} bytes of {}", saved.bytes, isa::spelling(saved.space));
  }
};

Details detailsOf(const VariableAsItWas& variable) {
  Details details = {{"variable", std::string(variable.name)},
                     {"space", std::string(isa::spelling(variable.space))},
                     {"bytes", std::to_string(variable.bytes)}};
  if (!variable.kernels) return details;
  std::string names;
  for (const ir::Function* kernel : *variable.kernels) {
    names += names.empty() ? "" : " ";
    names += kernel->nameText();
  }
  details.emplace_back("kernels", names);
  return details;
}

// The fields of each kind of content.
struct Fields {
  const passes::Remark& remark;

  template <class Other>
  Details operator()(const Other&) const {
    return {};
  }
  Details operator()(const passes::KeptWait& kept) const {
    Details details;
    add(details, "above", kept.above);
    add(details, "below", kept.below);
    return details;
  }
  Details operator()(const passes::SharedBase& shared) const {
    return {{"accesses", std::to_string(shared.accesses)}};
  }
  Details operator()(const passes::RemovedVariable& removed) const {
    Details details = detailsOf(removed.variable);
    details.emplace_back("stores", std::to_string(removed.stores));
    return details;
  }
  Details operator()(const passes::RemovedAllocation& removed) const {
    return {{"stores", std::to_string(removed.stores)}, {"frees", std::to_string(removed.frees)}};
  }
  Details operator()(const passes::VariableInRegisters& moved) const {
    return detailsOf(moved.variable);
  }
  Details operator()(const passes::SplitVariable& split) const {
    Details details = detailsOf(split.variable);
    std::string text;
    for (const passes::SplitVariable::Bytes& field : split.fields) {
      text += fmt::format("{}{}-{}", text.empty() ? "" : " ", field.begin, field.end - 1);
    }
    details.emplace_back("fields", text);
    return details;
  }
  Details operator()(const passes::FoldedLoad& folded) const {
    return {{"variable", std::string(folded.variable)}};
  }
  Details operator()(const passes::KeptVariable& kept) const { return detailsOf(kept.variable); }
  Details operator()(const passes::SavedInKernel& saved) const {
    return {{"shared", std::to_string(saved.shared)}, {"local", std::to_string(saved.local)}};
  }
  Details operator()(const passes::SavedInModule& saved) const {
    return {{nameOf(saved.space), std::to_string(saved.bytes)}};
  }

 private:
  // As of the events that keep a barrier.
  void add(Details& details, const std::string& name,
           const std::optional<passes::NamedStatement>& named) const {
    if (!named) return;
    const SourceText& text = remark.function->module().source();
    details.emplace_back(name, named->mnemonic);
    details.emplace_back(
        name + "_ptx", fmt::format("{}:{}", text.name(), text.lineColumn(named->place.begin).line));
    details.emplace_back(name + "_text", text.slice(named->place));
  }
};

}  // namespace

std::string whyWaitIsGone(const passes::RemovedWait& removed) {
  return std::string(words(removed.why));
}

std::string whyWaitIsKept(const passes::Remark& remark, const passes::KeptWait& kept) {
  const std::string text(words(kept.why));
  const std::string what = whatItMayBeFor(remark, kept);
  return what.empty() ? text : fmt::format("{}: {}", text, what);
}

std::string contentText(const passes::Remark& remark) {
  return std::visit(Text{remark}, remark.content);
}

std::vector<std::pair<std::string, std::string>> contentDetails(const passes::Remark& remark) {
  return std::visit(Fields{remark}, remark.content);
}

}  // namespace ptxopt::driver
