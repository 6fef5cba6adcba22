// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/globals/global_opt.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/flow/manager.h"
#include "analysis/launch/assumptions.h"
#include "ir/directives.h"
#include "passes/engine/claim_sink.h"
#include "passes/globals/access_claims.h"
#include "passes/globals/equal_constants.h"
#include "passes/globals/fold_load.h"
#include "passes/globals/global_remarks.h"
#include "passes/globals/heap_pairs.h"
#include "passes/globals/made_names.h"
#include "passes/globals/module_edits.h"
#include "passes/globals/module_objects.h"
#include "passes/globals/private_slots.h"
#include "passes/globals/split_variable.h"
#include "support/limits.h"

namespace ptxopt::passes {

namespace {

using analysis::VariableAccess;
using ir::Instruction;

class Optimizer {
 public:
  Optimizer(ir::Module& module, const GlobalOptSettings& settings, ModuleContext& context)
      : module_(module),
        settings_(settings),
        context_(context),
        names_(module),
        edits_(module),
        remarks_(module, context) {}

  bool run() {
    bool hasChanged = false;
    bool isUnfinished = true;
    for (std::size_t round = 0; isUnfinished; ++round) {
      if (reaches(round, Limit::GlobalRounds)) {
        remarks_.unfinished(boundOf(Limit::GlobalRounds));
        break;
      }
      runRound();
      isOfInput_ = false;
      isUnfinished = edits_.hasChanged();
      hasChanged |= isUnfinished;
      edits_.finishRound(cache_);
      analyses_.clear();
      belowDirectives_.clear();
    }
    remarks_.savings();
    return hasChanged;
  }

 private:
  // What works on one variable leaves alone what was found out about the others: an instruction
  // accesses one variable or computes addresses of one.
  void runRound() {
    const analysis::CallGraph calls(module_);
    const auto& assumptions = context_.analyses.get<analysis::ModuleAssumptions>();
    ModuleObjects objects(module_, settings_, assumptions, calls, cache_);
    remarks_.beginRound(objects);
    if (removeUnreached(objects)) return;
    isOfInput_ = !hasImproved_;
    hasImproved_ = true;
    for (ModuleObject& object : objects.all()) improve(object, objects);
    mayRemark_ = false;
    if (!edits_.hasChanged()) mergeConstants(objects);
    if (!edits_.hasChanged()) removeHeapPairs(objects);
  }

  // ---- what nothing can reach ------------------------------------------------------------------

  static bool isUnreached(const ModuleObject& object) {
    const bool mayGo = object.pinned == nullptr || object.isCompilerMade;
    return object.scope == nullptr && !object.isReferenced && mayGo;
  }

  // Functions and variables may name each other in a circle: one change.
  bool removeUnreached(ModuleObjects& objects) {
    std::vector<const ModuleObject*> dead;
    for (const ModuleObject& object : objects.all()) {
      if (isUnreached(object)) dead.push_back(&object);
    }
    const std::vector<ir::Function*>& functions = objects.deadFunctions();
    if ((dead.empty() && functions.empty()) || !context_.budget.spend()) return false;
    for (const ir::Function* function : functions) remarks_.removed(*function);
    edits_.remove(functions);
    for (const ModuleObject* object : dead) remove(*object, {});
    return true;
  }

  // Its declaration, and the bytes that it takes.
  void remove(const ModuleObject& object, RemovedVariable how) {
    remarks_.removed(object, std::move(how));
    remarks_.countSaved(object, object.variable->size);
    edits_.eraseDeclaration(object);
  }

  // ---- one variable ----------------------------------------------------------------------------

  void improve(ModuleObject& object, const ModuleObjects& objects) {
    if (object.pinned != nullptr) return;
    if (object.escape != nullptr) return keep(object, object.escape);
    if (object.isOfHostSpace() && foldLoads(object)) return;
    if (const char* reason = objects.whyLayoutIsFixed(object)) return keep(object, reason);
    if (object.isUsedBelowDirective()) {
      return keep(object,
                  "a directive that is not understood stands above an instruction that uses it");
    }
    if (removeUnread(object) || moveIntoRegisters(object)) return;
    split(object);
  }

  // Says so once: a later round finds the same again.
  void keep(const ModuleObject& object, const char* reason) {
    if (mayRemark_) remarks_.missed(object, reason);
  }

