// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/leave_out.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace ptxopt::passes {

namespace {

class Search {
 public:
  explicit Search(ir::Module& module) : module_(module) {}

  LeftOut run(std::span<const ir::Function* const> first) {
    collectUsers();
    std::vector<NameId> todo;
    const auto add = [&](NameId name) {
      if (names_.insert(name).second) todo.push_back(name);
    };
    for (const ir::Function* function : first) add(function->name());
    while (!todo.empty()) {
      const NameId name = todo.back();
      todo.pop_back();
      for (const ir::Function* user : users_[name]) add(user->name());
    }
    LeftOut result;
    for (ir::Function& function : module_.functions()) {
      if (names_.contains(function.name())) result.functions.push_back(&function);
    }
    for (ir::Statement& item : module_.items()) {
      if (const auto* alias = item.as<ir::Alias>()) {
        if (names_.contains(nameOf(alias->aliasee))) result.aliases.push_back(&item);
        continue;
      }
      const auto* declaration = item.as<ir::VariableDeclaration>();
      if (declaration == nullptr) continue;
      for (const ir::Variable* variable : declaration->variables) {
        if (holdsOne(*variable)) result.variables.push_back(module_.text(variable->name));
      }
    }
    return result;
  }

 private:
  // An alias is declared like a function, and goes with what it stands for.
  void collectUsers() {
    for (const ir::Statement& item : module_.items()) {
      const auto* alias = item.as<ir::Alias>();
      if (alias == nullptr) continue;
      const ir::Function* declared = module_.findFunction(module_.text(nameOf(alias->alias)));
      if (declared != nullptr) users_[nameOf(alias->aliasee)].push_back(declared);
    }
    for (const ir::Function& function : module_.functions()) {
      for (const ir::Statement& statement : function.body()) {
        if (const auto* instruction = statement.as<ir::Instruction>()) {
          for (const ir::Operand& operand : instruction->operands())
            use(function, operand.symbol());
        } else if (const auto* list = statement.as<ir::TargetList>()) {
          for (const ir::SymbolId target : list->targets) use(function, target);
        } else if (const auto* declaration = statement.as<ir::VariableDeclaration>()) {
          for (const ir::Variable* variable : declaration->variables) {
            forEachSymbol(*variable, [&](ir::SymbolId symbol) { use(function, symbol); });
          }
        }
      }
    }
  }

  NameId nameOf(ir::SymbolId symbol) const { return module_.symbolAt(symbol).name; }

  void use(const ir::Function& user, ir::SymbolId id) {
    if (id == ir::SymbolId::None) return;
    const ir::Symbol& symbol = user.symbolAt(id);
    if (isFunction(symbol)) users_[symbol.name].push_back(&user);
  }

  static bool isFunction(const ir::Symbol& symbol) {
    return symbol.kind == ir::SymbolKind::Function || symbol.kind == ir::SymbolKind::Alias;
  }

  bool holdsOne(const ir::Variable& variable) const {
    bool holds = false;
    forEachSymbol(variable, [&](ir::SymbolId id) {
      const ir::Symbol& symbol = module_.symbolAt(id);
      holds |= isFunction(symbol) && names_.contains(symbol.name);
    });
    return holds;
  }

  // Of its initialiser.
  template <class Visit>
  static void forEachSymbol(const ir::Variable& variable, Visit&& visit) {
    if (variable.initializer == nullptr) return;
    for (const ir::Relocation& relocation : variable.initializer->relocations) {
      visit(relocation.symbol);
    }
    for (const ir::SymbolId symbol : variable.initializer->opaqueSymbols) visit(symbol);
  }

  ir::Module& module_;
  std::unordered_map<NameId, std::vector<const ir::Function*>> users_;
  std::unordered_set<NameId> names_;
};

}  // namespace

LeftOut withUsers(ir::Module& module, std::span<const ir::Function* const> first) {
  return Search(module).run(first);
}

}  // namespace ptxopt::passes
