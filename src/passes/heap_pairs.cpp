#include "passes/heap_pairs.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "analysis/callee.h"
#include "ir/module.h"

namespace ptxopt::passes {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using ir::RegisterId;
using isa::Opcode;
using isa::Space;

constexpr std::size_t kMostCalls = 64;

// A call with its parameters, as compilers print it: a block of its own, nothing else inside.
struct CallBlock {
  Instruction* call = nullptr;
  bool allocates = false;           // malloc; else free
  Instruction* argument = nullptr;  // st.param
  Instruction* result = nullptr;    // ld.param, of malloc
  std::vector<ir::Statement*> statements;
};

// "malloc" or "free", where the module does not define it (docs/soundness.md F14).
std::string_view heapFunction(const ir::Function& function, const Instruction& call) {
  const analysis::Callee callee = analysis::calleeOf(function, call);
  if (callee.function == nullptr || callee.isAlias || callee.function->hasBody()) return {};
  const std::string_view name = callee.function->nameText();
  return name == "malloc" || name == "free" ? name : std::string_view();
}

bool isParameterAccess(const Instruction& instruction, Opcode opcode) {
  return instruction.is(opcode) && !instruction.guard && instruction.operandCount == 2 &&
         (instruction.form->space == Space::Param || instruction.form->space == Space::ParamFunc);
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
  for (; at != nullptr; at = at->next) {
    block.statements.push_back(at);
    if (at->kind == ir::StatementKind::ScopeEnd) break;
    auto* instruction = at->as<Instruction>();
    if (instruction == nullptr) {
      const bool isHarmless = at->kind == ir::StatementKind::ScopeBegin ||
                              at->kind == ir::StatementKind::VariableDeclaration ||
                              at->kind == ir::StatementKind::RegisterDeclaration;
      if (!isHarmless || (at->kind == ir::StatementKind::ScopeBegin && block.statements.size() > 1))
        return std::nullopt;
    } else if (isParameterAccess(*instruction, Opcode::St) && block.argument == nullptr) {
      block.argument = instruction;
    } else if (isParameterAccess(*instruction, Opcode::Ld) && block.result == nullptr) {
      block.result = instruction;
    } else if (instruction != &call) {
      return std::nullopt;
    }
  }
  const bool isComplete =
      at != nullptr && block.argument != nullptr && block.allocates == (block.result != nullptr);
  return isComplete ? std::optional(std::move(block)) : std::nullopt;
}

class Finder {
 public:
  explicit Finder(ir::Function& function) : function_(function) {
    for (ir::Statement& statement : function.body()) {
      auto* instruction = statement.as<Instruction>();
      if (instruction == nullptr) continue;
      ir::forEachRegister(*instruction, [&](const Operand& operand) {
        if (operand.writes) ++definitions_[operand.reg()];
      });
      if (instruction->form->control != isa::Control::Call || blocks_.size() == kMostCalls)
        continue;
      if (auto block = blockAround(function, *instruction)) blocks_.push_back(std::move(*block));
    }
    for (const CallBlock& block : blocks_) {
      if (!block.allocates) frees_.emplace(block.argument, &block);
    }
  }

  std::vector<HeapPair> all() {
    std::vector<HeapPair> pairs;
    for (const CallBlock& block : blocks_) {
      if (!block.allocates) continue;
      if (auto pair = pairOf(block)) pairs.push_back(std::move(*pair));
    }
    return pairs;
  }

 private:
  // The register that holds the pointer, or it plus something, by its only definition.
  bool follow(RegisterId reg) {
    return reg != RegisterId::None && definitions_[reg] == 1 && held_.insert(reg).second;
  }
  bool holds(const Operand& operand) const {
    return operand.reg() != RegisterId::None && operand.reads && held_.contains(operand.reg());
  }

  std::optional<HeapPair> pairOf(const CallBlock& block) {
    held_.clear();
    const Operand& result = block.result->operands()[0];
    if (result.kind != OperandKind::Register || !follow(result.reg())) return std::nullopt;
    HeapPair pair;
    pair.allocation = block.call;
    pair.statements = block.statements;
    std::unordered_set<const ir::Statement*> taken(block.statements.begin(),
                                                   block.statements.end());
    // A definition may stand behind its use in the text: until nothing is new.
    for (std::size_t known = 0; known != held_.size();) {
      known = held_.size();
      for (ir::Statement& statement : function_.body()) {
        auto* instruction = statement.as<Instruction>();
        if (instruction == nullptr || taken.contains(instruction)) continue;
        const auto operands = instruction->operands();
        if (std::none_of(operands.begin(), operands.end(),
                         [&](const Operand& o) { return holds(o); })) {
          continue;
        }
        if (!take(*instruction, pair, taken)) return std::nullopt;
      }
    }
    return pair.frees != 0 ? std::optional(std::move(pair)) : std::nullopt;
  }

  bool take(Instruction& instruction, HeapPair& pair,
            std::unordered_set<const ir::Statement*>& taken) {
    const auto add = [&](ir::Statement* statement) {
      if (taken.insert(statement).second) pair.statements.push_back(statement);
    };
    if (const auto found = frees_.find(&instruction); found != frees_.end()) {
      for (ir::Statement* statement : found->second->statements) add(statement);
      ++pair.frees;
      return true;
    }
    const auto operands = instruction.operands();
    const isa::Form& form = *instruction.form;
    if (isStore(instruction)) {
      add(&instruction);
      ++pair.stores;
      return true;
    }
    // The address plus a number.
    const bool isSum = form.known() && isa::bitWidth(form.type) == 64 && !form.writesCarry &&
                       (form.opcode == Opcode::Mov || form.opcode == Opcode::Add ||
                        (form.opcode == Opcode::Cvta && form.space == Space::Global)) &&
                       operands[0].kind == OperandKind::Register && operands[0].component == 0 &&
                       std::none_of(operands.begin(), operands.end(), [](const Operand& o) {
                         return o.isGroup() || o.symbol() != ir::SymbolId::None;
                       });
    const auto count =
        std::count_if(operands.begin(), operands.end(), [&](const Operand& o) { return holds(o); });
    if (!isSum || count != 1 || !follow(operands[0].reg())) return false;
    add(&instruction);
    return true;
  }

  // A weak store to the memory, and of anything but the pointer itself.
  bool isStore(const Instruction& instruction) const {
    const isa::Form& form = *instruction.form;
    const auto operands = instruction.operands();
    const bool isPlain =
        instruction.is(Opcode::St) && form.known() && !form.has(".async") && !form.has(".bulk") &&
        (form.semantics == isa::Semantics::None || form.semantics == isa::Semantics::Weak) &&
        (form.space == Space::None || form.space == Space::Global);
    return isPlain && operands[0].kind == OperandKind::Address &&
           std::count_if(operands.begin(), operands.end(),
                         [&](const Operand& o) { return holds(o); }) == 1 &&
           holds(operands[0]);
  }

  ir::Function& function_;
  std::unordered_map<RegisterId, unsigned> definitions_;
  std::vector<CallBlock> blocks_;
  std::unordered_map<const Instruction*, const CallBlock*> frees_;  // by the argument
  std::unordered_set<RegisterId> held_;
};

}  // namespace

std::vector<HeapPair> findHeapPairs(ir::Function& function) {
  return Finder(function).all();
}

}  // namespace ptxopt::passes
