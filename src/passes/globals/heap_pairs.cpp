// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/globals/heap_pairs.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/flow/callee.h"
#include "analysis/memory/address_step.h"
#include "ir/module.h"
#include "support/limits.h"

namespace ptxopt::passes {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using ir::RegisterId;
using isa::Space;

// A call with its parameters, as compilers print it: in a scope of its own with nothing else
// inside.
struct CallBlock {
  Instruction* call = nullptr;
  bool allocates = false;           // malloc; else free
  Instruction* argument = nullptr;  // st.param
  Instruction* result = nullptr;    // ld.param, of malloc
  std::vector<ir::Statement*> statements;
};

// "malloc" or "free", if the module does not define it (docs/soundness/ F14).
std::string_view heapFunction(const ir::Function& function, const Instruction& call) {
  const analysis::Callee callee = analysis::calleeOf(function, call);
  if (callee.function == nullptr || callee.isAlias || callee.function->hasBody()) return {};
  const std::string_view name = callee.function->nameText();
  return name == "malloc" || name == "free" ? name : std::string_view();
}

bool isParameterAccess(const Instruction& instruction, isa::Trait kind) {
  return instruction.desc->is(kind) && !instruction.guard && instruction.operandCount == 2 &&
         (instruction.desc->space == Space::Param || instruction.desc->space == Space::ParamFunc);
}

// The parameter if an access of isParameterAccess() covers all of it; else none.
ir::SymbolId parameterOf(const Instruction& access) {
  const Operand* address = access.operand(access.desc->addressOperand());
  const bool isWhole =
      address != nullptr && address->base == ir::AddressBase::Symbol && address->immediate == 0;
  return isWhole ? address->symbol() : ir::SymbolId::None;
}

// The stored value is the argument of this call and the loaded value its result, and both
// parameters are declared in this scope.
bool isOfItsCall(const CallBlock& block) {
  std::vector<ir::SymbolId> results;
  if (block.result != nullptr) results.push_back(parameterOf(*block.result));
  const std::vector<ir::SymbolId> arguments = {parameterOf(*block.argument)};
  const auto parameters = analysis::parametersOf(*block.call);
  if (!parameters || parameters->results != results || parameters->arguments != arguments) {
    return false;
  }
  const auto isDeclared = [&](ir::SymbolId symbol) {
    return std::ranges::any_of(block.statements, [&](const ir::Statement* statement) {
      const auto* list = statement->as<ir::VariableDeclaration>();
      return list != nullptr &&
             std::ranges::count(list->variables, symbol, &ir::Variable::symbol) != 0;
    });
  };
  return std::ranges::all_of(results, isDeclared) && std::ranges::all_of(arguments, isDeclared);
}

bool declaresParameters(const ir::Statement& statement) {
  const auto* list = statement.as<ir::VariableDeclaration>();
  return list != nullptr && std::ranges::all_of(list->variables, [](const ir::Variable* variable) {
           return variable->space == isa::Space::Param;
         });
}

std::optional<CallBlock> blockAround(const ir::Function& function, Instruction& call) {
  CallBlock block;
  block.call = &call;
  const std::string_view name = heapFunction(function, call);
  if (name.empty() || call.guard) return std::nullopt;
  block.allocates = name == "malloc";
  ir::Statement* at = &call;
  while (at != nullptr && at->kind != ir::StatementKind::ScopeBegin) {
    if (at->kind == ir::StatementKind::ScopeEnd) return std::nullopt;
    at = at->previous;
  }
  bool isAfterCall = false;
  for (; at != nullptr; at = at->next) {
    block.statements.push_back(at);
    if (at->kind == ir::StatementKind::ScopeEnd) break;
    auto* instruction = at->as<Instruction>();
    if (instruction == nullptr) {
      const bool isHarmless = at->kind == ir::StatementKind::ScopeBegin ||
                              at->kind == ir::StatementKind::RegisterDeclaration ||
                              declaresParameters(*at);
      if (!isHarmless || (at->kind == ir::StatementKind::ScopeBegin && block.statements.size() > 1))
        return std::nullopt;
    } else if (instruction == &call) {
      isAfterCall = true;
    } else if (!isAfterCall && isParameterAccess(*instruction, isa::kStore) &&
               block.argument == nullptr) {
      block.argument = instruction;
    } else if (isAfterCall && isParameterAccess(*instruction, isa::kLoad) &&
               block.result == nullptr) {
      block.result = instruction;
    } else {
      return std::nullopt;
    }
  }
  const bool isComplete =
      at != nullptr && block.argument != nullptr && block.allocates == (block.result != nullptr);
  // A mask of used bytes would stay, and apply to the next load (A5.5).
  if (!isComplete || (block.result != nullptr && ir::isBelowDirective(*block.result))) {
    return std::nullopt;
  }
  return isOfItsCall(block) ? std::optional(std::move(block)) : std::nullopt;
}

class Finder {
 public:
  explicit Finder(ir::Function& function) : function_(function) {
    for (ir::Statement& statement : function.body()) {
      auto* instruction = statement.as<Instruction>();
      if (instruction == nullptr) continue;
      if (instruction->desc->control != isa::Control::Call) continue;
      if (reaches(blocks_.size(), Limit::HeapCalls)) break;
      if (auto block = blockAround(function, *instruction)) blocks_.push_back(std::move(*block));
    }
    for (const CallBlock& block : blocks_) {
      if (!block.allocates) frees_.emplace(block.argument, &block);
    }
  }

