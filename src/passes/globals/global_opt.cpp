// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/globals/global_opt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "analysis/flow/manager.h"
#include "analysis/launch/assumptions.h"
#include "facts/address_operand.h"
#include "ir/declared_names.h"
#include "passes/engine/claim_sink.h"
#include "passes/globals/fold_load.h"
#include "passes/globals/heap_pairs.h"
#include "passes/globals/made_names.h"
#include "passes/globals/module_objects.h"
#include "passes/globals/private_slots.h"
#include "passes/globals/split_variable.h"

namespace ptxopt::passes {

namespace {

using analysis::VariableAccess;
using ir::Instruction;
using isa::Space;

constexpr int kMaxRounds = 16;

struct KernelSavings {
  std::uint64_t shared = 0;  // bytes
  std::uint64_t local = 0;
};

class Optimizer {
 public:
  Optimizer(ir::Module& module, const GlobalOptSettings& settings, ModuleContext& context)
      : module_(module), settings_(settings), context_(context), names_(module) {}

  bool run() {
    for (int round = 0; round < kMaxRounds; ++round) {
      hasChanged_ = false;
      runRound();
      isOfInput_ = false;
      eraseDeclarations();
      for (const ir::Function* function : edited_) cache_.forget(*function);
      edited_.clear();
      analyses_.clear();
      changedEver_ |= hasChanged_;
      if (!hasChanged_) break;
    }
    if (hasChanged_) remarkUnfinished();
    remarkSavings();
    return changedEver_;
  }

 private:
  // What works on one variable leaves alone what was found out about the others: an instruction
  // accesses one variable or computes addresses of one.
  void runRound() {
    const analysis::CallGraph calls(module_);
    const auto& assumptions = context_.analyses.get<analysis::ModuleAssumptions>();
    ModuleObjects objects(module_, settings_, assumptions, calls, cache_);
    objects_ = &objects;
    if (removeUnreached()) return;
    isOfInput_ = !hasImproved_;
    hasImproved_ = true;
    for (ModuleObject& object : objects.all()) improve(object);
    mayRemark_ = false;
    if (!hasChanged_) mergeConstants();
    if (!hasChanged_) removeHeapPairs();
    objects_ = nullptr;
  }

  // ---- what nothing can reach ------------------------------------------------------------------

  bool isUnreached(const ModuleObject& object) const {
    const bool mayGo = object.pinned == nullptr || object.isCompilerMade;
    return object.scope == nullptr && !object.isReferenced && mayGo;
  }

  // Functions and variables may name each other in a circle: one change.
  bool removeUnreached() {
    std::vector<ModuleObject*> dead;
    for (ModuleObject& object : objects_->all()) {
      if (isUnreached(object)) dead.push_back(&object);
    }
    const std::vector<ir::Function*>& functions = objects_->deadFunctions();
    if ((dead.empty() && functions.empty()) || !context_.budget.spend()) return false;
    for (ir::Function* function : functions) {
      ++context_.statistics["functions-removed"];
      if (context_.wantRemarks) {
        Remark remark = remarkAt(RemarkKind::Passed, function, function->item->source);
        remark.message =
            fmt::format("Removed function '{}': nothing can reach it", function->nameText());
        context_.remark(std::move(remark));
      }
      edited_.insert(function);
      module_.remove(*function);
    }
    for (ModuleObject* object : dead) {
      remarkRemoved(*object, 0, "nothing refers to it");
      countSaved(*object, object->variable->size);
      eraseDeclaration(*object);
    }
    hasChanged_ = true;
    return true;
  }

  // ---- one variable ----------------------------------------------------------------------------

  void improve(ModuleObject& object) {
    if (object.pinned != nullptr) return;
    if (object.escape != nullptr) return remarkMissed(object, object.escape);
    if (object.isShared()) {
      if (const char* reason = objects_->whyLayoutIsFixed(object)) {
        return remarkMissed(object, reason);
      }
    }
    if (isHostSpace(object) && foldLoads(object)) return;
    if (removeUnread(object) || moveIntoRegisters(object)) return;
    split(object);
  }

  static bool isHostSpace(const ModuleObject& object) {
    return object.variable->space == Space::Global || object.variable->space == Space::Const;
  }

