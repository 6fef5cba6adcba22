// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ssa/out_of_ssa.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/directives.h"
#include "ir/make.h"
#include "passes/ssa/parallel_copy.h"
#include "passes/ssa/register_copy.h"

namespace ptxopt::passes {

using analysis::BlockId;
using analysis::EdgeKind;
using analysis::Ssa;
using analysis::ValueId;
using ir::RegisterId;

namespace {

constexpr std::string_view kRegisterPrefix = "%pcp";
constexpr std::string_view kLabelPrefix = "$L__pcp";

std::string numbered(std::string_view prefix, std::uint32_t number) {
  return number == 0 ? std::string(prefix) : std::string(prefix) + std::to_string(number);
}

// Parallel copies at one point.
using Copies = std::vector<RegisterCopy>;

class OutOfSsa {
 public:
  OutOfSsa(const SsaRewrite& rewrite, const OutOfSsaOptions& options, const FreshNames& names,
           OutOfSsaCounts& counts)
      : rewrite_(rewrite),
        function_(rewrite.function()),
        ssa_(rewrite.ssa()),
        cfg_(ssa_.cfg()),
        options_(options),
        names_(names),
        counts_(counts),
        registers_(rewrite, options.coalescing, options.acrossBlocks) {}

  bool run() {
    collectEdgeCopies();
    declareRegisters();
    for (const BlockId b : ssa_.dominators().preorder()) editInstructions(b);
    // Before others come between the scopes that end above a label and the label.
    for (const auto& [b, copies] : atStart_) placeAtStart(b, copies);
    for (const BlockId b : ssa_.dominators().preorder()) placeCopies(b);
    // Comes last, so that the Cfg remains valid until here.
    for (const auto& [old, made] : replaced_) ir::replaceStatement(function_, old, made);
    for (ir::Statement* statement : erased_) function_.erase(statement);
    return isChanged_;
  }

 private:
  // ---- what is to be copied where ---------------------------------------------------------------

  bool isReached(BlockId b) const { return ssa_.dominators().contains(b); }

  // Its value is undefined.
  bool isUndefined(ValueId value) const { return ssa_.kind(value) == Ssa::Kind::Entry; }

  // A copy on the edge needs a new block, and a branch to it.
  bool needsBlock(EdgeId edge) const {
    switch (cfg_.kind(edge)) {
      case EdgeKind::Fallthrough:
        return false;
      case EdgeKind::Taken:
        return static_cast<bool>(cfg_.block(cfg_.source(edge)).terminator->guard);
      default:
        return true;
    }
  }

  void collectEdgeCopies() {
    for (const BlockId b : ssa_.dominators().preorder()) {
      for (const ValueId phi : ssa_.phis(b)) {
        if (registers_.isNeeded(phi) && !ssa_.isCarry(phi)) collectCopies(b, phi);
      }
    }
  }

  void collectCopies(BlockId b, ValueId phi) {
    const RegisterId home = registers_.of(phi);
    const std::span<const ValueId> operands = ssa_.phiOperands(phi);
    bool isCopied = false;
    bool takesBlock = false;
    forEachOperand(b, operands, [&](EdgeId edge, ValueId operand) {
      if (registers_.of(operand) == home) return;
      isCopied = true;
      takesBlock |= needsBlock(edge);
    });
    if (!isCopied) return;
    const bool isIsolated = takesBlock && !options_.splitEdges;
    const RegisterId target = isIsolated ? registers_.add(ssa_.reg(phi)) : home;
    forEachOperand(b, operands, [&](EdgeId edge, ValueId operand) {
      if (registers_.of(operand) != target) {
        onEdge_[edge].push_back({target, registers_.of(operand)});
      }
    });
    if (isIsolated) atStart_[b].push_back({home, target});
  }

  template <class Visitor>
  void forEachOperand(BlockId b, std::span<const ValueId> operands, Visitor&& visit) const {
    std::size_t k = 0;
    for (const EdgeId edge : cfg_.inEdges(b)) {
      const ValueId operand = operands[k++];
      if (operand == ValueId::None) continue;
      const ValueId value = rewrite_.resolve(operand);
      if (!isUndefined(value)) visit(edge, value);
    }
  }

  // ---- names ------------------------------------------------------------------------------------