  const std::vector<CallBlock>& blocks() const { return blocks_; }

  // The call if the only definition of the register is the result of malloc; else null.
  const CallBlock* allocationInto(const Operand& value) const {
    if (value.kind != OperandKind::Register) return nullptr;
    const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const CallBlock& block) {
      return block.allocates && block.result->operands()[0].reg() == value.reg();
    });
    return found == blocks_.end() ? nullptr : &*found;
  }

  void takeAllocation(const CallBlock& block, HeapUse& use) {
    if (!taken_.insert(block.call).second) return;
    for (ir::Statement* statement : block.statements) add(statement, use);
    use.allocations.push_back({&function_, block.call});
  }
  // Adds a load or store of a variable that holds such pointers.
  void takePointerAccess(Instruction& instruction, HeapUse& use) { add(&instruction, use); }

  // The register receives the pointer: adds all its uses, or returns false.
  bool takeUsesOf(const Operand& pointer, HeapUse& use) {
    if (definitions_.empty()) listRegisters();
    if (!follow(pointer)) return false;
    while (!work_.empty()) {
      const RegisterId reg = work_.back();
      work_.pop_back();
      for (Instruction* instruction : uses_[reg]) {
        if (!taken_.contains(instruction) && !take(*instruction, use)) return false;
      }
    }
    return true;
  }

  void reset() {
    held_.clear();
    taken_.clear();
    work_.clear();
  }

 private:
  void listRegisters() {
    for (ir::Statement& statement : function_.body()) {
      auto* instruction = statement.as<Instruction>();
      if (instruction == nullptr) continue;
      ir::forEachRegister(*instruction, [&](const Operand& operand) {
        if (operand.writes) ++definitions_[operand.reg()];
        if (operand.reads) uses_[operand.reg()].push_back(instruction);
      });
    }
  }

  void add(ir::Statement* statement, HeapUse& use) {
    taken_.insert(statement);
    use.statements.emplace_back(&function_, statement);
  }

  // The only definition of the register is the pointer, perhaps plus an offset.
  bool follow(const Operand& result) {
    if (result.kind != OperandKind::Register || result.component != 0) return false;
    if (definitions_[result.reg()] != 1) return false;
    // The caller defines or reads it, too.
    if (function_.rangeOf(result.reg()).isParameter) return false;
    if (held_.insert(result.reg()).second) work_.push_back(result.reg());
    return true;
  }
  bool holds(const Operand& operand) const {
    return operand.reg() != RegisterId::None && operand.reads && held_.contains(operand.reg());
  }

  bool take(Instruction& instruction, HeapUse& use) {
    if (const auto found = frees_.find(&instruction); found != frees_.end()) {
      for (ir::Statement* statement : found->second->statements) add(statement, use);
      ++use.frees;
      return true;
    }
    const auto operands = instruction.operands();
    if (isStore(instruction)) {
      add(&instruction, use);
      ++use.stores;
      return true;
    }
    // The address plus a number.
    using Kind = analysis::AddressStep::Kind;
    const analysis::AddressStep step = analysis::addressStep(instruction);
    const bool isConversion = step.kind == Kind::ToGeneric || step.kind == Kind::FromGeneric;
    const bool isSum = (step.kind == Kind::Copy || step.kind == Kind::Sum ||
                        (isConversion && step.space == Space::Global)) &&
                       step.bits == 64 && std::ranges::none_of(operands, [](const Operand& o) {
                         return o.symbol() != ir::SymbolId::None;
                       });
    const auto count =
        std::count_if(operands.begin(), operands.end(), [&](const Operand& o) { return holds(o); });
    if (!isSum || count != 1 || !follow(operands[0])) return false;
    add(&instruction, use);
    return true;
  }

  // A weak store to the memory whose data is not the pointer itself.
  bool isStore(const Instruction& instruction) const {
    const isa::InstructionDesc& desc = *instruction.desc;
    const auto operands = instruction.operands();
    const bool isPlain =
        desc.isStore() && !desc.has(".async") && !desc.has(".bulk") &&
        (desc.semantics == isa::Semantics::None || desc.semantics == isa::Semantics::Weak) &&
        (desc.space == Space::None || desc.space == Space::Global);
    return isPlain && operands[0].kind == OperandKind::Address &&
           std::count_if(operands.begin(), operands.end(),
                         [&](const Operand& o) { return holds(o); }) == 1 &&
           holds(operands[0]);
  }

  ir::Function& function_;
  std::unordered_map<RegisterId, unsigned> definitions_;
  std::unordered_map<RegisterId, std::vector<Instruction*>> uses_;
  std::vector<CallBlock> blocks_;
  std::unordered_map<const Instruction*, const CallBlock*> frees_;  // by the argument
  std::unordered_set<RegisterId> held_;
  std::unordered_set<const ir::Statement*> taken_;
  std::vector<RegisterId> work_;  // registers that hold the pointer, with uses still to be visited
};