  // Nobody reads it: the stores go, and it goes with them (D2.2).
  bool removeUnread(ModuleObject& object) {
    std::size_t stores = 0;
    const bool isUnread = object.allAccesses([&](const VariableAccess& access) {
      ++stores;
      return access.isStore && access.isWeak;
    });
    if (!isUnread || !context_.budget.spend()) return false;
    remarkRemoved(object, stores, stores == 0 ? "nothing uses it" : "nothing reads it");
    countSaved(object, object.variable->size);
    for (const ModuleObject::Use& use : object.uses) {
      claimsOf(*use.function).add(facts::Unread{object.variable->symbol});
      for (const VariableAccess& access : use.uses->accesses) {
        ++context_.statistics["stores-removed"];
        use.function->erase(access.instruction);
      }
      eraseComputations(use);
    }
    eraseDeclaration(object);
    hasChanged_ = true;
    return true;
  }

  // Every thread has slots of its own in it (C8(ii)): they become registers.
  bool moveIntoRegisters(ModuleObject& object) {
    if (!object.isShared() || object.uses.size() != 1) return false;
    // What is known of addresses must be about the function as it is: else in the next round.
    ir::Function* function = object.uses[0].function;
    if (edited_.contains(function)) return false;
    const auto analyses = analyses_.try_emplace(function, *function).first;
    const SlotPlan plan = planSlots(object, cache_.of(*function), analyses->second);
    if (plan.function == nullptr || !context_.budget.spend()) return false;
    if (context_.wantRemarks) {
      Remark remark = remarkOn(RemarkKind::Passed, object);
      remark.message =
          fmt::format("Moved {} into registers, {} for each thread", describe(object), plan.slots);
      context_.remark(std::move(remark));
    }
    countSaved(object, object.variable->size);
    claimsOf(*function).add(facts::OwnBytes{object.variable->symbol});
    passes::moveIntoRegisters(plan, *object.variable, names_);
    eraseComputations(object.uses[0]);
    ++context_.statistics["variables-in-registers"];
    eraseDeclaration(object);
    hasChanged_ = true;
    return true;
  }

  void eraseComputations(const ModuleObject::Use& use) {
    for (Instruction* computation : use.uses->computations) use.function->erase(computation);
    edited_.insert(use.function);
  }

  void eraseDeclaration(const ModuleObject& object) {
    gone_.insert(object.variable);
    thinned_.emplace(object.declaration, object.scope);
  }

  // Takes what is gone out of the declarations, and declarations in which nothing is left.
  void eraseDeclarations() {
    for (const auto& [declaration, scope] : thinned_) {
      const std::span<ir::Variable*> all = declaration->variables;
      const auto end = std::remove_if(all.begin(), all.end(),
                                      [&](const ir::Variable* v) { return gone_.contains(v); });
      declaration->variables = all.first(static_cast<std::size_t>(end - all.begin()));
      const bool isEmpty = declaration->variables.empty();
      if (scope != nullptr) {
        isEmpty ? scope->erase(declaration) : scope->markChanged(declaration);
      } else {
        isEmpty ? module_.erase(declaration) : module_.markChanged(declaration);
      }
    }
    thinned_.clear();
    gone_.clear();
  }

  // ---- fields ----------------------------------------------------------------------------------

  void split(ModuleObject& object) {
    const FieldPlan plan = planFields(object, settings_.maxFields);
    if (plan.obstacle != nullptr) return remarkMissed(object, plan.obstacle);
    if (plan.fields.empty() || !context_.budget.spend()) return;

    const ir::Variable& whole = *object.variable;
    std::uint64_t bytes = 0;
    std::vector<ir::Variable*> made;
    ir::Statement* position = object.declaration;
    for (const Field& field : plan.fields) {
      const std::string name = fmt::format("{}$f{}", module_.text(whole.name), made.size());
      made.push_back(makeField(whole, field, names_.make(name, object.scope), module_.arena()));
      bytes += made.back()->size;
      position = declare(object, made.back(), position);
    }
    remarkSplit(object, plan, bytes);
    countSaved(object, whole.size - bytes);
    for (const ModuleObject::Use& use : object.uses) {
      for (const VariableAccess& access : use.uses->accesses) {
        const auto offset = static_cast<std::uint64_t>(*access.offset);
        const auto field = std::find_if(plan.fields.begin(), plan.fields.end(),
                                        [&](const Field& f) { return offset < f.end; });
        const auto k = static_cast<std::size_t>(field - plan.fields.begin());
        claimOffset(*use.function, access, whole);
        *access.address = ir::Operand::ofAddress(made[k]->symbol,
                                                 static_cast<std::int64_t>(offset - field->begin));
        if (access.isGeneric) {
          ir::Instruction& instruction = *access.instruction;
          instruction.desc = formInSpace(*instruction.desc, whole.space, module_.forms());
        }
        use.function->markChanged(access.instruction);
      }
      eraseComputations(use);
    }
    ++context_.statistics["variables-split"];
    context_.statistics["fields-made"] += made.size();
    eraseDeclaration(object);
    hasChanged_ = true;
  }

