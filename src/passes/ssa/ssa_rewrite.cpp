// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ssa/ssa_rewrite.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "ir/module.h"
#include "passes/ssa/register_copy.h"

namespace ptxopt::passes {

using ir::RegisterId;

namespace {

bool isUntyped(isa::Type type) {
  using isa::Type;
  return type == Type::B8 || type == Type::B16 || type == Type::B32 || type == Type::B64 ||
         type == Type::B128;
}

// docs/soundness/ E.12.1.
bool isNamedForDebugger(const ir::Function& function, RegisterId id) {
  constexpr std::size_t kMost = 8;
  std::string name = function.registerName(id);
  if (name.size() > kMost) name.erase(0, name.size() - kMost);
  return function.module().debugRegisters.contains(name);
}

}  // namespace

SsaRewrite::SsaRewrite(ir::Function& function, const analysis::Ssa& ssa)
    : function_(&function),
      ssa_(&ssa),
      pinned_(function.registerCount()),
      scoped_(function.registerCount()),
      late_(function.registerCount()),
      namesInScopes_(function, ir::DeclaredNames::Where::NestedScopes),
      replacement_(ssa.valueCount()),
      edits_(ssa.instructions().count()) {
  for (const ValueId value : ssa.values()) replacement_[value] = value;
  pinRegisters();
  findScopedNames();
}

void SsaRewrite::pinRegisters() {
  const auto pin = [&](RegisterId id) { pinned_.set(id); };
  const ir::Module& module = function_->module();
  for (const ir::RegisterRange& range : function_->registers()) {
    const bool isFree = !range.isParameter && isCopyable(module, range);
    if (isFree && module.debugRegisters.empty()) continue;
    for (std::uint32_t k = 0; k < range.count; ++k) {
      const RegisterId id{range.first + k};
      if (!isFree || isNamedForDebugger(*function_, id)) pin(id);
    }
  }
  const analysis::InstructionNumbers& all = numbers();
  for (std::uint32_t n = 0; n < all.count(); ++n) {
    const ir::Instruction& instruction = all[n];
    const bool isFrozen = !instruction.desc->known() ||
                          instruction.desc->effect == isa::Effect::NeutralFrozen ||
                          instruction.desc->is(isa::kRegistersInFlight);
    if (isFrozen && instruction.guard) pin(instruction.guard.predicate());
    ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
      if (isFrozen || (operand.reads && operand.writes)) pin(operand.reg());
    });
  }
  // Copies cannot be placed on outgoing edges of instructions that are not understood, nor where
  // the list of targets that they need would name other labels.
  const analysis::Cfg& cfg = ssa_->cfg();
  for (const analysis::BlockId b : cfg.blocksAndExit()) {
    bool isOpen = false;
    for (const EdgeId edge : cfg.inEdges(b)) {
      const analysis::EdgeKind kind = cfg.kind(edge);
      isOpen |= kind != analysis::EdgeKind::Fallthrough && kind != analysis::EdgeKind::Taken &&
                (kind != analysis::EdgeKind::Indirect || mayHideTargets(cfg.source(edge)));
    }
    if (!isOpen) continue;
    for (const ValueId phi : ssa_->phis(b)) {
      if (!ssa_->isCarry(phi)) pin(ssa_->reg(phi));
    }
  }
}

bool SsaRewrite::mayHideTargets(analysis::BlockId block) const {
  if (namesInScopes_.isEmpty()) return false;
  for (const ir::Operand& operand : ssa_->cfg().block(block).terminator->operands()) {
    if (operand.kind != ir::OperandKind::Symbol) continue;
    const ir::Symbol& symbol = function_->symbolAt(operand.symbol());
    if (symbol.kind != ir::SymbolKind::TargetList) continue;
    return !std::ranges::all_of(symbol.targets->targets,
                                [&](ir::SymbolId label) { return isVisibleEverywhere(label); });
  }
  return false;
}

void SsaRewrite::findScopedNames() {
  const auto mark = [](BitSet& registers, const ir::RegisterRange& range) {
    for (std::uint32_t k = 0; k < range.count; ++k) registers.set(range.first + k);
  };
  std::uint32_t depth = 0;
  // ptxas refuses a name above its declaration, even if control comes there from below.
  bool isBelowCode = false;
  bool isBelowLabel = false;
  for (const ir::Statement& statement : function_->body()) {
    if (statement.kind == ir::StatementKind::ScopeBegin) ++depth;
    if (statement.kind == ir::StatementKind::ScopeEnd) --depth;
    isBelowCode |= statement.kind == ir::StatementKind::Instruction;
    isBelowLabel |= statement.kind == ir::StatementKind::Label;
    const auto* declaration = statement.as<ir::RegisterDeclaration>();
    if (declaration == nullptr || (depth == 0 && !isBelowCode)) continue;
    for (const ir::RegisterRange& range :
         function_->registers().subspan(declaration->firstRange, declaration->rangeCount)) {
      mark(depth != 0 || isBelowLabel ? scoped_ : late_, range);
    }
  }
  if (namesInScopes_.isEmpty()) return;
  for (const ir::RegisterRange& range : function_->registers()) {
    if (namesInScopes_.mayHave(function_->module().text(range.name))) mark(scoped_, range);
  }
}

bool SsaRewrite::isVisibleEverywhere(ir::SymbolId id) const {
  return !namesInScopes_.mayHave(function_->module().text(function_->symbolAt(id).name));
}

bool SsaRewrite::canStandFor(RegisterId to, RegisterId from) const {
  if (isPinned(to) || isPinned(from)) return false;
  if (!isVisibleEverywhere(to) || !isVisibleEverywhere(from)) return false;
  if (to == from) return true;
  const ir::RegisterRange& target = function_->rangeOf(to);
  const ir::RegisterRange& source = function_->rangeOf(from);
  if (target.vectorWidth != source.vectorWidth) return false;
  if (target.type == source.type) return true;
  if (isa::bitWidth(target.type) != isa::bitWidth(source.type)) return false;
  return isUntyped(target.type) ||
         (isa::isTypedInteger(target.type) && isa::isTypedInteger(source.type));
}

SsaRewrite::ValueId SsaRewrite::resolve(ValueId value) const {
  while (replacement_[value] != value) {
    replacement_[value] = replacement_[replacement_[value]];
    value = replacement_[value];
  }
  return value;
}

void SsaRewrite::becomeCopy(const ir::Instruction& instruction, ValueId source) {
  edit(instruction) = {Edit::Kind::Copy, indexOf(source)};
}

void SsaRewrite::becomeConstant(const ir::Instruction& instruction, const ir::Operand& number) {
  edit(instruction) = {Edit::Kind::Constant, static_cast<std::uint32_t>(constants_.size())};
  constants_.push_back(number);
}

SsaRewrite::Edit SsaRewrite::editOf(const ir::Instruction& instruction) const {
  const Note& note = edits_[numbers().of(instruction)];
  Edit edit{note.kind, analysis::ValueId::None, {}};
  if (note.kind == Edit::Kind::Copy) edit.source = resolve(ValueId{note.detail});
  if (note.kind == Edit::Kind::Constant) edit.number = constants_[note.detail];
  return edit;
}

}  // namespace ptxopt::passes