  void declareRegisters() {
    for (auto& [edge, copies] : onEdge_) copies = inSequence(copies);
    const std::span<const RegisterId> models = registers_.models();
    using Class = std::pair<isa::Type, std::uint8_t>;
    std::map<Class, std::uint32_t> sizes;
    const auto classOf = [&](RegisterId id) {
      const ir::RegisterRange& range = function_.rangeOf(id);
      return Class(range.type, range.vectorWidth);
    };
    for (const RegisterId model : models) ++sizes[classOf(model)];
    std::map<Class, std::uint32_t> next;
    for (const auto& [key, size] : sizes) {
      ir::RegisterRange range;
      std::string name = names_.registers + '_';
      if (key.second > 1) name += 'v' + std::to_string(key.second);
      name += isa::spelling(key.first).substr(1);
      range.name = function_.module().name(name + '_');
      range.count = size;
      range.type = key.first;
      range.vectorWidth = key.second;
      range.parametrised = true;
      auto* declaration = function_.arena().create<ir::RegisterDeclaration>(0);
      declaration->kind = ir::StatementKind::RegisterDeclaration;
      declaration->firstRange = static_cast<std::uint32_t>(function_.registers().size());
      declaration->rangeCount = 1;
      next[key] = static_cast<std::uint32_t>(function_.addRegisters(range));
      function_.insertAfter(nullptr, declaration);
    }
    for (const RegisterId model : models) declared_.push_back(RegisterId{next[classOf(model)]++});
    counts_.newRegisters += models.size();
  }
  RegisterId actual(RegisterId id) const {
    if (!registers_.isNew(id)) return id;
    return declared_[static_cast<std::uint32_t>(id) - firstNew_];
  }

  Copies inSequence(const Copies& parallel) {
    return sequentialize(parallel, [&](RegisterId like) {
      ++counts_.temporaries;
      return registers_.add(modelOf(like));
    });
  }
  RegisterId modelOf(RegisterId id) const {
    if (!registers_.isNew(id)) return id;
    return registers_.models()[static_cast<std::uint32_t>(id) - firstNew_];
  }

  NameId labelName() {
    return function_.module().name(names_.labels + '_' + std::to_string(labelCount_++));
  }
  ir::Label* makeLabel() {
    auto* label = function_.arena().create<ir::Label>(0);
    label->kind = ir::StatementKind::Label;
    ir::Symbol symbol;
    symbol.name = labelName();
    symbol.kind = ir::SymbolKind::Label;
    symbol.label = label;
    label->symbol = function_.addSymbol(symbol);
    return label;
  }

  // ---- instructions -----------------------------------------------------------------------------

  void editInstructions(BlockId b) {
    for (ir::Instruction& instruction : cfg_.instructions(b)) {
      const SsaRewrite::Edit edit = rewrite_.editOf(instruction);
      if (edit.kind == SsaRewrite::Edit::Kind::Erase) {
        erase(&instruction);
        continue;
      }
      showOldThrough(instruction);
      if (edit.kind == SsaRewrite::Edit::Kind::None) {
        rename(instruction);
      } else {
        replace(instruction, edit);
      }
    }
  }

  void erase(ir::Statement* statement) {
    erased_.push_back(statement);
    isChanged_ = true;
  }

  void showOldThrough(ir::Instruction& instruction) {
    ssa_.forEachDefinition(instruction, [&](ValueId value) {
      if (ssa_.isCarry(value) || ssa_.old(value) == ValueId::None || !registers_.isNeeded(value))
        return;
      const ValueId old = rewrite_.resolve(ssa_.old(value));
      if (isUndefined(old) || registers_.of(old) == registers_.of(value)) return;
      copyBefore(&instruction, {registers_.of(value), registers_.of(old)});
    });
  }

  void rename(ir::Instruction& instruction) {
    bool isRenamed = false;
    if (instruction.guard) {
      const RegisterId now = registerOf(ssa_.guard(instruction));
      if (now != instruction.guard.predicate()) {
        instruction.guard = ir::Guard(now, instruction.guard.negated());
        isRenamed = true;
      }
    }
    // Values are looked up by the registers in the operands, so all look-ups must precede all
    // changes.
    renamed_.clear();
    std::uint32_t index = 0;
    for (const ir::Operand& operand : instruction.operands()) {
      if (operand.reg() != RegisterId::None && (operand.reads || operand.writes)) {
        const RegisterId now = registerOf(operand.writes ? ssa_.definition(instruction, operand)
                                                         : ssa_.use(instruction, operand));
        if (now != operand.reg()) renamed_.emplace_back(index, now);
      }
      ++index;
    }
    for (const auto& [at, now] : renamed_) {
      instruction.operands()[at].id = static_cast<std::uint32_t>(now);
    }
    if (!isRenamed && renamed_.empty()) return;
    isChanged_ = true;
    function_.markChanged(&instruction);
    const auto operands = instruction.operands();
    if (isWholeCopy(function_, instruction) && operands[0].reg() == operands[1].reg()) {
      erase(&instruction);
    }
  }
  RegisterId registerOf(ValueId value) const {
    return actual(registers_.of(rewrite_.resolve(value)));
  }

