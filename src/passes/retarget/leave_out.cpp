// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/leave_out.h"

#include <algorithm>
#include <unordered_set>

namespace ptxopt::passes {

namespace {

class Search {
 public:
  explicit Search(ir::Module& module) : module_(module) {}

  LeftOut run(std::span<const ir::Function* const> first) {
    for (const ir::Function* function : first) names_.insert(function->name());
    for (bool isNew = true; isNew;) {
      isNew = false;
      for (const ir::Function& function : module_.functions()) {
        if (!names_.contains(function.name()) && namesOne(function)) {
          isNew = names_.insert(function.name()).second;
        }
      }
    }
    LeftOut result;
    for (ir::Function& function : module_.functions()) {
      if (names_.contains(function.name())) result.functions.push_back(&function);
    }
    for (const ir::Statement& item : module_.items()) {
      const auto* declaration = item.as<ir::VariableDeclaration>();
      if (declaration == nullptr) continue;
      for (const ir::Variable* variable : declaration->variables) {
        if (holdsOne(*variable)) result.variables.push_back(module_.text(variable->name));
      }
    }
    return result;
  }

 private:
  bool isOne(const ir::Symbol& symbol) const {
    return (symbol.kind == ir::SymbolKind::Function || symbol.kind == ir::SymbolKind::Alias) &&
           names_.contains(symbol.name);
  }

  bool namesOne(const ir::Function& function) const {
    return std::ranges::any_of(function.body(), [&](const ir::Statement& statement) {
      if (const auto* instruction = statement.as<ir::Instruction>()) {
        return std::ranges::any_of(instruction->operands(), [&](const ir::Operand& operand) {
          return operand.symbol() != ir::SymbolId::None &&
                 isOne(function.symbolAt(operand.symbol()));
        });
      }
      const auto* list = statement.as<ir::TargetList>();
      return list != nullptr && std::ranges::any_of(list->targets, [&](ir::SymbolId target) {
               return isOne(function.symbolAt(target));
             });
    });
  }

  bool holdsOne(const ir::Variable& variable) const {
    if (variable.initializer == nullptr) return false;
    const auto isNamed = [&](ir::SymbolId symbol) { return isOne(module_.symbolAt(symbol)); };
    return std::ranges::any_of(variable.initializer->relocations, isNamed,
                               &ir::Relocation::symbol) ||
           std::ranges::any_of(variable.initializer->opaqueSymbols, isNamed);
  }

  ir::Module& module_;
  std::unordered_set<NameId> names_;
};

}  // namespace

LeftOut withUsers(ir::Module& module, std::span<const ir::Function* const> first) {
  return Search(module).run(first);
}

}  // namespace ptxopt::passes
