// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/function_uses.h"

#include "analysis/flow/callee.h"

namespace ptxopt::passes {

namespace {

class Visitor {
 public:
  Visitor(const ir::Module& module, const std::function<void(const FunctionUse&)>& visit)
      : module_(module), visit_(visit) {}

  void run() {
    for (const ir::Statement& item : module_.items()) {
      if (const auto* function = item.as<ir::FunctionItem>()) {
        user_ = function->function;
        for (const ir::Statement& statement : user_->body()) visit(statement);
        user_ = nullptr;
      } else {
        visit(item);
      }
    }
  }

 private:
  void visit(const ir::Statement& statement) {
    if (const auto* instruction = statement.as<ir::Instruction>()) {
      const bool isCall = instruction->desc->control == isa::Control::Call;
      const ir::Operand* const callee = isCall ? analysis::calleeOperand(*instruction) : nullptr;
      for (const ir::Operand& operand : instruction->operands()) {
        use(operand.symbol(), nullptr, &operand == callee);
      }
    } else if (const auto* list = statement.as<ir::TargetList>()) {
      for (const ir::SymbolId target : list->targets) use(target, nullptr, true);
    } else if (const auto* declaration = statement.as<ir::VariableDeclaration>()) {
      for (const ir::Variable* variable : declaration->variables) initializer(*variable);
    }
  }

  void initializer(const ir::Variable& variable) {
    if (variable.initializer == nullptr) return;
    for (const ir::Relocation& relocation : variable.initializer->relocations) {
      use(relocation.symbol, &variable, false);
    }
    for (const ir::SymbolId symbol : variable.initializer->opaqueSymbols) {
      use(symbol, &variable, false);
    }
  }

  void use(ir::SymbolId id, const ir::Variable* variable, bool isCall) {
    if (id == ir::SymbolId::None) return;
    const ir::Symbol& symbol = user_ != nullptr ? user_->symbolAt(id) : module_.symbolAt(id);
    if (symbol.kind != ir::SymbolKind::Function && symbol.kind != ir::SymbolKind::Alias) return;
    visit_({.name = symbol.name, .user = user_, .variable = variable, .isCall = isCall});
  }

  const ir::Module& module_;
  const std::function<void(const FunctionUse&)>& visit_;
  const ir::Function* user_ = nullptr;
};

}  // namespace

void forEachFunctionUse(const ir::Module& module,
                        const std::function<void(const FunctionUse&)>& visit) {
  Visitor(module, visit).run();
}

}  // namespace ptxopt::passes
