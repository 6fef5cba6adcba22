// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/fit.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "ir/directives.h"
#include "ir/make.h"
#include "isa/targets.h"
#include "passes/retarget/lowering.h"

namespace ptxopt::passes {

namespace {

using analysis::Need;

std::string requirementOf(isa::Target target) {
  return isa::toString(target).substr(std::string_view("sm_").size());
}

// An attribute of a function that tells a compiler what it could do without, or that limits what
// targets without it do not have.
bool isHint(std::string_view attribute) {
  if (attribute.starts_with(".pragma")) return std::ranges::count(attribute, '"') == 2;
  const std::string_view name = attribute.substr(0, attribute.find_first_of(" \t\r\n"));
  return name == ".language" || name == ".noreturn" || name == ".maxclusterrank";
}

constexpr std::string_view kUsedBytes = "used_bytes_mask";

bool hasOneString(const ir::Pragma& pragma) {
  return std::ranges::count(pragma.text, '"') == 2;
}

// The first word of its string.
bool isAbout(const ir::Pragma& pragma, std::string_view word) {
  const std::size_t at = pragma.text.find('"');
  return at != std::string_view::npos && pragma.text.substr(at + 1).starts_with(word);
}

class Fitter {
 public:
  Fitter(ir::Module& module, const Stated& wanted)
      : module_(module), wanted_(wanted), ownRequirement_(requirementOf(module.target)) {}

  Fit run() {
    analysis::forEachNeed(module_, [this](const Need& need) { check(need); });
    return std::move(result_);
  }

 private:
  void check(const Need& need) {
    const std::string missing = missingFor(need);
    if (!missing.empty()) {
      if (need.isUnderstood && plan(need)) return;
      result_.problems.push_back({need, need.isUnderstood
                                            ? "needs " + missing + obstacleTo(need)
                                            : "is not understood, so it may need " + missing});
    } else if (need.withdrawn.holds(wanted_.version, wanted_.target) &&
               !need.withdrawn.holds(module_.version, module_.target)) {
      result_.problems.push_back({need, "does not exist " + withdrawnFrom(need)});
    }
  }

  // "PTX 8.0 and sm_90", or "".
  std::string missingFor(const Need& need) const {
    std::string missing;
    const isa::Version version = std::min(need.versionFor(wanted_.target), module_.version);
    if (version > wanted_.version) missing = "PTX " + isa::toString(version);
    if (!isa::satisfies(wanted_.target, need.target) &&
        !isa::satisfies(wanted_.target, ownRequirement_)) {
      missing += (missing.empty() ? "" : " and ") + isa::targetsText(need.target);
    }
    return missing;
  }

  static std::string withdrawnFrom(const Need& need) {
    // Of some targets no version ever had it.
    const std::string versions =
        need.withdrawn.version > need.version
            ? "in PTX " + isa::toString(need.withdrawn.version) + " and later "
            : "";
    return versions + "for " + isa::targetsText(need.withdrawn.target) + " and later";
  }

  // Why the statement is not lowered, if that has nothing to do with what it is.
  std::string obstacleTo(const Need& need) const {
    const auto* instruction =
        need.statement != nullptr ? need.statement->as<ir::Instruction>() : nullptr;
    if (need.function != nullptr && need.function->isKept) {
      return ", and stays because the kernel is to be kept";
    }
    return instruction != nullptr && ir::isBelowDirective(*instruction, ignored_)
               ? ", and is not lowered below a directive that may be about it"
               : "";
  }

