// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/leave_out.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "passes/retarget/function_uses.h"

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
      const auto* alias = item.as<ir::Alias>();
      if (alias == nullptr) continue;
      if (names_.contains(nameOf(alias->aliasee)) || names_.contains(nameOf(alias->alias))) {
        result.aliases.push_back(&item);
      }
    }
    forEachFunctionUse(module_, [&](const FunctionUse& use) {
      if (use.user == nullptr && names_.contains(use.name)) {
        result.variables.push_back(module_.text(use.variable->name));
      }
    });
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
    forEachFunctionUse(module_, [&](const FunctionUse& use) {
      if (use.user != nullptr) users_[use.name].push_back(use.user);
    });
  }

  NameId nameOf(ir::SymbolId symbol) const { return module_.symbolAt(symbol).name; }

  ir::Module& module_;
  std::unordered_map<NameId, std::vector<const ir::Function*>> users_;
  std::unordered_set<NameId> names_;
};

}  // namespace

LeftOut withUsers(ir::Module& module, std::span<const ir::Function* const> first) {
  return Search(module).run(first);
}

}  // namespace ptxopt::passes