  // After `position`; returns the new declaration.
  ir::Statement* declare(ModuleObject& object, ir::Variable* variable, ir::Statement* position) {
    auto* declaration = module_.arena().create<ir::VariableDeclaration>(0);
    declaration->kind = ir::StatementKind::VariableDeclaration;
    declaration->variables = module_.arena().copy(std::span<ir::Variable* const>(&variable, 1));
    ir::Symbol symbol{.name = variable->name, .kind = ir::SymbolKind::Variable};
    symbol.variable = variable;
    if (object.scope != nullptr) {
      variable->symbol = object.scope->addSymbol(symbol);
      object.scope->insertAfter(position, declaration);
    } else {
      variable->symbol = module_.addSymbol(symbol);
      module_.insertAfter(position, declaration);
    }
    return declaration;
  }

  // ---- constants -------------------------------------------------------------------------------

  static bool isOnlyRead(const ModuleObject& object) {
    return object.allAccesses([](const VariableAccess& access) { return access.isLoad; });
  }

  // True if the loads of the variable were folded that can be (D5.12).
  bool foldLoads(ModuleObject& object) {
    const ir::Variable& variable = *object.variable;
    if (!isOnlyRead(object)) return false;
    if (variable.size == 0 || variable.size > settings_.maxFoldBits / 8) return false;
    bool folded = false;
    for (const ModuleObject::Use& use : object.uses) {
      for (const VariableAccess& access : use.uses->accesses) {
        if (access.isWeak && fold(*use.function, access, variable)) folded = true;
      }
    }
    hasChanged_ |= folded;
    return folded;
  }

  bool fold(ir::Function& function, const VariableAccess& access, const ir::Variable& variable) {
    const std::vector<Instruction*> moves = movesInsteadOf(function, access, variable);
    if (moves.empty() || !context_.budget.spend()) return false;
    if (context_.wantRemarks) {
      Remark remark = remarkAt(RemarkKind::Passed, &function, access.instruction->source);
      remark.message = fmt::format("Folded load of '{}', which nothing writes, in function {}",
                                   module_.text(variable.name), function.nameText());
      remark.details = {{"variable", std::string(module_.text(variable.name))}};
      context_.remark(std::move(remark));
    }
    ir::Statement* position = access.instruction;
    for (Instruction* move : moves) {
      claimNumber(function, *access.instruction, *move);
      function.insertAfter(position, move);
      position = move;
    }
    function.erase(access.instruction);
    edited_.insert(&function);
    ++context_.statistics["loads-folded"];
    return true;
  }

  // Constants of equal content that only loads use: the first one stands for all that need no more
  // alignment, so that few are kept of each content.
  void mergeConstants() {
    std::unordered_map<std::size_t, std::vector<ModuleObject*>> keptByContent;
    for (ModuleObject& object : objects_->all()) {
      const bool isCandidate = object.scope == nullptr && object.pinned == nullptr &&
                               object.escape == nullptr && isHostSpace(object) &&
                               isOnlyRead(object) && object.variable->initializer != nullptr &&
                               object.variable->initializer->opaque.empty() &&
                               object.variable->initializer->relocations.empty();
      if (!isCandidate) continue;
      std::vector<ModuleObject*>& kept = keptByContent[contentHash(*object.variable)];
      const auto same = std::find_if(kept.begin(), kept.end(), [&](const ModuleObject* other) {
        return haveEqualContent(*other->variable, *object.variable) && canBeNamed(*other, object);
      });
      if (same == kept.end()) {
        kept.push_back(&object);
      } else {
        merge(object, **same);
      }
    }
  }

  // What an image leaves out is zero.
  static std::span<const std::uint8_t> contentOf(const ir::Variable& variable) {
    std::span<const std::uint8_t> bytes = variable.initializer->bytes;
    while (!bytes.empty() && bytes.back() == 0) bytes = bytes.first(bytes.size() - 1);
    return bytes;
  }