  // Nobody reads it: the stores go, and it goes with them (D2.2).
  bool removeUnread(ModuleObject& object) {
    std::size_t stores = 0;
    const bool isUnread = object.allAccesses([&](const VariableAccess& access) {
      ++stores;
      return access.isStore && access.isWeak;
    });
    if (!isUnread || !context_.budget.spend()) return false;
    using Why = RemovedVariable::Why;
    remove(object, {.why = stores == 0 ? Why::NotUsed : Why::NotRead, .stores = stores});
    for (const ModuleObject::Use& use : object.uses) {
      claimsOf(*use.function).add(facts::Unread{object.variable->symbol});
      for (const VariableAccess& access : use.uses->accesses) {
        ++context_.statistics["stores-removed"];
        use.function->erase(access.instruction);
      }
      edits_.eraseComputations(use);
    }
    return true;
  }

  // Every thread has slots of its own in it (C8(ii)): they become registers.
  bool moveIntoRegisters(ModuleObject& object) {
    if (!object.isShared() || object.uses.size() != 1) return false;
    // What is known of addresses must be about the function as it is: else in the next round.
    ir::Function* function = object.uses[0].function;
    if (edits_.isEdited(*function)) return false;
    const auto analyses = analyses_.try_emplace(function, *function).first;
    const SlotPlan plan = planSlots(object, cache_.of(*function), analyses->second);
    if (plan.function == nullptr || !context_.budget.spend()) return false;
    remarks_.movedIntoRegisters(object, plan.slots);
    remarks_.countSaved(object, object.variable->size);
    claimsOf(*function).add(facts::OwnBytes{object.variable->symbol});
    passes::moveIntoRegisters(plan, *object.variable, names_);
    edits_.eraseComputations(object.uses[0]);
    edits_.eraseDeclaration(object);
    return true;
  }

  void split(ModuleObject& object) {
    const FieldPlan plan = planFields(object, settings_.maxFields);
    if (plan.obstacle != nullptr) return keep(object, plan.obstacle);
    if (plan.fields.empty() || !context_.budget.spend()) return;
    for (const ModuleObject::Use& use : object.uses) {
      for (const VariableAccess& access : use.uses->accesses) {
        claimOffset(claimsOf(*use.function), access, *object.variable);
      }
    }
    std::uint64_t bytes = 0;
    for (const ir::Variable* field : splitVariable(object, plan, module_, names_)) {
      bytes += field->size;
    }
    remarks_.split(object, plan, bytes);
    remarks_.countSaved(object, object.variable->size - bytes);
    for (const ModuleObject::Use& use : object.uses) edits_.eraseComputations(use);
    edits_.eraseDeclaration(object);
  }

  // ---- constants -------------------------------------------------------------------------------

  // True if the loads of the variable were folded that can be (D5.12).
  bool foldLoads(ModuleObject& object) {
    const ir::Variable& variable = *object.variable;
    if (!object.isOnlyRead()) return false;
    if (variable.size == 0 || variable.size > settings_.maxFoldBits / 8) return false;
    bool folded = false;
    for (const ModuleObject::Use& use : object.uses) {
      for (const VariableAccess& access : use.uses->accesses) {
        if (access.isWeak && fold(*use.function, access, variable)) folded = true;
      }
    }
    return folded;
  }

  bool fold(ir::Function& function, const VariableAccess& access, const ir::Variable& variable) {
    const auto [below, isNew] = belowDirectives_.try_emplace(&function);
    if (isNew) below->second = ir::loadsBelowDirectives(function);
    if (below->second.contains(access.instruction)) return false;
    const std::vector<Instruction*> moves = movesInsteadOf(function, access, variable);
    if (moves.empty() || !context_.budget.spend()) return false;
    remarks_.folded(function, *access.instruction, variable);
    ir::Statement* position = access.instruction;
    for (Instruction* move : moves) {
      claimNumber(claimsOf(function), function, *access.instruction, *move);
      function.insertAfter(position, move);
      position = move;
    }
    function.erase(access.instruction);
    edits_.noteEdited(function);
    return true;
  }

  void mergeConstants(ModuleObjects& objects) {
    for (const auto& [object, into] : findEqualConstants(module_, objects.all())) {
      if (objects.whyLayoutIsFixed(*object) != nullptr) continue;
      if (!context_.budget.spend()) return;
      remove(*object,
             {.why = RemovedVariable::Why::Equal, .equal = module_.text(into->variable->name)});
      redirectUses(*object, *into);
      for (const ModuleObject::Use& use : object->uses) edits_.noteEdited(*use.function);
      ++context_.statistics["constants-merged"];
    }
  }

