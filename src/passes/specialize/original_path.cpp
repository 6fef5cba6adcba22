// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/original_path.h"

#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/make.h"

namespace ptxopt::passes {

namespace {

using ir::StatementKind;
using ir::SymbolId;

constexpr std::uint32_t kMostRegisters = 1u << 20;

// A call has its parameters in a scope of its own.  Anything else there would be in the text twice.
bool isOfCall(const ir::VariableDeclaration& declaration) {
  for (const ir::Variable* variable : declaration.variables) {
    if (variable->space != isa::Space::Param || variable->initializer != nullptr) return false;
  }
  return true;
}

// Nothing falls through the statement.
bool endsAt(const ir::Statement& last) {
  const auto* const instruction = last.as<ir::Instruction>();
  return instruction != nullptr && !instruction->guard && instruction->desc->known() &&
         (instruction->desc->control == isa::Control::Exit ||
          instruction->desc->control == isa::Control::Return);
}

// Any other is, or may be, about the whole kernel.
bool isOfNextStatement(const ir::Pragma& pragma) {
  return pragma.text == "\"nounroll\"" || pragma.text.starts_with("\"used_bytes_mask");
}

class BodyCopier {
 public:
  explicit BodyCopier(ir::Function& kernel)
      : kernel_(kernel), module_(kernel.module()), suffix_("_original") {
    while (isPartOfName()) suffix_ += '_';
  }

  SymbolId run() {
    ir::Statement* const end = kernel_.body().back();
    collect(end);
    if (!endsAt(*end)) append(ir::makeInstruction(kernel_, "ret", {}));
    const SymbolId entry = appendLabel("$body");
    std::uint32_t depth = 0;
    for (ir::Statement* at = kernel_.body().front();; at = at->next) {
      if (at->kind == StatementKind::ScopeBegin) ++depth;
      if (at->kind == StatementKind::ScopeEnd) --depth;
      const bool isShared = at->kind == StatementKind::VariableDeclaration && depth == 0;
      if (!isShared) append(copyOf(*at));
      if (at == end) break;
    }
    return entry;
  }

 private:
  bool isPartOfName() const {
    const auto has = [&](NameId name) {
      return module_.text(name).find(suffix_) != std::string_view::npos;
    };
    for (const ir::RegisterRange& range : kernel_.registers()) {
      if (has(range.name)) return true;
    }
    for (const ir::Symbol& symbol : kernel_.localSymbols()) {
      if (has(symbol.name)) return true;
    }
    for (std::uint32_t k = 0; k < module_.symbolCount(); ++k) {
      if (has(module_.symbolAt(SymbolId{k}).name)) return true;
    }
    return false;
  }

  NameId renamed(NameId name) { return module_.name(std::string(module_.text(name)) + suffix_); }

  void append(ir::Statement* statement) { kernel_.insertAfter(kernel_.body().back(), statement); }

  template <class T>
  T* make() {
    auto* made = kernel_.arena().create<T>(0);
    made->kind = T::kKind;
    return made;
  }

  // ---- names that the copy has of its own -------------------------------------------------------

  // Statements may name labels that come below.
  void collect(const ir::Statement* end) {
    firstCopied_.resize(kernel_.registers().size());
    for (ir::Statement* at = kernel_.body().front();; at = at->next) {
      if (const auto* label = at->as<ir::Label>()) addSymbol(label->symbol);
      if (const auto* targets = at->as<ir::TargetList>()) addSymbol(targets->symbol);
      if (const auto* prototype = at->as<ir::Prototype>()) addSymbol(prototype->symbol);
      if (const auto* declaration = at->as<ir::RegisterDeclaration>()) addRegisters(*declaration);
      if (at == end) return;
    }
  }

  void addSymbol(SymbolId old) {
    if (old == SymbolId::None) return;
    ir::Symbol symbol = kernel_.symbolAt(old);
    symbol.name = renamed(symbol.name);
    symbols_[old] = kernel_.addSymbol(symbol);
  }

  void addRegisters(const ir::RegisterDeclaration& declaration) {
    auto* const made = make<ir::RegisterDeclaration>();
    made->firstRange = static_cast<std::uint32_t>(kernel_.registers().size());
    made->rangeCount = declaration.rangeCount;
    for (std::uint32_t k = 0; k < declaration.rangeCount; ++k) {
      ir::RegisterRange range = kernel_.registers()[declaration.firstRange + k];
      range.name = renamed(range.name);
      firstCopied_[declaration.firstRange + k] =
          static_cast<std::uint32_t>(kernel_.addRegisters(range));
    }
    declarations_[&declaration] = made;
  }

  ir::RegisterId copied(ir::RegisterId old) const {
    const ir::RegisterRange& range = kernel_.rangeOf(old);
    const auto k = static_cast<std::size_t>(&range - kernel_.registers().data());
    return ir::RegisterId{firstCopied_[k] + static_cast<std::uint32_t>(old) - range.first};
  }

  SymbolId copied(SymbolId old) const {
    const auto found = symbols_.find(old);
    return found == symbols_.end() ? old : found->second;
  }

  // ---- statements -------------------------------------------------------------------------------