  static std::size_t contentHash(const ir::Variable& variable) {
    const auto bytes = contentOf(variable);
    const std::size_t ofBytes =
        std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return ofBytes ^ (variable.size * 8 + static_cast<std::size_t>(variable.space)) *
                         std::size_t{0x9E3779B97F4A7C15};
  }

  static bool haveEqualContent(const ir::Variable& a, const ir::Variable& b) {
    return a.space == b.space && a.size == b.size && alignmentOf(a) >= alignmentOf(b) &&
           std::ranges::equal(contentOf(a), contentOf(b));
  }

  // No function that uses `object` has something else of the name of `other`.
  bool canBeNamed(const ModuleObject& other, const ModuleObject& object) {
    const std::string_view name = module_.text(other.variable->name);
    return std::ranges::none_of(object.uses, [&](const ModuleObject::Use& use) {
      auto names = declaredNames_.find(use.function);
      if (names == declaredNames_.end()) {
        names = declaredNames_
                    .try_emplace(use.function, *use.function, ir::DeclaredNames::Where::Anywhere)
                    .first;
      }
      return names->second.mayHave(name);
    });
  }

  void merge(ModuleObject& object, const ModuleObject& into) {
    if (!context_.budget.spend()) return;
    const ir::Variable& variable = *object.variable;
    remarkRemoved(object, 0,
                  fmt::format("it equals '{}'", module_.text(into.variable->name)).c_str());
    countSaved(object, variable.size);
    for (const ModuleObject::Use& use : object.uses) {
      const auto rename = [&](Instruction* instruction) {
        for (ir::Operand& operand : instruction->operands()) {
          if (operand.symbol() == ir::SymbolId::None) continue;
          const ir::Symbol& symbol = use.function->symbolAt(operand.symbol());
          if (symbol.kind != ir::SymbolKind::Variable || symbol.variable != &variable) continue;
          operand.id = static_cast<std::uint32_t>(into.variable->symbol);
          use.function->markChanged(instruction);
        }
      };
      for (const VariableAccess& access : use.uses->accesses) rename(access.instruction);
      for (Instruction* computation : use.uses->computations) rename(computation);
      edited_.insert(use.function);
    }
    ++context_.statistics["constants-merged"];
    eraseDeclaration(object);
    hasChanged_ = true;
  }

  // ---- malloc and free --------------------------------------------------------------------------

  void removeHeapPairs() {
    const ir::Function* allocator = module_.findFunction("malloc");
    if (allocator == nullptr || allocator->hasBody()) return;
    for (ir::Function& function : module_.functions()) {
      if (!function.hasBody() || function.isOpaque || function.isKept) continue;
      for (const HeapUse& use : findHeapPairs(function)) removeHeapUse(use);
    }
    if (hasChanged_) return;
    std::unordered_set<const ir::Statement*> gone;
    for (ModuleObject& object : objects_->all()) {
      const bool isFixed = object.pinned != nullptr || object.escape != nullptr ||
                           (object.isShared() && objects_->whyLayoutIsFixed(object) != nullptr);
      if (isFixed) continue;
      const auto use = findHeapUseOf(object);
      if (!use) continue;
      const bool isShared = std::ranges::any_of(
          use->statements, [&](const auto& statement) { return gone.contains(statement.second); });
      if (isShared || !removeHeapUse(*use)) continue;
      for (const auto& [function, statement] : use->statements) gone.insert(statement);
      remarkRemoved(object, 0, "it only receives such memory");
      countSaved(object, object.variable->size);
      eraseDeclaration(object);
    }
  }

  bool removeHeapUse(const HeapUse& use) {
    if (!context_.budget.spend()) return false;
    if (context_.wantRemarks) {
      for (const HeapUse::Call& call : use.allocations) {
        Remark remark = remarkAt(RemarkKind::Passed, call.function, call.instruction->source);
        remark.message =
            fmt::format("Removed malloc in function {}: its memory is only written and freed",
                        call.function->nameText());
        remark.details = {{"stores", std::to_string(use.stores)},
                          {"frees", std::to_string(use.frees)}};
        context_.remark(std::move(remark));
      }
    }
    for (const auto& [function, statement] : use.statements) {
      function->erase(statement);
      edited_.insert(function);
    }
    context_.statistics["allocations-removed"] += use.allocations.size();
    hasChanged_ = true;
    return true;
  }

  // ---- remarks and counters --------------------------------------------------------------------