  // Replaces an instruction that defines one register.
  void replace(ir::Instruction& instruction, const SsaRewrite::Edit& edit) {
    ValueId defined = ValueId::None;
    ssa_.forEachDefinition(instruction, [&](ValueId value) {
      if (!ssa_.isCarry(value)) defined = value;
    });
    const RegisterId destination = actual(registers_.of(defined));
    ir::Guard guard = instruction.guard;
    if (guard) guard = ir::Guard(registerOf(ssa_.guard(instruction)), guard.negated());
    ir::Operand source = edit.number;
    if (edit.kind == SsaRewrite::Edit::Kind::Copy) {
      const RegisterId from = actual(registers_.of(edit.source));
      if (from == destination) {
        erase(&instruction);
        return;
      }
      source = ir::Operand::ofRegister(from);
    }
    ir::Instruction* made = makeCopy(function_, destination, source);
    made->guard = guard;
    replaced_.emplace_back(&instruction, made);
    isChanged_ = true;
  }

  // ---- placing copies ---------------------------------------------------------------------------

  // Calls insert(instruction) for each instruction of a copy.
  template <class Insert>
  void makeAll(const Copies& copies, Insert&& insert) {
    for (const RegisterCopy& copy : copies) {
      for (ir::Instruction* made :
           makeCopies(function_, actual(copy.destination), actual(copy.source))) {
        insert(made);
      }
      ++counts_.copies;
      isChanged_ = true;
    }
  }
  void copyBefore(ir::Statement* statement, const RegisterCopy& copy) {
    ir::Statement* place = ir::aboveDirectives(*statement);
    makeAll({copy}, [&](ir::Instruction* made) { function_.insertBefore(place, made); });
  }

  void placeCopies(BlockId b) {
    if (onEdge_.empty()) return;
    const ir::Instruction* terminator = cfg_.block(b).terminator;
    std::vector<EdgeId> indirect;
    for (EdgeId e = cfg_.firstOutEdge(b); e != cfg_.endOutEdge(b); ++e) {
      const auto found = onEdge_.find(e);
      if (found == onEdge_.end() || found->second.empty()) continue;
      if (cfg_.kind(e) == EdgeKind::Fallthrough) {
        placeBetween(cfg_.target(e), found->second);
      } else if (!needsBlock(e) || !options_.splitEdges) {
        ir::Statement* end = ir::aboveDirectives(*cfg_.block(b).terminator);
        makeAll(found->second, [&](ir::Instruction* made) { function_.insertBefore(end, made); });
      } else if (terminator->desc->control == isa::Control::Branch) {
        placeAfterBranch(*cfg_.block(b).terminator, found->second);
      } else {
        indirect.push_back(e);
      }
    }
    if (!indirect.empty()) placeAtTargets(*cfg_.block(b).terminator, indirect);
  }

  // Between the end of a block and the next block of the text: after the scopes that end there,
  // before the label (docs/soundness/ D6.3, D6.6).
  void placeBetween(BlockId next, const Copies& copies) {
    ir::Statement* place = cfg_.block(next).first;
    while (place != cfg_.block(next).last && place->kind == ir::StatementKind::ScopeEnd) {
      place = place->next;
    }
    makeAll(copies, [&](ir::Instruction* made) { function_.insertBefore(place, made); });
  }

  void placeAtStart(BlockId b, const Copies& copies) {
    const auto isAhead = [](const ir::Statement& statement) {
      const auto* pragma = statement.as<ir::Pragma>();
      return statement.kind == ir::StatementKind::Label ||
             (pragma != nullptr && ir::isAboutOthers(*pragma)) ||
             statement.kind == ir::StatementKind::Location ||
             statement.kind == ir::StatementKind::ScopeEnd;
    };
    ir::Statement* place = cfg_.block(b).first->previous;
    for (ir::Statement& statement : cfg_.statements(b)) {
      if (!isAhead(statement)) break;
      place = &statement;
    }
    makeAll(copies, [&](ir::Instruction* made) {
      function_.insertAfter(place, made);
      place = made;
    });
  }

