// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/declared_names.h"

#include "ir/module.h"

namespace ptxopt::ir {

std::string_view DeclaredNames::stemOf(std::string_view name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name;
}

DeclaredNames::DeclaredNames(const Function& function, Where where) {
  const Module& module = function.module();
  const auto add = [&](NameId name) { stems_.insert(stemOf(module.text(name))); };
  const auto addSymbol = [&](SymbolId symbol) {
    if (symbol != SymbolId::None) add(function.symbolAt(symbol).name);
  };
  const bool isAnywhere = where == Where::Anywhere;
  if (isAnywhere) {
    // These include registers that are parameters.
    for (const RegisterRange& range : function.registers()) add(range.name);
    for (const Variable* parameter : function.parameters) add(parameter->name);
    for (const Variable* result : function.results) add(result->name);
  }
  std::uint32_t depth = 0;
  for (const Statement& statement : function.body()) {
    if (statement.kind == StatementKind::ScopeBegin) ++depth;
    if (statement.kind == StatementKind::ScopeEnd) --depth;
    if (depth == 0 && !isAnywhere) continue;
    if (const auto* declaration = statement.as<RegisterDeclaration>()) {
      for (const RegisterRange& range :
           function.registers().subspan(declaration->firstRange, declaration->rangeCount)) {
        add(range.name);
      }
    } else if (const auto* variables = statement.as<VariableDeclaration>()) {
      for (const Variable* variable : variables->variables) add(variable->name);
    } else if (const auto* label = statement.as<Label>()) {
      addSymbol(label->symbol);
    } else if (const auto* targets = statement.as<TargetList>()) {
      addSymbol(targets->symbol);
    } else if (const auto* prototype = statement.as<Prototype>()) {
      addSymbol(prototype->symbol);
    }
  }
}

}  // namespace ptxopt::ir