  static Remark remarkAt(RemarkKind kind, const ir::Function* function, SourceRange place) {
    Remark remark;
    remark.pass = kGlobalOpt.name;
    remark.kind = kind;
    remark.function = function;
    remark.place = place;
    return remark;
  }

  Remark remarkOn(RemarkKind kind, const ModuleObject& object) const {
    Remark remark = remarkAt(kind, object.scope, object.declaration->source);
    remark.details = {{"variable", std::string(module_.text(object.variable->name))},
                      {"space", std::string(isa::spelling(object.variable->space))},
                      {"bytes", std::to_string(object.variable->size)}};
    const bool isOfKernels = object.isShared() || object.variable->space == Space::Local;
    if (!isOfKernels) return remark;
    std::string kernels;
    for (const ir::Function* kernel : objects_->kernelsOf(object)) {
      kernels += kernels.empty() ? "" : " ";
      kernels += kernel->nameText();
    }
    remark.details.emplace_back("kernels", kernels);
    return remark;
  }

  std::string describe(const ModuleObject& object) const {
    return fmt::format("variable '{}' ({}, {} bytes)", module_.text(object.variable->name),
                       isa::spelling(object.variable->space), object.variable->size);
  }

  void remarkRemoved(const ModuleObject& object, std::size_t stores, const char* reason) {
    ++context_.statistics["variables-removed"];
    if (!context_.wantRemarks) return;
    Remark remark = remarkOn(RemarkKind::Passed, object);
    remark.message = fmt::format("Removed {}: {}", describe(object), reason);
    if (stores != 0) remark.message += fmt::format(", and {} stores to it", stores);
    remark.details.emplace_back("stores", std::to_string(stores));
    context_.remark(std::move(remark));
  }

  void remarkSplit(const ModuleObject& object, const FieldPlan& plan, std::uint64_t bytes) {
    if (!context_.wantRemarks) return;
    Remark remark = remarkOn(RemarkKind::Passed, object);
    remark.message =
        fmt::format("Split {}: fields {}, bytes {}", describe(object), plan.fields.size(), bytes);
    std::string text;
    for (const Field& field : plan.fields) {
      text += fmt::format("{}{}-{}", text.empty() ? "" : " ", field.begin, field.end - 1);
    }
    remark.details.emplace_back("fields", text);
    context_.remark(std::move(remark));
  }

  // Once: a later round finds the same again.
  void remarkMissed(const ModuleObject& object, const char* reason) {
    if (!context_.wantRemarks || !mayRemark_) return;
    Remark remark = remarkOn(RemarkKind::Missed, object);
    remark.message = fmt::format("Kept {} as it is: {}", describe(object), reason);
    context_.remark(std::move(remark));
  }

  void countSaved(const ModuleObject& object, std::uint64_t bytes) {
    switch (object.variable->space) {
      case Space::Global:
        context_.statistics["global-bytes-saved"] += bytes;
        return;
      case Space::Const:
        context_.statistics["const-bytes-saved"] += bytes;
        return;
      case Space::Shared:
        context_.statistics["shared-bytes-saved"] += bytes;
        for (const ir::Function* kernel : objects_->kernelsOf(object)) {
          savings_[kernel].shared += bytes;
        }
        return;
      default:
        context_.statistics["local-bytes-saved"] += bytes;
        for (const ir::Function* kernel : objects_->kernelsOf(object)) {
          savings_[kernel].local += bytes;
        }
        return;
    }
  }

  void remarkUnfinished() {
    Remark remark = remarkAt(RemarkKind::Analysis, nullptr, {});
    remark.message = fmt::format("Stopped after {} rounds: another run may find more", kMaxRounds);
    context_.remark(std::move(remark));
  }

  void remarkSavings() {
    for (const ir::Function& kernel : module_.functions()) {
      const auto found = savings_.find(&kernel);
      if (found == savings_.end()) continue;
      const KernelSavings& saved = found->second;
      if (saved.shared == 0 && saved.local == 0) continue;
      Remark remark = remarkAt(RemarkKind::Analysis, &kernel, kernel.item->source);
      remark.message = fmt::format("Saved {} bytes of .shared and {} of .local in kernel {}",
                                   saved.shared, saved.local, kernel.nameText());
      remark.details = {{"shared", std::to_string(saved.shared)},
                        {"local", std::to_string(saved.local)}};
      context_.remark(std::move(remark));
    }
    for (const std::string_view counter : {"global-bytes-saved", "const-bytes-saved"}) {
      const auto found = context_.statistics.find(counter);
      if (found == context_.statistics.end() || found->second == 0) continue;
      const std::string_view space = counter.substr(0, counter.find('-'));
      Remark remark = remarkAt(RemarkKind::Analysis, nullptr, {});
      remark.message = fmt::format("Saved {} bytes of .{}", found->second, space);
      remark.details = {{std::string(space), std::to_string(found->second)}};
      context_.remark(std::move(remark));
    }
  }