  // ---- malloc and free -------------------------------------------------------------------------

  void removeHeapPairs(ModuleObjects& objects) {
    const ir::Function* allocator = module_.findFunction("malloc");
    if (allocator == nullptr || allocator->hasBody()) return;
    for (ir::Function& function : module_.functions()) {
      if (!function.hasBody() || function.isOpaque || function.isKept) continue;
      for (const HeapUse& use : findHeapPairs(function)) removeHeapUse(use);
    }
    if (edits_.hasChanged()) return;
    std::unordered_set<const ir::Statement*> gone;
    for (ModuleObject& object : objects.all()) {
      const bool isFixed = object.pinned != nullptr || object.escape != nullptr ||
                           objects.whyLayoutIsFixed(object) != nullptr;
      if (isFixed) continue;
      const auto use = findHeapUseOf(object);
      if (!use) continue;
      const bool isShared = std::ranges::any_of(
          use->statements, [&](const auto& statement) { return gone.contains(statement.second); });
      if (isShared || !removeHeapUse(*use)) continue;
      for (const auto& [function, statement] : use->statements) gone.insert(statement);
      remove(object, {.why = RemovedVariable::Why::OnlyReceives});
    }
  }

  bool removeHeapUse(const HeapUse& use) {
    const bool isBelowDirective = std::ranges::any_of(
        use.statements, [](const auto& each) { return ir::hasDirectiveAbove(*each.second); });
    if (isBelowDirective || !context_.budget.spend()) return false;
    remarks_.removed(use);
    for (const auto& [function, statement] : use.statements) {
      function->erase(statement);
      edits_.noteEdited(*function);
    }
    return true;
  }

  // Of the input as long as nothing but what nobody reaches has gone.
  ClaimSink claimsOf(const ir::Function& function) const {
    return ClaimSink(kGlobalOpt.name, function, isOfInput_ ? context_.claims : nullptr);
  }

  ir::Module& module_;
  const GlobalOptSettings& settings_;
  ModuleContext& context_;
  MadeNames names_;
  ObjectUsesCache cache_;
  ModuleEdits edits_;  // of this round
  GlobalRemarks remarks_;
  std::unordered_map<const ir::Function*, analysis::FunctionAnalyses> analyses_;  // of this round
  // Loads to which a directive applies; of this round.
  std::unordered_map<const ir::Function*, std::unordered_set<const Instruction*>> belowDirectives_;
  bool hasImproved_ = false;
  bool isOfInput_ = false;  // what is looked at in this round
  bool mayRemark_ = true;   // of what stays: once is enough
};

class GlobalOpt : public Pass {
 public:
  explicit GlobalOpt(GlobalOptSettings settings) : settings_(std::move(settings)) {}
  bool runOnModule(ir::Module& module, ModuleContext& context) override {
    return Optimizer(module, settings_, context).run();
  }

 private:
  GlobalOptSettings settings_;
};

// ---- options -----------------------------------------------------------------------------------

void addNames(std::string_view text, std::set<std::string, std::less<>>& names) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    if (end != 0) names.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

constexpr PassOption kOptions[] = {
    {.name = "max-fields", .kind = PassOption::Kind::Number, .preset = 16},
    {.name = "max-fold-bits", .kind = PassOption::Kind::Number, .preset = 2047},
    {.name = "whole-program",
     .kind = PassOption::Kind::OptionalText,
     .values = "SYMBOL;SYMBOL;...",
     .shared = PassOption::Shared::HostSymbols},
};

std::unique_ptr<Pass> makeGlobalOpt(const OptionValues& given, std::string&) {
  GlobalOptSettings settings;
  settings.maxFields = given.number("max-fields");
  settings.maxFoldBits = given.number("max-fold-bits");
  settings.isWholeProgram = given.has("whole-program");
  addNames(given.text("whole-program"), settings.hostSymbols);
  return std::make_unique<GlobalOpt>(std::move(settings));
}

}  // namespace

const PassInfo kGlobalOpt = {
    "global-opt",
    "Removes dead functions and variables, splits variables into fields.",
    kOptions,
    makeGlobalOpt,
    "of malloc and free only pairs go, for memory that nobody reads and a pointer that nobody "
    "compares:\nit may be null, and what is not freed is missing for others",
};

}  // namespace ptxopt::passes