  SymbolId appendLabel(std::string_view name) {
    auto* const label = make<ir::Label>();
    ir::Symbol symbol{.name = module_.name(std::string(name) + suffix_),
                      .kind = ir::SymbolKind::Label};
    symbol.label = label;
    label->symbol = kernel_.addSymbol(symbol);
    append(label);
    return label->symbol;
  }

  ir::Statement* copyOf(const ir::Statement& old) {
    switch (old.kind) {
      case StatementKind::Instruction:
        return copyOf(*old.as<ir::Instruction>());
      case StatementKind::Label:
        return copyOf(*old.as<ir::Label>());
      case StatementKind::RegisterDeclaration:
        return declarations_.at(old.as<ir::RegisterDeclaration>());
      case StatementKind::VariableDeclaration:
        return copyOf(*old.as<ir::VariableDeclaration>());
      case StatementKind::TargetList:
        return copyOf(*old.as<ir::TargetList>());
      case StatementKind::Prototype:
        return copyOf(*old.as<ir::Prototype>());
      case StatementKind::Location:
        return bareCopy(*old.as<ir::Location>());
      case StatementKind::Pragma:
        return bareCopy(*old.as<ir::Pragma>());
      case StatementKind::ScopeBegin:
        return make<ir::ScopeBegin>();
      default:
        return make<ir::ScopeEnd>();
    }
  }

  // Without its place in the list and in the text.
  template <class T>
  T* bareCopy(const T& old) {
    auto* const made = make<T>();
    *made = old;
    made->previous = made->next = nullptr;
    made->source = {};
    made->changed = false;
    return made;
  }

  ir::Instruction* copyOf(const ir::Instruction& old) {
    ir::Instruction* const made = ir::copyInstruction(kernel_, old);
    if (made->guard) {
      made->guard = ir::Guard(copied(made->guard.predicate()), made->guard.negated());
    }
    for (ir::Operand& operand : made->operands()) {
      if (operand.reg() != ir::RegisterId::None) {
        operand.id = static_cast<std::uint32_t>(copied(operand.reg()));
      } else if (operand.symbol() != SymbolId::None) {
        operand.id = static_cast<std::uint32_t>(copied(operand.symbol()));
      }
    }
    return made;
  }

  ir::Label* copyOf(const ir::Label& old) {
    auto* const made = make<ir::Label>();
    made->symbol = copied(old.symbol);
    kernel_.localSymbol(made->symbol).label = made;
    return made;
  }

  // In a nested scope, so it keeps its name.
  ir::VariableDeclaration* copyOf(const ir::VariableDeclaration& old) {
    std::vector<ir::Variable*> variables;
    for (const ir::Variable* variable : old.variables) {
      auto* const made = kernel_.arena().create<ir::Variable>(0);
      *made = *variable;
      ir::Symbol symbol = kernel_.symbolAt(variable->symbol);
      symbol.variable = made;
      made->symbol = symbols_[variable->symbol] = kernel_.addSymbol(symbol);
      variables.push_back(made);
    }
    auto* const made = make<ir::VariableDeclaration>();
    made->variables = kernel_.arena().copy(std::span<ir::Variable* const>(variables));
    return made;
  }

  ir::TargetList* copyOf(const ir::TargetList& old) {
    ir::TargetList* const made = bareCopy(old);
    std::vector<SymbolId> targets;
    for (const SymbolId target : old.targets) targets.push_back(copied(target));
    made->targets = kernel_.arena().copy(std::span<const SymbolId>(targets));
    if (old.symbol == SymbolId::None) return made;
    made->symbol = copied(old.symbol);
    kernel_.localSymbol(made->symbol).targets = made;
    return made;
  }

  ir::Prototype* copyOf(const ir::Prototype& old) {
    ir::Prototype* const made = bareCopy(old);
    if (old.symbol == SymbolId::None) return made;
    made->symbol = copied(old.symbol);
    kernel_.localSymbol(made->symbol).prototype = made;
    return made;
  }

  ir::Function& kernel_;
  ir::Module& module_;
  std::string suffix_;                      // in no name
  std::vector<std::uint32_t> firstCopied_;  // the first register of the copy of each range
  std::unordered_map<const ir::RegisterDeclaration*, ir::RegisterDeclaration*> declarations_;
  std::unordered_map<SymbolId, SymbolId> symbols_;
};

}  // namespace

std::string cannotBeCopied(const ir::Function& kernel) {
  if (kernel.module().isDebug()) return "it is compiled for a debugger";
  if (kernel.registerCount() > kMostRegisters) return "it has too many registers";
  std::uint32_t depth = 0;
  for (const ir::Statement& statement : kernel.body()) {
    if (statement.kind == StatementKind::ScopeBegin) ++depth;
    if (statement.kind == StatementKind::ScopeEnd) --depth;
    if (statement.kind == StatementKind::Directive) return "it has a directive in its code";
    const auto* const pragma = statement.as<ir::Pragma>();
    if (pragma != nullptr && !isOfNextStatement(*pragma)) return "it has a pragma of its own";
    const auto* const variables = statement.as<ir::VariableDeclaration>();
    if (variables != nullptr && depth > 0 && !isOfCall(*variables)) {
      return "it has a variable in a nested scope";
    }
  }
  return {};
}

SymbolId appendCopyOfBody(ir::Function& kernel) {
  return BodyCopier(kernel).run();
}

}  // namespace ptxopt::passes
