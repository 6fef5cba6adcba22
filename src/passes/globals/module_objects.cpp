// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/globals/module_objects.h"

#include <algorithm>
#include <utility>

#include "analysis/memory/open_shared.h"
#include "ir/directives.h"
#include "ir/names.h"

namespace ptxopt::passes {

namespace {

using analysis::ObjectUses;
using analysis::VariableUses;
using ir::Linkage;
using isa::Space;

// Calls visit(word) for every word of a text that could be a name.
template <class Visitor>
void forEachWord(std::string_view text, Visitor&& visit) {
  for (std::size_t at = 0; at < text.size();) {
    if (!ir::isNameCharacter(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && ir::isNameCharacter(text[end])) ++end;
    visit(text.substr(at, end - at));
    at = end;
  }
}

bool isTexture(isa::Type type) {
  return type == isa::Type::TexRef || type == isa::Type::SamplerRef || type == isa::Type::SurfRef;
}

// docs/soundness/ D5.8, D5.11.
bool isCompilerMade(std::string_view name) {
  return name.starts_with("$") || name.starts_with("__unnamed_") || name.starts_with("__cudart_");
}

template <class Visitor>
void forEachRelocation(const ir::Variable& variable, Visitor&& visit) {
  if (variable.initializer == nullptr) return;
  for (const ir::Relocation& relocation : variable.initializer->relocations) {
    if (relocation.symbol != ir::SymbolId::None) visit(relocation.symbol);
  }
  for (const ir::SymbolId symbol : variable.initializer->opaqueSymbols) visit(symbol);
}

}  // namespace

const ObjectUses& ObjectUsesCache::of(ir::Function& function) {
  std::unique_ptr<ObjectUses>& entry = cache_[&function];
  if (entry == nullptr) entry = std::make_unique<ObjectUses>(function);
  return *entry;
}

std::uint32_t alignmentOf(const ir::Variable& variable) {
  const auto element = static_cast<std::uint32_t>(isa::bitWidth(variable.type)) / 8;
  return std::max(variable.alignment, std::max(1u, element * variable.vectorWidth));
}

bool ModuleObject::isUsedBelowDirective() const {
  const auto isBelow = [](const Use& use) {
    return std::ranges::any_of(use.uses->computations,
                               [](const auto* each) { return ir::hasDirectiveAbove(*each); });
  };
  return std::ranges::any_of(uses, isBelow) ||
         !allAccesses([](const auto& each) { return !ir::hasDirectiveAbove(*each.instruction); });
}

ModuleObjects::ModuleObjects(ir::Module& module, const GlobalOptSettings& settings,
                             const analysis::ModuleAssumptions& assumptions,
                             const analysis::CallGraph& calls, ObjectUsesCache& cache)
    : module_(module),
      settings_(settings),
      assumptions_(assumptions),
      calls_(calls),
      cache_(cache) {
  collectTexts();
  collectDefinitions();
  collectObjects();
  collectUses();
  mark();
  collectKernels();
}

// ---- what may be named unseen -------------------------------------------------------------------

void ModuleObjects::collectTexts() {
  isModuleOpaque_ = module_.hasUnknownDirective;
  const auto add = [this](std::string_view text) {
    forEachWord(text, [this](std::string_view word) { words_.insert(word); });
  };
  for (const ir::Statement& item : module_.items()) {
    if (const auto* directive = item.as<ir::Directive>()) add(directive->text);
    if (const auto* pragma = item.as<ir::Pragma>()) add(pragma->text);
    if (const auto* declaration = item.as<ir::VariableDeclaration>()) {
      for (const ir::Variable* variable : declaration->variables) ++declared_[variable->name];
    }
  }
  for (const ir::Function& function : module_.functions()) {
    isModuleOpaque_ |= function.isOpaque;
    for (const ir::Attribute& attribute : function.attributes) add(attribute.text);
    for (const ir::Statement& statement : function.body()) {
      if (const auto* directive = statement.as<ir::Directive>()) add(directive->text);
      if (const auto* pragma = statement.as<ir::Pragma>()) add(pragma->text);
      if (const auto* location = statement.as<ir::Location>()) add(location->rest);
    }
  }
}

void ModuleObjects::collectDefinitions() {
  definitions_.assign(calls_.graph().vertexCount(), nullptr);
  for (ir::Function& function : module_.functions()) {
    if (function.hasBody()) definitions_[calls_.vertexOf(function)] = &function;
  }
}

bool ModuleObjects::isNamedByText(NameId name) const {
  return words_.contains(module_.text(name));
}

const char* ModuleObjects::whyPinned(const ir::Variable& variable, bool isOpaque) const {
  const bool isHostSpace = variable.space == Space::Global || variable.space == Space::Const;
  if (isOpaque) return "something near it is not understood, and may use it";
  if (!variable.attributes.empty() || variable.isParametrised || variable.constantBank != 0 ||
      isTexture(variable.type) || variable.typeName != NameId::None) {
    return "its declaration has an attribute or type that may mean more users";
  }
  if (isNamedByText(variable.name)) return "a directive or pragma names it";
  const bool isLinked =
      variable.linkage != Linkage::None &&
      !(variable.linkage == Linkage::Visible && isHostSpace && settings_.isWholeProgram);
  if (isLinked) return "other modules may use it";
  if (!isHostSpace) return nullptr;
  if (!settings_.isWholeProgram) return "the host may use it";
  if (settings_.hostSymbols.contains(module_.text(variable.name))) {
    return "the host or another file uses it";
  }
  return nullptr;
}

// ---- objects ------------------------------------------------------------------------------------

void ModuleObjects::addObjects(ir::VariableDeclaration& declaration, ir::Function* scope) {
  for (ir::Variable* variable : declaration.variables) {
    const Space space = variable->space;
    const bool isObject = space == Space::Global || space == Space::Const ||
                          space == Space::Shared || space == Space::Local;
    if (!isObject) continue;
    ModuleObject object;
    object.variable = variable;
    object.declaration = &declaration;
    object.scope = scope;
    object.pinned = whyPinned(*variable, scope != nullptr ? scope->isOpaque : isModuleOpaque_);
    if (analysis::isOpenShared(*variable) && object.pinned == nullptr) {
      object.pinned = "it stands for all shared memory";
    }
    if (scope != nullptr && scope->isKept && object.pinned == nullptr) {
      object.pinned = "its function must stay unchanged";
    }
    if (scope == nullptr && object.pinned == nullptr && declared_[variable->name] > 1) {
      object.pinned = "it is declared more than once";
    }
    const bool isConstant = variable->initializer != nullptr &&
                            variable->linkage == Linkage::None && variable->attributes.empty() &&
                            !isModuleOpaque_ && scope == nullptr &&
                            (space == Space::Global || space == Space::Const);
    object.isCompilerMade = isConstant && isCompilerMade(module_.text(variable->name)) &&
                            !isNamedByText(variable->name) && declared_[variable->name] == 1 &&
                            !settings_.hostSymbols.contains(module_.text(variable->name));
    index_.emplace(variable, objects_.size());
    objects_.push_back(std::move(object));
  }
}

void ModuleObjects::collectObjects() {
  for (ir::Statement& item : module_.items()) {
    if (auto* declaration = item.as<ir::VariableDeclaration>()) addObjects(*declaration, nullptr);
  }
  for (ir::Function& function : module_.functions()) {
    for (ir::Statement& statement : function.body()) {
      if (auto* declaration = statement.as<ir::VariableDeclaration>()) {
        addObjects(*declaration, &function);
      }
    }
  }
}

void ModuleObjects::collectUses() {
  for (ir::Function& function : module_.functions()) {
    if (!function.hasBody()) continue;
    for (const VariableUses& uses : cache_.of(function).all()) {
      const auto found = index_.find(uses.variable);
      if (found == index_.end()) continue;
      ModuleObject& object = objects_[found->second];
      object.uses.push_back({&function, &uses});
      noteAlignment(object.uses.back());
      if (object.escape == nullptr) object.escape = uses.escape;
      if (function.isKept && object.pinned == nullptr) {
        object.pinned = "a function that must stay unchanged uses it";
      }
    }
  }
}

// docs/soundness/ E.10.6: what is accessed as wider than its alignment is so by its place.
void ModuleObjects::noteAlignment(const ModuleObject::Use& use) {
  const ir::Variable& variable = *use.uses->variable;
  const std::uint32_t alignment = alignmentOf(variable);
  const bool isNarrow = std::ranges::any_of(
      use.uses->accesses,
      [&](const analysis::VariableAccess& access) { return access.bytes > alignment; });
  if (!isNarrow) return;
  hasNarrowGlobal_ |= variable.space == Space::Global;
  hasNarrowConst_ |= variable.space == Space::Const;
  if (variable.space == Space::Local) withNarrowLocals_.insert(use.function);
}

// Marks everything reachable from the roots: entries, names that linkers and texts can use, and
// variables that must remain.
void ModuleObjects::mark() {
  std::vector<ir::Function*> functions;
  BitSet isReached(definitions_.size());
  std::vector<ModuleObject*> variables;
  const auto reach = [&](const ir::Function& function) {
    const Vertex v = calls_.vertexOf(function);
    if (isReached.set(v) && definitions_[v] != nullptr) functions.push_back(definitions_[v]);
  };
  const auto reference = [&](ModuleObject& object) {
    if (std::exchange(object.isReferenced, true)) return;
    variables.push_back(&object);
  };
  const auto referenceVariable = [&](const ir::Variable* variable) {
    const auto found = index_.find(variable);
    if (found != index_.end()) reference(objects_[found->second]);
  };

  for (ir::Function& function : module_.functions()) {
    const bool isRoot = function.isEntry() || function.linkage != Linkage::None ||
                        isModuleOpaque_ || function.isKept || isNamedByText(function.name()) ||
                        settings_.hostSymbols.contains(function.nameText());
    if (isRoot) reach(function);
  }
  for (const ir::Statement& item : module_.items()) {
    const auto* alias = item.as<ir::Alias>();
    if (alias == nullptr) continue;
    for (const ir::SymbolId id : {alias->alias, alias->aliasee}) {
      if (id == ir::SymbolId::None) continue;
      const ir::Symbol& symbol = module_.symbolAt(id);
      if (symbol.kind == ir::SymbolKind::Function) reach(*symbol.function);
      if (symbol.kind == ir::SymbolKind::Variable) referenceVariable(symbol.variable);
      if (symbol.kind == ir::SymbolKind::Alias) {
        if (ir::Function* named = module_.findFunction(module_.text(symbol.name))) reach(*named);
      }
    }
  }
  for (ModuleObject& object : objects_) {
    const bool isRoot = (object.pinned != nullptr && !object.isCompilerMade) ||
                        whyOtherLayoutIsFixed(object) != nullptr;
    if (object.scope == nullptr && isRoot) reference(object);
  }

  while (!functions.empty() || !variables.empty()) {
    if (!variables.empty()) {
      ModuleObject& object = *variables.back();
      variables.pop_back();
      forEachRelocation(*object.variable, [&](ir::SymbolId id) {
        const ir::Symbol& symbol =
            object.scope != nullptr ? object.scope->symbolAt(id) : module_.symbolAt(id);
        if (symbol.kind == ir::SymbolKind::Function) reach(*symbol.function);
        if (symbol.kind == ir::SymbolKind::Variable) {
          referenceVariable(symbol.variable);
          const auto found = index_.find(symbol.variable);
          if (found != index_.end() && objects_[found->second].escape == nullptr) {
            objects_[found->second].escape = "an initialiser holds its address";
          }
        }
        if (symbol.kind == ir::SymbolKind::Alias) {
          if (symbol.alias->aliasee == ir::SymbolId::None) return;
          const ir::Symbol& aliasee = module_.symbolAt(symbol.alias->aliasee);
          if (aliasee.kind == ir::SymbolKind::Function) reach(*aliasee.function);
        }
      });
      continue;
    }
    ir::Function& function = *functions.back();
    functions.pop_back();
    const ObjectUses& uses = cache_.of(function);
    for (const ir::Function* named : uses.functions()) reach(*named);
    for (const VariableUses& use : uses.all()) referenceVariable(use.variable);
  }

  for (Vertex v = 0; v < calls_.outside(); ++v) {
    if (definitions_[v] != nullptr && !isReached.test(v)) deadFunctions_.push_back(definitions_[v]);
  }
}

// ---- layout -------------------------------------------------------------------------------------

// docs/soundness/ D5.14, E.10.6: cases in which the addresses of the other variables matter.
const char* ModuleObjects::whyLayoutIsFixed(const std::vector<Vertex>& reach) const {
  if (std::find(reach.begin(), reach.end(), calls_.outside()) != reach.end()) {
    return "the kernel calls unknown functions";
  }
  constexpr std::uint32_t kWidest = 16;     // bytes of one access
  constexpr std::uint32_t kLargest = 1024;  // bytes of a tile
  const bool usesTiles = std::any_of(reach.begin(), reach.end(), [&](Vertex v) {
    return definitions_[v] != nullptr && cache_.of(*definitions_[v]).usesTiles();
  });
  const std::uint32_t mostNeeded = usesTiles ? kLargest : kWidest;
  for (const Vertex v : reach) {
    if (definitions_[v] == nullptr) continue;
    if (assumptions_.of(*definitions_[v]).flatShared) {
      return "addresses may leave their shared array (--flat-shared)";
    }
    const ObjectUses& uses = cache_.of(*definitions_[v]);
    if (uses.readsSharedSize()) return "the kernel reads the size of its shared memory";
    if (uses.hasUnknownShared()) return "the kernel accesses shared memory at numeric addresses";
    for (const VariableUses& use : uses.all()) {
      const ir::Variable& variable = *use.variable;
      if (variable.space != Space::Shared) continue;
      const bool isDynamic = variable.linkage == Linkage::Extern || variable.size == 0 ||
                             analysis::isOpenShared(variable);
      if (isDynamic) return "the kernel can reach dynamic shared memory";
      const std::uint32_t alignment = alignmentOf(variable);
      bool needsMore = use.escape != nullptr && alignment < mostNeeded;
      for (const analysis::VariableAccess& access : use.accesses) {
        needsMore |= access.bytes > alignment;
        const bool leaves =
            access.offset &&
            (*access.offset < 0 ||
             static_cast<std::uint64_t>(*access.offset) + access.bytes > variable.size);
        if (leaves) return "the kernel accesses memory outside of its variable";
      }
      if (needsMore) return "a variable of the kernel may need more alignment than it declares";
    }
  }
  return nullptr;
}

void ModuleObjects::collectKernels() {
  const bool hasShared = std::any_of(objects_.begin(), objects_.end(),
                                     [](const ModuleObject& o) { return o.isShared(); });
  const bool hasLocal = std::any_of(objects_.begin(), objects_.end(), [](const ModuleObject& o) {
    return o.variable->space == Space::Local;
  });
  if (!hasShared && !hasLocal) return;
  const Digraph& graph = calls_.graph();
  kernelsReaching_.resize(graph.vertexCount());
  std::vector<std::size_t> seenFrom(graph.vertexCount(), ~std::size_t{0});  // the last kernel
  for (const ir::Function& function : module_.functions()) {
    if (!function.isEntry() || !function.hasBody()) continue;
    const std::size_t k = kernels_.size();
    std::vector<Vertex> reach = {calls_.vertexOf(function)};
    seenFrom[reach[0]] = k;
    for (std::size_t at = 0; at < reach.size(); ++at) {
      kernelsReaching_[reach[at]].push_back(k);
      for (const Vertex callee : graph.successors(reach[at])) {
        if (std::exchange(seenFrom[callee], k) != k) reach.push_back(callee);
      }
    }
    kernels_.push_back({&function, whyLayoutIsFixed(reach)});
  }
}

std::vector<std::size_t> ModuleObjects::kernelIndicesOf(const ModuleObject& object) const {
  std::vector<std::size_t> kernels;
  const auto add = [&](const ir::Function& function) {
    const auto& more = kernelsReaching_[calls_.vertexOf(function)];
    kernels.insert(kernels.end(), more.begin(), more.end());
  };
  if (kernelsReaching_.empty()) return kernels;
  if (object.scope != nullptr) add(*object.scope);
  for (const ModuleObject::Use& use : object.uses) {
    if (use.function != object.scope) add(*use.function);
  }
  std::sort(kernels.begin(), kernels.end());
  kernels.erase(std::unique(kernels.begin(), kernels.end()), kernels.end());
  return kernels;
}

std::vector<const ir::Function*> ModuleObjects::kernelsOf(const ModuleObject& object) const {
  std::vector<const ir::Function*> kernels;
  for (const std::size_t k : kernelIndicesOf(object)) kernels.push_back(kernels_[k].function);
  return kernels;
}

const char* ModuleObjects::whyLayoutIsFixed(const ModuleObject& object) const {
  return object.isShared() ? whySharedLayoutIsFixed(object) : whyOtherLayoutIsFixed(object);
}

const char* ModuleObjects::whyOtherLayoutIsFixed(const ModuleObject& object) const {
  bool isFixed = false;
  switch (object.variable->space) {
    case Space::Local:
      isFixed = object.scope != nullptr ? withNarrowLocals_.contains(object.scope)
                                        : !withNarrowLocals_.empty();
      break;
    case Space::Global:
      isFixed = hasNarrowGlobal_;
      break;
    case Space::Const:
      isFixed = hasNarrowConst_;
      break;
    default:
      break;
  }
  return isFixed ? "a variable beside it may need more alignment than it declares" : nullptr;
}

const char* ModuleObjects::whySharedLayoutIsFixed(const ModuleObject& object) const {
  const auto isOpen = [&](const ir::Function& function) {
    return !function.isEntry() && !calls_.callersAreKnown(calls_.vertexOf(function));
  };
  const bool hasUnknownCallers =
      (object.scope != nullptr && isOpen(*object.scope)) ||
      std::any_of(object.uses.begin(), object.uses.end(),
                  [&](const ModuleObject::Use& use) { return isOpen(*use.function); });
  if (hasUnknownCallers) return "kernels that are not known may call the function";
  for (const std::size_t k : kernelIndicesOf(object)) {
    if (kernels_[k].fixedLayout != nullptr) return kernels_[k].fixedLayout;
  }
  return nullptr;
}

}  // namespace ptxopt::passes