  // Whether the statement can be replaced by what the version and target have.
  bool plan(const Need& need) {
    if (need.function == nullptr || need.function->isKept) return false;
    std::optional<std::string> text;
    if (!need.attribute.empty()) {
      if (!isHint(need.attribute)) return false;
    } else if (need.statement == nullptr) {
      return false;
    } else if (const auto* instruction = need.statement->as<ir::Instruction>()) {
      text = lowered(need, *instruction);
      if (!text) return false;
    } else if (const auto* pragma = need.statement->as<ir::Pragma>()) {
      // Which bytes of a load are used, how often code runs: only hints.
      if (!hasOneString(*pragma)) return false;
      ignored_.insert(pragma);
    }
    // Else a .loc: where inlined code comes from is for debuggers and profilers.
    // The needs are those of the module, which may be changed.
    result_.changes.push_back({const_cast<ir::Function*>(need.function),
                               const_cast<ir::Statement*>(need.statement),
                               std::move(text).value_or(""), need});
    return true;
  }

  std::optional<std::string> lowered(const Need& need, const ir::Instruction& instruction) {
    const ir::Function& function = *need.function;
    if (ir::isBelowDirective(instruction, ignored_)) {
      if (auto same = respell(function, instruction, wanted_.version, wanted_.target)) return same;
      lookAtPragmasAbove(need, instruction);
      // What is left would be taken to be about what takes its place.
      if (ir::isBelowDirective(instruction, ignored_)) return std::nullopt;
    }
    return lower(function, instruction, wanted_.version, wanted_.target, prefix());
  }

  // Those about the loop or the block may stay above what takes the place of the instruction.
  // Which bytes of a load are used is only a hint, which goes with it.
  void lookAtPragmasAbove(const Need& need, const ir::Instruction& instruction) {
    const bool isLoad = instruction.desc->is(isa::kMemoryRead);
    for (const ir::Statement* at = instruction.previous; at != nullptr; at = at->previous) {
      if (const auto* other = at->as<ir::Instruction>()) {
        if (!isLoad || other->desc->is(isa::kMemoryRead)) return;
      }
      const auto* pragma = at->as<ir::Pragma>();
      if (pragma == nullptr || ignored_.contains(pragma) || !hasOneString(*pragma)) continue;
      const bool isMask = isAbout(*pragma, kUsedBytes);
      if (!isMask && !isAbout(*pragma, "nounroll") && !isAbout(*pragma, "frequency")) continue;
      ignored_.insert(pragma);
      if (!isMask) continue;
      Need mask = need;
      mask.what = kUsedBytes;
      mask.statement = pragma;
      result_.changes.push_back({const_cast<ir::Function*>(need.function),
                                 const_cast<ir::Statement*>(mask.statement), "", mask});
    }
  }

  // No name of the module begins with it, or with % and it.
  const std::string& prefix() {
    if (!prefix_.empty()) return prefix_;
    prefix_ = "lowered_";
    while (module_.source().text().find(prefix_) != std::string_view::npos) prefix_ += '_';
    return prefix_;
  }

  ir::Module& module_;
  const Stated& wanted_;
  std::string ownRequirement_;
  std::string prefix_;
  // Pragmas that go, and those that may stay above a lowering.
  std::unordered_set<const ir::Statement*> ignored_;
  Fit result_;
};

}  // namespace

Fit fit(ir::Module& module, const Stated& wanted) {
  return Fitter(module, wanted).run();
}

void apply(const Change& change) {
  ir::Function& function = *change.function;
  if (change.statement == nullptr) {
    const auto isIt = [&](const ir::Attribute& attribute) {
      return attribute.text.data() == change.need.attribute.data();
    };
    std::erase_if(function.attributes, isIt);
    const std::string_view text = change.need.attribute;
    const std::string_view source = function.module().source().text();
    const auto begin = static_cast<Offset>(text.data() - source.data());
    return function.module().eraseText({begin, static_cast<Offset>(begin + text.size())});
  }
  if (auto* location = change.statement->as<ir::Location>()) {
    location->rest = {};
    return function.markChanged(location);
  }
  if (change.text.empty()) return function.erase(change.statement);
  auto* made = function.arena().create<ir::Directive>(0);
  made->kind = ir::StatementKind::Directive;
  made->which = ir::DirectiveKind::Lowered;
  made->text = function.arena().copy(std::string_view(change.text));
  ir::replaceStatement(function, change.statement, made);
}

}  // namespace ptxopt::passes
