// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/fit.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "ir/directives.h"
#include "ir/make.h"
#include "ir/names.h"
#include "isa/targets.h"
#include "passes/retarget/declarations.h"
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

constexpr std::string_view kNamesOfLocations = ".debug_str";

bool isSection(const ir::Directive& directive, std::string_view name) {
  if (directive.which != ir::DirectiveKind::Section) return false;
  return directive.text.substr(0, directive.text.find('{')).find(name) != std::string_view::npos;
}

// The words in front of a colon: in a comment that is no label, which does no harm.
std::vector<std::string_view> labelsOf(std::string_view section) {
  constexpr std::string_view kBlanks = " \t\r\n\f";
  std::vector<std::string_view> labels;
  for (std::size_t colon = section.find(':'); colon != std::string_view::npos;
       colon = section.find(':', colon + 1)) {
    const std::size_t last = section.find_last_not_of(kBlanks, colon - 1);
    if (last == std::string_view::npos) continue;
    const std::size_t before = section.find_last_of(kBlanks, last);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    labels.push_back(section.substr(begin, last + 1 - begin));
  }
  return labels;
}

// The first place of a word that begins with a dot; npos if there is none.
std::size_t findOutsideComments(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//") || rest.starts_with("/*")) {
      const std::string_view end = rest[1] == '*' ? "*/" : "\n";
      at = std::min(text.find(end, at + 2), text.size() - end.size()) + end.size();
    } else if (rest.starts_with(word)) {
      return at;
    } else {
      ++at;
    }
  }
  return std::string_view::npos;
}

