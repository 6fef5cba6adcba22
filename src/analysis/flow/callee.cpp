// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/callee.h"

#include <algorithm>

#include "analysis/flow/device_runtime.h"
#include "ir/module.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

bool isNonReturningName(std::string_view name) {
  const DeviceRuntimeFunction* known = findDeviceRuntimeFunction(name);
  return known != nullptr && !known->returns;
}

template <class Scope>
ir::Function* resolve(const Scope& scope, ir::SymbolId symbol) {
  // ptxas rejects an alias of an alias; the bound is for cycles of aliases.
  const ir::Symbol* entry = &scope.symbolAt(symbol);
  for (std::size_t k = 0; entry->kind == ir::SymbolKind::Alias; ++k) {
    if (reaches(k, Limit::AliasChain)) return nullptr;
    if (entry->alias->aliasee == ir::SymbolId::None) return nullptr;
    entry = &scope.symbolAt(entry->alias->aliasee);
  }
  return entry->kind == ir::SymbolKind::Function ? entry->function : nullptr;
}

}  // namespace

ir::Function* functionOf(const ir::Function& scope, ir::SymbolId symbol) {
  return resolve(scope, symbol);
}
ir::Function* functionOf(const ir::Module& scope, ir::SymbolId symbol) {
  return resolve(scope, symbol);
}

Callee calleeOf(const ir::Function& caller, const ir::Instruction& call) {
  Callee callee;
  bool sawTarget = false;
  for (std::size_t k = 0; const ir::Operand* operand = call.operand(k); ++k) {
    if (operand->kind == ir::OperandKind::List) continue;
    const ir::SymbolId id = operand->symbol();
    if (id != ir::SymbolId::None) {
      const ir::Symbol& symbol = caller.symbolAt(id);
      if (symbol.kind == ir::SymbolKind::TargetList) callee.targets = symbol.targets;
      if (symbol.kind == ir::SymbolKind::Prototype) callee.prototype = symbol.prototype;
      if (!sawTarget) {
        callee.function = functionOf(caller, id);
        callee.isAlias = symbol.kind == ir::SymbolKind::Alias;
        if (symbol.kind == ir::SymbolKind::Unresolved) callee.undeclared = symbol.name;
      }
    }
    sawTarget = true;
  }
  return callee;
}

const ir::Operand* calleeOperand(const ir::Instruction& call) {
  if (!call.desc->known()) return nullptr;
  std::size_t k = 0;
  const ir::Operand* operand = call.operand(k);
  while (operand != nullptr && operand->kind == ir::OperandKind::List) {
    operand = call.operand(++k);
  }
  return operand;
}

std::optional<CallParameters> parametersOf(const ir::Instruction& call) {
  CallParameters parameters;
  bool isAfterCallee = false;
  for (std::size_t k = 0; const ir::Operand* operand = call.operand(k); ++k) {
    if (operand->kind != ir::OperandKind::List) {
      if (isAfterCallee) return std::nullopt;  // a prototype, or a list of targets
      isAfterCallee = true;
      continue;
    }
    for (const ir::Operand& member : ir::members(*operand)) {
      if (member.kind != ir::OperandKind::Symbol || member.immediate != 0) return std::nullopt;
      (isAfterCallee ? parameters.arguments : parameters.results).push_back(member.symbol());
    }
  }
  return parameters;
}

bool neverReturns(const ir::Function& function) {
  return function.noReturn() || (!function.hasBody() && isNonReturningName(function.nameText()));
}

bool neverReturns(const ir::Function& caller, const ir::Instruction& call) {
  const Callee callee = calleeOf(caller, call);
  if (callee.function != nullptr) return neverReturns(*callee.function);
  if (callee.undeclared != NameId::None) {
    return isNonReturningName(caller.module().text(callee.undeclared));
  }
  if (callee.prototype != nullptr) return callee.prototype->noReturn;
  if (callee.targets == nullptr || callee.targets->targets.empty()) return false;
  return std::ranges::all_of(callee.targets->targets, [&](ir::SymbolId target) {
    const ir::Function* function = functionOf(caller, target);
    return function != nullptr && neverReturns(*function);
  });
}

}  // namespace ptxopt::analysis
