// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/globals/module_edits.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace ptxopt::passes {

void ModuleEdits::remove(std::span<ir::Function* const> functions) {
  for (const ir::Function* function : functions) noteEdited(*function);
  module_.remove(functions);
}

void ModuleEdits::eraseComputations(const ModuleObject::Use& use) {
  for (ir::Instruction* computation : use.uses->computations) use.function->erase(computation);
  noteEdited(*use.function);
}

void ModuleEdits::eraseDeclaration(const ModuleObject& object) {
  gone_.insert(object.variable);
  thinned_.emplace(object.declaration, object.scope);
  hasChanged_ = true;
}

void ModuleEdits::finishRound(ObjectUsesCache& cache) {
  for (const auto& [declaration, scope] : thinned_) thinOut(*declaration, scope);
  for (const ir::Function* function : edited_) cache.forget(*function);
  thinned_.clear();
  gone_.clear();
  edited_.clear();
  hasChanged_ = false;
}

// A declaration in which nothing is left goes.
void ModuleEdits::thinOut(ir::VariableDeclaration& declaration, ir::Function* scope) {
  const std::span<ir::Variable*> all = declaration.variables;
  const auto end = std::remove_if(all.begin(), all.end(),
                                  [&](const ir::Variable* v) { return gone_.contains(v); });
  declaration.variables = all.first(static_cast<std::size_t>(end - all.begin()));
  const bool isEmpty = declaration.variables.empty();
  if (scope != nullptr) {
    isEmpty ? scope->erase(&declaration) : scope->markChanged(&declaration);
  } else {
    isEmpty ? module_.erase(&declaration) : module_.markChanged(&declaration);
  }
}

}  // namespace ptxopt::passes
