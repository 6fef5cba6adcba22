// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function in SSA form that a pass rewrites, and the way out of it.
//
// The rewrites are noted beside analysis::Ssa, which stays as it is: a value is replaced by
// another, an instruction goes, or becomes a copy or a constant.  outOfSsa() (out_of_ssa.h) then
// says which register holds each value and edits the text; until then nothing is changed.
//
// Registers are pinned where a value must stay in them (docs/soundness/ D6.5, D6.9): operands of
// instructions that are not understood, whose operands are frozen, or whose registers are in
// flight; operands that are read and written; formal parameters and results; classes that cannot be
// copied; what an instruction that is not understood may carry over an edge; variables of a
// debugger (E.12).  The carry flag is no register.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/values/ssa.h"
#include "ir/declared_names.h"
#include "ir/function.h"
#include "support/bit_set.h"

namespace ptxopt::passes {

class SsaRewrite {
 public:
  using ValueId = analysis::ValueId;

  // Both must outlive the object.  O(operands).
  SsaRewrite(ir::Function& function, const analysis::Ssa& ssa);

  ir::Function& function() const { return *function_; }
  const analysis::Ssa& ssa() const { return *ssa_; }

  bool isPinned(ir::RegisterId id) const { return pinned_.test(static_cast<std::uint32_t>(id)); }
  // The register can be named wherever its value may be needed: it is declared outside of nested
  // scopes, and no nested scope declares its name again.
  bool isVisibleEverywhere(ir::RegisterId id) const {
    return !scoped_.test(static_cast<std::uint32_t>(id));
  }
  // The same of a variable that is declared at module scope or outside of nested scopes.
  bool isVisibleEverywhere(ir::SymbolId id) const;
  // Every instruction that takes `from` takes `to` as well, with the same bits: neither is pinned
  // or hidden, and they have one type, or the type of `to` says less (.b32 for .u32).
  bool canStandFor(ir::RegisterId to, ir::RegisterId from) const;

  // ---- rewrites ---------------------------------------------------------------------------------
  // Everything that reads `value` reads `by` instead, whose definition dominates those reads, and
  // whose register can stand for that of `value`.
  void replace(ValueId value, ValueId by) { replacement_[value] = by; }
  // What to read instead of `value`: itself, or what it was replaced by.  O(log), amortised.
  ValueId resolve(ValueId value) const;
  // No value that it defines is read any more, or may be any value.
  void erase(const ir::Instruction& instruction) { edit(instruction).kind = Edit::Kind::Erase; }
  bool isErased(const ir::Instruction& instruction) const {
    return edits_[numbers().of(instruction)].kind == Edit::Kind::Erase;
  }
  // The instruction, which defines one register, becomes a copy of a value or of a number into that
  // register, under the same guard.
  void becomeCopy(const ir::Instruction& instruction, ValueId source);
  void becomeConstant(const ir::Instruction& instruction, const ir::Operand& number);

  // ---- what outOfSsa() asks ---------------------------------------------------------------------
  struct Edit {
    enum class Kind : std::uint8_t { None, Erase, Copy, Constant };
    Kind kind = Kind::None;
    ValueId source = kNone;  // of a Copy
    ir::Operand number;      // of a Constant
  };
  Edit editOf(const ir::Instruction& instruction) const;
  bool isChanged() const { return isChanged_; }
  bool isReplaced(ValueId value) const { return replacement_[value] != value; }
  // Calls visit(value) for what the instruction, which must be reachable, reads now.
  template <class Visitor>
  void forEachUse(const ir::Instruction& instruction, Visitor&& visit) const;
  // Calls visit(value) for what the value may be as it stands now: what a phi joins, or what shows
  // through a partial definition.
  template <class Visitor>
  void forEachSource(ValueId value, Visitor&& visit) const;
  // Calls visit(value) for the phis of what must stay in its register, as the results of a .func:
  // they have no visible use.
  template <class Visitor>
  void forEachPinnedPhi(analysis::BlockId block, Visitor&& visit) const {
    const auto [first, end] = ssa_->phis(block);
    for (ValueId phi = first; phi < end; ++phi) {
      if (!ssa_->isCarry(phi) && isPinned(ssa_->reg(phi))) visit(phi);
    }
  }

 private:
  const analysis::InstructionNumbers& numbers() const { return ssa_->instructions(); }
  struct Note {
    Edit::Kind kind = Edit::Kind::None;
    std::uint32_t detail = 0;  // ValueId of a Copy, index in numbers_ of a Constant
  };
  Note& edit(const ir::Instruction& instruction) {
    isChanged_ = true;
    return edits_[numbers().of(instruction)];
  }
  void pinRegisters();
  void findScopedNames();

  ir::Function* function_;
  const analysis::Ssa* ssa_;
  BitSet pinned_;  // by register
  BitSet scoped_;
  ir::DeclaredNames namesInScopes_;
  mutable std::vector<ValueId> replacement_;  // by value; itself where it was not replaced
  std::vector<Note> edits_;                   // by instruction
  std::vector<ir::Operand> constants_;
  bool isChanged_ = false;
};

template <class Visitor>
void SsaRewrite::forEachUse(const ir::Instruction& instruction, Visitor&& visit) const {
  const Note& note = edits_[numbers().of(instruction)];
  if (note.kind == Edit::Kind::Erase) return;
  if (note.kind == Edit::Kind::None) {
    ssa_->forEachUse(instruction, [&](ValueId value) { visit(resolve(value)); });
    return;
  }
  if (instruction.guard) visit(resolve(ssa_->guard(instruction)));
  if (note.kind == Edit::Kind::Copy) visit(resolve(note.detail));
}

template <class Visitor>
void SsaRewrite::forEachSource(ValueId value, Visitor&& visit) const {
  if (ssa_->isPhi(value)) {
    for (const ValueId operand : ssa_->phiOperands(value)) {
      if (operand != kNone) visit(resolve(operand));
    }
  } else if (ssa_->old(value) != kNone) {
    visit(resolve(ssa_->old(value)));
  }
}

}  // namespace ptxopt::passes
