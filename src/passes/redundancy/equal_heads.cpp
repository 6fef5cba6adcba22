// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/equal_heads.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "analysis/flow/liveness.h"
#include "ir/declared_names.h"
#include "ir/effect.h"
#include "ir/make.h"
#include "ir/module.h"
#include "passes/redundancy/early_cse.h"
#include "passes/redundancy/expression_key.h"
#include "passes/redundancy/plain_access.h"

namespace ptxopt::passes {

namespace {

using analysis::BlockId;
using analysis::Cfg;
using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using ir::RegisterId;

struct Fork {
  Instruction* branch = nullptr;
  BlockId arms[2] = {};
};

// A conditional branch to two blocks that nothing else leads to.
std::optional<Fork> forkAt(const Cfg& cfg, BlockId b) {
  Instruction* branch = cfg.block(b).terminator;
  if (branch == nullptr || !branch->guard || !branch->desc->known()) return std::nullopt;
  const auto arms = cfg.successors(b);
  if (branch->desc->control != isa::Control::Branch || arms.size() != 2 || arms[0] == arms[1]) {
    return std::nullopt;
  }
  for (const BlockId arm : arms) {
    if (arm == cfg.exit() || arm == cfg.entry() || arm == b || cfg.predecessors(arm).size() != 1) {
      return std::nullopt;
    }
  }
  return Fork{branch, {arms[0], arms[1]}};
}

Instruction* headOf(const Cfg& cfg, BlockId b) {
  const auto instructions = cfg.instructions(b);
  const auto first = instructions.begin();
  return first == instructions.end() ? nullptr : &*first;
}

bool mayBeEqual(const Instruction* a, const Instruction* b) {
  return a != nullptr && b != nullptr && a->desc == b->desc && a->operandCount == b->operandCount &&
         a->desc->control == isa::Control::None;
}

bool isSame(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.base == b.base && a.component == b.component &&
         a.negated == b.negated && a.isUnsigned == b.isUnsigned && a.id == b.id &&
         a.immediate == b.immediate;
}

// A declaration outside of nested scopes that comes after a branch: what it declares cannot be
// named in front of that branch.
bool declaresLate(const ir::Function& function) {
  std::size_t depth = 0;
  bool isLate = false;
  for (const ir::Statement& statement : function.body()) {
    switch (statement.kind) {
      case ir::StatementKind::ScopeBegin:
        ++depth;
        break;
      case ir::StatementKind::ScopeEnd:
        --depth;
        break;
      case ir::StatementKind::Instruction:
        isLate |= statement.as<Instruction>()->desc->control != isa::Control::None;
        break;
      case ir::StatementKind::RegisterDeclaration:
      case ir::StatementKind::VariableDeclaration:
        if (isLate && depth == 0) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

class Hoist {
 public:
  Hoist(ir::Function& function, PassContext& context)
      : function_(function),
        context_(context),
        cfg_(function),
        liveness_(cfg_),
        nested_(function, ir::DeclaredNames::Where::NestedScopes),
        mentions_(function.registerCount()) {
    for (const BlockId b : cfg_.blocks()) {
      for (Instruction& instruction : cfg_.instructions(b)) note(instruction);
    }
  }

  bool run() {
    bool isChanged = false;
    for (const BlockId b : cfg_.blocks()) {
      const auto fork = forkAt(cfg_, b);
      if (!fork || ir::isBelowDirective(*fork->branch)) continue;
      while (hoistOne(*fork)) isChanged = true;
    }
    return isChanged;
  }

 private:
  // The instructions that name a register.
  struct Mentions {
    std::vector<Instruction*> instructions;
    std::size_t definitions = 0;
    bool isFrozen = false;
  };
  struct Renaming {
    RegisterId from, to;
  };

  Mentions& mentions(RegisterId id) { return mentions_[static_cast<std::uint32_t>(id)]; }

  void note(Instruction& instruction) {
    const bool isFrozen = !instruction.desc->known() ||
                          instruction.desc->effect == isa::Effect::NeutralFrozen ||
                          instruction.desc->is(isa::kRegistersInFlight);
    const auto noteRegister = [&](RegisterId id, bool isWritten) {
      Mentions& found = mentions(id);
      if (found.instructions.empty() || found.instructions.back() != &instruction) {
        found.instructions.push_back(&instruction);
      }
      found.definitions += std::size_t{isWritten};
      found.isFrozen |= isFrozen;
    };
    if (instruction.guard) noteRegister(instruction.guard.predicate(), false);
    ir::forEachRegister(
        instruction, [&](const Operand& operand) { noteRegister(operand.reg(), operand.writes); });
  }

  bool hoistOne(const Fork& fork) {
    Instruction* first = headOf(cfg_, fork.arms[0]);
    Instruction* second = headOf(cfg_, fork.arms[1]);
    if (!mayBeEqual(first, second) || !isMovable(*first) || !isMovable(*second)) return false;
    std::vector<Renaming> renamings;
    if (!areEqual(fork, *first, *second, renamings) || !context_.budget.spend()) return false;

    remark(*second);
    erased_.insert({first, second});
    cfg_.willErase(*first);
    cfg_.willErase(*second);
    function_.erase(first);
    function_.erase(second);
    Instruction* made = ir::copyInstruction(function_, *first);
    made->block = fork.branch->block;  // it may be the head of an arm of another branch
    function_.insertBefore(fork.branch, made);
    for (const Renaming& renaming : renamings) rename(renaming);
    ir::forEachRegister(*made, [&](const Operand& operand) {
      mentions(operand.reg()).instructions.push_back(made);
    });
    return true;
  }

  // Its result does not depend on where, when or by which threads it is executed.
  bool isMovable(const Instruction& instruction) const {
    if (instruction.guard || ir::isBelowDirective(instruction)) return false;
    const bool isLoad = plainAccess(function_, instruction).kind == PlainAccess::Kind::Load;
    if (!isLoad && !ExpressionKeys::isExpression(instruction)) return false;
    return std::ranges::all_of(instruction.operands(),
                               [&](const Operand& operand) { return isNameableAtBranch(operand); });
  }

  // No nested scope declares the name.
  bool isNameableAtBranch(const Operand& operand) const {
    if (nested_.isEmpty()) return true;
    const ir::Module& module = function_.module();
    if (operand.reg() != RegisterId::None) {
      return !nested_.mayHave(module.text(function_.rangeOf(operand.reg()).name));
    }
    if (operand.symbol() == ir::SymbolId::None) return true;
    return !nested_.mayHave(module.text(function_.symbolAt(operand.symbol()).name));
  }

  // Equal except for the names of results.  `renamings` then makes these equal.
  bool areEqual(const Fork& fork, const Instruction& first, const Instruction& second,
                std::vector<Renaming>& renamings) {
    for (std::size_t k = 0; k < first.operands().size(); ++k) {
      const Operand& a = first.operands()[k];
      const Operand& b = second.operands()[k];
      if (a.writes != b.writes || a.reads != b.reads) return false;
      const bool isResult = a.writes && a.kind == OperandKind::Register;
      if (isResult && (a.reads || a.component != 0 || b.component != 0)) return false;
      if (isResult && a.reg() == fork.branch->guard.predicate()) return false;
      if (isSame(a, b)) continue;
      if (!isResult || b.kind != OperandKind::Register || !canRename(b.reg(), a.reg())) {
        return false;
      }
      renamings.push_back({b.reg(), a.reg()});
    }
    return true;
  }

  // Each has one definition, at the head of an arm, which dominates all its uses.
  bool canRename(RegisterId from, RegisterId to) {
    const ir::RegisterRange& a = function_.rangeOf(from);
    const ir::RegisterRange& b = function_.rangeOf(to);
    if (a.type != b.type || a.vectorWidth != b.vectorWidth) return false;
    const auto isSimple = [&](RegisterId id, const ir::RegisterRange& range) {
      const Mentions& found = mentions(id);
      return found.definitions == 1 && !found.isFrozen && !range.isParameter &&
             !liveness_.isLiveIn(cfg_.entry(), id);
    };
    return isSimple(from, a) && isSimple(to, b);
  }

  void rename(const Renaming& renaming) {
    Mentions& from = mentions(renaming.from);
    Mentions& to = mentions(renaming.to);
    for (Instruction* instruction : from.instructions) {
      if (erased_.contains(instruction)) continue;
      if (instruction->guard && instruction->guard.predicate() == renaming.from) {
        instruction->guard = ir::Guard(renaming.to, instruction->guard.negated());
      }
      for (Operand& operand : instruction->operands()) {
        if (operand.reg() == renaming.from) operand.id = static_cast<std::uint32_t>(renaming.to);
      }
      function_.markChanged(instruction);
      to.instructions.push_back(instruction);
    }
    from = {};
  }

  void remark(const Instruction& instruction) {
    ++context_.statistics["equal-heads"];
    if (!context_.wantRemarks) return;
    Remark remark;
    remark.pass = kEarlyCse.name;
    remark.kind = RemarkKind::Passed;
    remark.function = &function_;
    remark.place = instruction.source;
    remark.content =
        MergedInstruction{instruction.desc->mnemonic, MergedInstruction::Why::EqualHeads};
    context_.remark(std::move(remark));
  }

  ir::Function& function_;
  PassContext& context_;
  Cfg cfg_;
  analysis::Liveness liveness_;
  ir::DeclaredNames nested_;
  std::vector<Mentions> mentions_;  // by register
  std::unordered_set<const Instruction*> erased_;
};

}  // namespace

bool mayHaveEqualHeads(const Cfg& cfg) {
  if (cfg.function().module().isDebug()) return false;
  for (const BlockId b : cfg.blocks()) {
    const auto fork = forkAt(cfg, b);
    if (fork && mayBeEqual(headOf(cfg, fork->arms[0]), headOf(cfg, fork->arms[1]))) return true;
  }
  return false;
}

bool hoistEqualHeads(ir::Function& function, PassContext& context) {
  return !declaresLate(function) && Hoist(function, context).run();
}

}  // namespace ptxopt::passes