  // @p bra L becomes  @!p bra NEXT; copies; bra.uni L; NEXT:
  void placeAfterBranch(ir::Instruction& branch, const Copies& copies) {
    ir::Operand& target = branch.operands()[0];
    const ir::Operand label = target;
    ir::Label* after = makeLabel();
    branch.guard = ir::Guard(branch.guard.predicate(), !branch.guard.negated());
    target.id = static_cast<std::uint32_t>(after->symbol);
    function_.markChanged(&branch);
    ir::Statement* place = &branch;
    insertBlock(place, copies, label);
    function_.insertAfter(place, after);
  }

  // Inserts after `place`, and advances it.
  void insertBlock(ir::Statement*& place, const Copies& copies, const ir::Operand& target) {
    const auto insert = [&](ir::Statement* made) {
      function_.insertAfter(place, made);
      place = made;
    };
    makeAll(copies, insert);
    insert(ir::makeInstruction(function_, "bra.uni", {target}));
    ++counts_.blocks;
  }

  // Uses a copy of the list of targets, with the labels of new blocks after the branch.
  void placeAtTargets(ir::Instruction& branch, std::span<const EdgeId> edges) {
    ir::Operand* name = nullptr;
    for (ir::Operand& operand : branch.operands()) {
      if (operand.kind == ir::OperandKind::Symbol &&
          function_.symbolAt(operand.symbol()).kind == ir::SymbolKind::TargetList) {
        name = &operand;
      }
    }
    const ir::TargetList& old = *function_.symbolAt(name->symbol()).targets;
    auto* list = function_.arena().create<ir::TargetList>(0);
    list->kind = ir::StatementKind::TargetList;
    list->targets = function_.arena().copy(std::span<const ir::SymbolId>(old.targets));
    ir::Symbol symbol;
    symbol.kind = ir::SymbolKind::TargetList;
    symbol.name = labelName();
    symbol.targets = list;
    list->symbol = function_.addSymbol(symbol);
    function_.insertBefore(ir::aboveDirectives(branch), list);
    name->id = static_cast<std::uint32_t>(list->symbol);
    function_.markChanged(&branch);

    ir::Statement* place = &branch;
    ir::Label* after = nullptr;
    if (branch.guard) {
      after = makeLabel();
      ir::Instruction* over =
          ir::makeInstruction(function_, "bra.uni", {ir::Operand::ofSymbol(after->symbol)});
      function_.insertAfter(place, over);
      place = over;
    }
    for (const EdgeId edge : edges) {
      ir::Label* label = makeLabel();
      ir::Operand target;
      for (ir::SymbolId& entry : list->targets) {
        if (cfg_.blockOfLabel(entry) != cfg_.target(edge)) continue;
        target = ir::Operand::ofSymbol(entry);
        entry = label->symbol;
      }
      function_.insertAfter(place, label);
      place = label;
      insertBlock(place, onEdge_[edge], target);
    }
    if (after != nullptr) function_.insertAfter(place, after);
  }

  const SsaRewrite& rewrite_;
  ir::Function& function_;
  const Ssa& ssa_;
  const analysis::Cfg& cfg_;
  const OutOfSsaOptions& options_;
  const FreshNames& names_;
  OutOfSsaCounts& counts_;
  ValueRegisters registers_;
  const std::uint32_t firstNew_ = function_.registerCount();

  std::map<EdgeId, Copies> onEdge_;
  std::map<BlockId, Copies> atStart_;
  std::vector<RegisterId> declared_;  // for the new registers, in order
  std::vector<std::pair<std::uint32_t, RegisterId>> renamed_;
  std::vector<ir::Statement*> erased_;
  std::vector<std::pair<ir::Statement*, ir::Statement*>> replaced_;
  std::uint32_t labelCount_ = 0;
  bool isChanged_ = false;
};

}  // namespace

FreshNames FreshNames::of(const ir::Module& module) {
  std::uint32_t number = 0;
  const auto avoid = [&](std::string_view name, std::string_view prefix) {
    if (!name.starts_with(prefix)) return;
    std::uint32_t used = 0;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), used);
    number = std::max(number, used + 1);
  };
  const Interner& names = module.names();
  for (std::uint32_t id = 1; id < names.size(); ++id) {
    const std::string_view name = names.text(NameId{id});
    avoid(name, kRegisterPrefix);
    avoid(name, kLabelPrefix);
  }
  return {numbered(kRegisterPrefix, number), numbered(kLabelPrefix, number)};
}

bool outOfSsa(const SsaRewrite& rewrite, const OutOfSsaOptions& options, const FreshNames& names,
              OutOfSsaCounts& counts) {
  return OutOfSsa(rewrite, options, names, counts).run();
}

}  // namespace ptxopt::passes
