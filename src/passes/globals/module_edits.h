// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one round of `global-opt` changes in the module: functions, and declarations of variables,
// which go at its end.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>

#include "passes/globals/module_objects.h"

namespace ptxopt::passes {

class ModuleEdits {
 public:
  // Must outlive the object.
  explicit ModuleEdits(ir::Module& module) : module_(module) {}

  bool hasChanged() const { return hasChanged_; }
  bool isEdited(const ir::Function& function) const { return edited_.contains(&function); }

  void noteEdited(const ir::Function& function) {
    edited_.insert(&function);
    hasChanged_ = true;
  }
  // Takes the functions out of the module.
  void remove(std::span<ir::Function* const> functions);
  // What computes addresses of a variable that nothing accesses.
  void eraseComputations(const ModuleObject::Use& use);
  void eraseDeclaration(const ModuleObject& object);

  // Takes what is gone out of the declarations, and makes `cache` forget what was edited.
  void finishRound(ObjectUsesCache& cache);

 private:
  void thinOut(ir::VariableDeclaration& declaration, ir::Function* scope);

  ir::Module& module_;
  bool hasChanged_ = false;
  std::unordered_set<const ir::Function*> edited_;
  std::unordered_set<const ir::Variable*> gone_;
  std::unordered_map<ir::VariableDeclaration*, ir::Function*> thinned_;  // and from where
};

}  // namespace ptxopt::passes