// Also in a comment, which does no harm.
bool hasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !ir::isNameCharacter(text[at - 1]);
    if (begins && (end == text.size() || !ir::isNameCharacter(text[end]))) return true;
  }
  return false;
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
      obstacle_ = {};
      if (need.isUnderstood && plan(need)) return;
      if (isReported(need)) return;
      result_.problems.push_back(
          {withFunction(need), need.isUnderstood ? "needs " + missing + obstacleTo(need)
                                                 : "is not understood, so it may need " + missing});
    } else if (need.withdrawn.holds(wanted_.version, wanted_.target) &&
               !need.withdrawn.holds(module_.version, module_.target)) {
      result_.problems.push_back({need, "does not exist " + withdrawnFrom(need)});
    }
  }

  // One statement may need the same several times.
  bool isReported(const Need& need) const {
    if (result_.problems.empty()) return false;
    const Need& last = result_.problems.back().need;
    return last.at == need.at && last.what == need.what;
  }

  // An alias can be left out with its declaration.
  Need withFunction(const Need& need) const {
    const auto* alias = need.statement != nullptr ? need.statement->as<ir::Alias>() : nullptr;
    if (alias == nullptr) return need;
    Need result = need;
    result.function = module_.findFunction(module_.text(module_.symbolAt(alias->alias).name));
    return result;
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
               : std::string(obstacle_);
  }

  // Whether the statement can be replaced by what the version and target have.
  bool plan(const Need& need) {
    if (need.function != nullptr && need.function->isKept) return false;
    if (!need.attribute.empty()) {
      return isHint(need.attribute) && change(need, "");
    }
    if (need.statement == nullptr) return false;
    // One declaration may need the same for several names.
    if (!result_.changes.empty() && result_.changes.back().statement == need.statement) return true;
    switch (need.statement->kind) {
      case ir::StatementKind::Instruction:
        return change(need, lowered(need, *need.statement->as<ir::Instruction>()));
      case ir::StatementKind::Pragma: {
        // Which bytes of a load are used, how often code runs: only hints.
        const auto* pragma = need.statement->as<ir::Pragma>();
        if (need.function == nullptr || !hasOneString(*pragma)) return false;
        ignored_.insert(pragma);
        return change(need, "");
      }
      case ir::StatementKind::Location:
        // Where inlined code comes from is for debuggers and profilers.
        return change(need, "");
      case ir::StatementKind::RegisterDeclaration:
        return change(need,
                      lowerRegisters(*need.function, *need.statement->as<ir::RegisterDeclaration>(),
                                     prefix()));
      case ir::StatementKind::VariableDeclaration:
        return change(need, lowerVariables(module_, need.function,
                                           *need.statement->as<ir::VariableDeclaration>()));
      case ir::StatementKind::Alias:
        return planAlias(need, *need.statement->as<ir::Alias>());
      case ir::StatementKind::Prototype:
        return change(need, withoutHint(need, *need.statement->as<ir::Prototype>()));
      case ir::StatementKind::Directive:
        return isOfLocations(*need.statement->as<ir::Directive>()) && change(need, "");
      default:
        return false;
    }
  }

  bool planAlias(const Need& need, const ir::Alias& alias) {
    if (!change(need, lowerAlias(module_, alias, prefix(), obstacle_))) return false;
    // ptxas takes no declaration after the body.
    const NameId name = module_.symbolAt(alias.alias).name;
    for (const ir::Statement* at = alias.next; at != nullptr; at = at->next) {
      const auto* item = at->as<ir::FunctionItem>();
      if (item == nullptr || item->function->name() != name) continue;
      Need again = need;
      again.statement = at;
      change(again, "");
    }
    return true;
  }

  // The text of a prototype without an attribute that is a hint.
  std::optional<std::string> withoutHint(const Need& need, const ir::Prototype& prototype) const {
    if (!isHint(need.what)) return std::nullopt;
    std::string text(prototype.text);
    const std::size_t at = findOutsideComments(text, need.what);
    if (at == std::string::npos) return std::nullopt;
    text.erase(at, need.what.size());
    if (prototype.symbol == ir::SymbolId::None) return text;
    const ir::Symbol& label = need.function != nullptr ? need.function->symbolAt(prototype.symbol)
                                                       : module_.symbolAt(prototype.symbol);
    return std::string(module_.text(label.name)) + ": " + text;
  }

  // .debug_str, with names of inlined functions for .loc, and no other section refers to it.
  bool isOfLocations(const ir::Directive& directive) const {
    if (!isSection(directive, kNamesOfLocations)) return false;
    const std::vector<std::string_view> labels = labelsOf(directive.text);
    return std::ranges::none_of(module_.items(), [&](const ir::Statement& item) {
      const auto* other = item.as<ir::Directive>();
      if (other == nullptr || other == &directive || !isSection(*other, "")) return false;
      const auto isNamed = [&](std::string_view name) { return hasWord(other->text, name); };
      return isNamed(kNamesOfLocations) || std::ranges::any_of(labels, isNamed);
    });
  }

  // False without a text.
  bool change(const Need& need, std::optional<std::string> text) {
    if (!text) return false;
    // The needs are those of the module, which may be changed.
    result_.changes.push_back({const_cast<ir::Function*>(need.function),
                               const_cast<ir::Statement*>(need.statement), std::move(*text), need});
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
  std::string_view obstacle_;  // why the statement in question is not lowered; may be empty
  // Pragmas that go, and those that may stay above a lowering.
  std::unordered_set<const ir::Statement*> ignored_;
  Fit result_;
};

ir::Directive* directive(Arena& arena, const std::string& text) {
  auto* made = arena.create<ir::Directive>(0);
  made->kind = ir::StatementKind::Directive;
  made->which = ir::DirectiveKind::Lowered;
  made->text = arena.copy(std::string_view(text));
  return made;
}

void applyToModule(ir::Module& module, const Change& change) {
  if (!change.text.empty()) {
    module.insertAfter(change.statement, directive(module.arena(), change.text));
  }
  module.erase(change.statement);
}

}  // namespace

Fit fit(ir::Module& module, const Stated& wanted) {
  return Fitter(module, wanted).run();
}

void apply(ir::Module& module, const Change& change) {
  if (change.function == nullptr) return applyToModule(module, change);
  ir::Function& function = *change.function;
  if (change.statement == nullptr) {
    const auto isIt = [&](const ir::Attribute& attribute) {
      return attribute.text.data() == change.need.attribute.data();
    };
    std::erase_if(function.attributes, isIt);
    const std::string_view text = change.need.attribute;
    const std::string_view source = module.source().text();
    const auto begin = static_cast<Offset>(text.data() - source.data());
    return module.eraseText({begin, static_cast<Offset>(begin + text.size())});
  }
  if (auto* location = change.statement->as<ir::Location>()) {
    location->rest = {};
    return function.markChanged(location);
  }
  if (change.text.empty()) return function.erase(change.statement);
  ir::replaceStatement(function, change.statement, directive(function.arena(), change.text));
}

}  // namespace ptxopt::passes
