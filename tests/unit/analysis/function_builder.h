// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds function bodies for tests out of forms with just the facts that a CFG and liveness ask
// for.
#pragma once

#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/module.h"

namespace ptxopt::test {

class FunctionBuilder {
 public:
  explicit FunctionBuilder(bool isEntry = true)
      : module_(std::make_shared<SourceText>("test.ptx", "")) {
    function_ = &module_.functions().emplace_back(module_, module_.name("f"), isEntry);
    function_->setHasBody();
  }

  ir::Module& module() { return module_; }
  ir::Function& function() { return *function_; }

  ir::RegisterId registers(std::uint32_t count) {
    ir::RegisterRange range;
    range.name = module_.name("%r");
    range.count = count;
    range.parametrised = true;
    return function_->addRegisters(range);
  }

  // The symbol of a label, which may be placed later or never.
  ir::SymbolId labelNamed(const std::string& name) {
    const auto [at, isNew] = labels_.try_emplace(name, ir::SymbolId::None);
    if (isNew) {
      auto* label = function_->arena().create<ir::Label>(0);
      label->kind = ir::StatementKind::Label;
      ir::Symbol symbol;
      symbol.name = module_.name(name);
      symbol.kind = ir::SymbolKind::Label;
      symbol.label = label;
      at->second = label->symbol = function_->addSymbol(symbol);
    }
    return at->second;
  }
  void label(const std::string& name) {
    function_->body().append(function_->symbolAt(labelNamed(name)).label);
  }

  ir::SymbolId targetList(std::initializer_list<const char*> labels) {
    std::vector<ir::SymbolId> targets;
    for (const char* name : labels) targets.push_back(labelNamed(name));
    auto* list = function_->arena().create<ir::TargetList>(0);
    list->kind = ir::StatementKind::TargetList;
    list->targets = function_->arena().copy(std::span<const ir::SymbolId>(targets));
    ir::Symbol symbol;
    symbol.kind = ir::SymbolKind::TargetList;
    symbol.targets = list;
    list->symbol = function_->addSymbol(symbol);
    function_->body().append(list);
    return list->symbol;
  }

  ir::SymbolId functionNamed(const std::string& name, bool isEntry = false) {
    ir::Symbol symbol;
    symbol.name = module_.name(name);
    symbol.kind = ir::SymbolKind::Function;
    symbol.function = &module_.functions().emplace_back(module_, symbol.name, isEntry);
    return symbol.function->symbol = module_.addSymbol(symbol);
  }

  // What follows goes into the body of that function.
  void continueIn(ir::SymbolId function) {
    function_ = module_.symbolAt(function).function;
    function_->setHasBody();
    labels_.clear();
  }

  template <class S>
  S& statement(ir::StatementKind kind) {
    S* added = function_->arena().create<S>(0);
    added->kind = kind;
    function_->body().append(added);
    return *added;
  }
  void scopeBegin() { statement<ir::ScopeBegin>(ir::StatementKind::ScopeBegin); }
  void scopeEnd() { statement<ir::ScopeEnd>(ir::StatementKind::ScopeEnd); }

  ir::Instruction& instruction(const isa::InstructionDesc& desc,
                               std::initializer_list<ir::Operand> operands, ir::Guard guard = {}) {
    auto* added = function_->arena().create<ir::Instruction>(operands.size() * sizeof(ir::Operand));
    added->kind = ir::StatementKind::Instruction;
    added->desc = &desc;
    added->guard = guard;
    added->operandCount = static_cast<std::uint16_t>(operands.size());
    std::uninitialized_copy(operands.begin(), operands.end(), added->operands().begin());
    function_->body().append(added);
    return *added;
  }

  ir::Instruction& bra(const std::string& target, ir::Guard guard = {}) {
    return instruction(desc("bra", isa::Control::Branch),
                       {ir::Operand::ofSymbol(labelNamed(target))}, guard);
  }
  ir::Instruction& brx(ir::SymbolId list, ir::Guard guard = {}) {
    return instruction(desc("brx.idx", isa::Control::IndirectBranch),
                       {use(ir::RegisterId{0}), ir::Operand::ofSymbol(list)}, guard);
  }
  ir::Instruction& call(ir::SymbolId callee, ir::Guard guard = {}) {
    return instruction(desc("call", isa::Control::Call), {ir::Operand::ofSymbol(callee)}, guard);
  }
  ir::Instruction& callIndirect(ir::SymbolId listOrPrototype) {
    return instruction(desc("call", isa::Control::Call),
                       {use(ir::RegisterId{0}), ir::Operand::ofSymbol(listOrPrototype)});
  }
  ir::Instruction& ret(ir::Guard guard = {}) {
    return instruction(desc("ret", isa::Control::Return), {}, guard);
  }
  ir::Instruction& exit(ir::Guard guard = {}) {
    return instruction(desc("exit", isa::Control::Exit), {}, guard);
  }
  ir::Instruction& trap(ir::Guard guard = {}) {
    return instruction(desc("trap", isa::Control::Trap), {}, guard);
  }
  // An instruction without control.
  ir::Instruction& plain(std::initializer_list<ir::Operand> operands = {}, ir::Guard guard = {}) {
    return instruction(desc("add.u32", isa::Control::None), operands, guard);
  }
  ir::Instruction& unknown(std::initializer_list<ir::Operand> operands = {}) {
    return instruction(desc("frobnicate", isa::Control::None, false), operands);
  }

  static ir::Operand use(ir::RegisterId id) {
    ir::Operand operand = ir::Operand::ofRegister(id);
    operand.reads = true;
    return operand;
  }
  static ir::Operand definition(ir::RegisterId id) {
    ir::Operand operand = ir::Operand::ofRegister(id);
    operand.writes = true;
    return operand;
  }

 private:
  const isa::InstructionDesc& desc(std::string_view mnemonic, isa::Control control,
                                   bool known = true) {
    static constexpr isa::Row kRow = {};
    const auto [at, isNew] = forms_.try_emplace(mnemonic);
    if (isNew) {
      at->second.mnemonic = mnemonic;
      at->second.row = known ? &kRow : nullptr;
      at->second.control = control;
    }
    return at->second;
  }

  ir::Module module_;
  ir::Function* function_;
  std::map<std::string, ir::SymbolId> labels_;
  std::map<std::string_view, isa::InstructionDesc> forms_;
};

}  // namespace ptxopt::test