  // ---- claims ----------------------------------------------------------------------------------

  // Of the input as long as nothing but what nobody reaches has gone.
  ClaimSink claimsOf(const ir::Function& function) const {
    return ClaimSink(kGlobalOpt.name, function, isOfInput_ ? context_.claims : nullptr);
  }

  void claimOffset(const ir::Function& function, const VariableAccess& access,
                   const ir::Variable& variable) const {
    ClaimSink claims = claimsOf(function);
    if (!claims || !analysis::TextPlaces::isOfInput(*access.instruction)) return;
    facts::PointsTo claim;
    claim.address.at = access.instruction->source.begin;
    while (facts::addressOperand(*access.instruction, claim.address.number) != access.address) {
      ++claim.address.number;
    }
    facts::Base base;
    base.kind = facts::Base::Kind::Variable;
    base.symbol = variable.symbol;
    claim.bases.push_back(std::move(base));
    claim.bytes = {*access.offset, *access.offset + std::int64_t{access.bytes} - 1};
    claims.add(std::move(claim));
  }

  // `move` gives a register what the load, which has no guard, gave it.
  void claimNumber(const ir::Function& function, const Instruction& load,
                   const Instruction& move) const {
    ClaimSink claims = claimsOf(function);
    if (!claims || load.guard || !analysis::TextPlaces::isOfInput(load)) return;
    const ir::Operand& target = move.operands()[0];
    const ir::Operand& source = move.operands()[1];
    const bool isNumber = source.kind == ir::OperandKind::Integer ||
                          source.kind == ir::OperandKind::Float32 ||
                          source.kind == ir::OperandKind::Float64;
    const int bits = isa::bitWidth(function.rangeOf(target.reg()).type);
    if (!isNumber || target.component != 0 || bits < 8 || bits > 64) return;
    claims.add(numberClaim({load.source.begin, facts::Moment::After, target.reg()},
                           static_cast<std::uint64_t>(source.immediate),
                           static_cast<unsigned>(bits)));
  }

  ir::Module& module_;
  const GlobalOptSettings& settings_;
  ModuleContext& context_;
  MadeNames names_;
  ObjectUsesCache cache_;
  std::unordered_map<const ir::Function*, ir::DeclaredNames> declaredNames_;
  std::unordered_set<const ir::Function*> edited_;                                // in this round
  std::unordered_map<const ir::Function*, analysis::FunctionAnalyses> analyses_;  // of this round
  std::unordered_set<const ir::Variable*> gone_;                                  // in this round
  std::unordered_map<ir::VariableDeclaration*, ir::Function*> thinned_;           // and from where
  ModuleObjects* objects_ = nullptr;                                              // of this round
  bool hasChanged_ = false;                                                       // in this round
  bool changedEver_ = false;
  bool hasImproved_ = false;
  bool isOfInput_ = false;  // what is looked at in this round
  bool mayRemark_ = true;   // of what stays: once is enough
  std::unordered_map<const ir::Function*, KernelSavings> savings_;
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
    {"max-fields", PassOption::Kind::Number},
    {"max-fold-bits", PassOption::Kind::Number},
    {"whole-program", PassOption::Kind::OptionalText, "SYMBOL;SYMBOL;..."},
};

std::unique_ptr<Pass> make(const OptionValues& given, std::string&) {
  GlobalOptSettings settings;
  settings.maxFields = given.number("max-fields", settings.maxFields);
  settings.maxFoldBits = given.number("max-fold-bits", settings.maxFoldBits);
  settings.isWholeProgram = given.has("whole-program");
  addNames(given.text("whole-program"), settings.hostSymbols);
  return std::make_unique<GlobalOpt>(std::move(settings));
}

}  // namespace

const PassInfo kGlobalOpt = {
    "global-opt",
    "Removes dead functions and variables, splits variables into fields.",
    kOptions,
    make,
    "of malloc and free only pairs go, for memory that nobody reads and a pointer that nobody "
    "compares:\nit may be null, and what is not freed is missing for others",
};

}  // namespace ptxopt::passes