// The variable is a 64-bit pointer whose initial value is null or undefined.
bool isPointer(const ModuleObject& object) {
  const ir::Variable& variable = *object.variable;
  const bool isNull =
      variable.initializer == nullptr ||
      (variable.initializer->relocations.empty() && variable.initializer->opaque.empty() &&
       std::ranges::all_of(variable.initializer->bytes,
                           [](std::uint8_t byte) { return byte == 0; }));
  return variable.size == 8 && isNull &&
         object.allAccesses([](const analysis::VariableAccess& access) {
           return access.isWeak && !ir::isBelowDirective(*access.instruction) &&
                  access.offset == 0 && access.bytes == 8 &&
                  access.instruction->desc->vectorWidth == 1 &&
                  access.instruction->operandCount == 2;
         });
}

}  // namespace

std::vector<HeapUse> findHeapPairs(ir::Function& function) {
  Finder finder(function);
  std::vector<HeapUse> found;
  std::unordered_set<const ir::Statement*> gone;
  for (const CallBlock& block : finder.blocks()) {
    if (!block.allocates) continue;
    finder.reset();
    HeapUse use;
    finder.takeAllocation(block, use);
    if (!finder.takeUsesOf(block.result->operands()[0], use) || use.frees == 0) continue;
    // The sum of two pointers would belong to both.
    if (std::ranges::any_of(use.statements,
                            [&](const auto& s) { return gone.contains(s.second); })) {
      continue;
    }
    for (const auto& [in, statement] : use.statements) gone.insert(statement);
    found.push_back(std::move(use));
  }
  return found;
}

std::optional<HeapUse> findHeapUseOf(const ModuleObject& pointer) {
  if (pointer.uses.empty() || !isPointer(pointer)) return std::nullopt;
  HeapUse use;
  for (const ModuleObject::Use& part : pointer.uses) {
    Finder finder(*part.function);
    // First the accesses to the variable, so that they do not count as other uses of the pointer.
    for (const analysis::VariableAccess& access : part.uses->accesses) {
      finder.takePointerAccess(*access.instruction, use);
    }
    for (const analysis::VariableAccess& access : part.uses->accesses) {
      const Operand& value = access.instruction->operands()[access.isLoad ? 0 : 1];
      if (access.isStore) {
        const CallBlock* allocation = finder.allocationInto(value);
        if (allocation == nullptr) return std::nullopt;
        finder.takeAllocation(*allocation, use);
        ++use.stores;
      }
      if (!finder.takeUsesOf(value, use)) return std::nullopt;
    }
    for (Instruction* computation : part.uses->computations) {
      use.statements.emplace_back(part.function, computation);
    }
  }
  return use.frees != 0 ? std::optional(std::move(use)) : std::nullopt;
}

}  // namespace ptxopt::passes
