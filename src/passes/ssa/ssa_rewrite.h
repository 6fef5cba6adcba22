// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rewrites of a pass on a function in SSA form.
//
// Rewrites are recorded beside analysis::Ssa, which does not change: a value is replaced by
// another, or an instruction is erased or becomes a copy or a constant.  outOfSsa() (out_of_ssa.h)
// then assigns registers to values and edits the text.  Until then the function is unchanged.
//
// A register is pinned if its values must stay in it (docs/soundness/ D6.5, D6.9): operands of
// instructions that are not understood, whose operands are frozen, or whose registers are in
// flight; operands that are both read and written; formal parameters and results; classes that
// cannot be copied; registers of phis on an outgoing edge of an instruction that is not understood;
// variables of a debugger (E.12).  The carry flag is not a register.
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

  bool isPinned(ir::RegisterId id) const { return pinned_.test(id); }
  // The register can be named wherever its value may be needed: it is declared outside of nested
  // scopes, no nested scope declares its name again, and control never returns to code above its
  // declaration.
  bool isVisibleEverywhere(ir::RegisterId id) const { return !scoped_.test(id); }
  // The same, and also where no value of it is: the declaration is above all code.
  bool isDeclaredAhead(ir::RegisterId id) const {
    return isVisibleEverywhere(id) && !late_.test(id);
  }
  // The same for a variable that is declared at module scope or outside of nested scopes.
  bool isVisibleEverywhere(ir::SymbolId id) const;
  // Every instruction that accepts `from` also accepts `to`, with the same bits: neither is pinned
  // or hidden, and they have the same type, or that of `to` is less specific (.b32 for .u32).
  bool canStandFor(ir::RegisterId to, ir::RegisterId from) const;

  // ---- rewrites ---------------------------------------------------------------------------------
  // All reads of `value` now read `by`.  The definition of `by` must dominate these reads, and its
  // register must be able to replace that of `value` (canStandFor).
  void replace(ValueId value, ValueId by) { replacement_[value] = by; }
  // The value that reads of `value` now use: itself, or its replacement.  O(log), amortised.
  ValueId resolve(ValueId value) const;
  // The values that the instruction defines must be unread, or allowed to be anything.
  void erase(const ir::Instruction& instruction) { edit(instruction).kind = Edit::Kind::Erase; }
  bool isErased(const ir::Instruction& instruction) const {
    return edits_[numbers().of(instruction)].kind == Edit::Kind::Erase;
  }
  // The instruction must define one register.  It becomes a copy of a value, or of a number, to
  // that register, under the same guard.
  void becomeCopy(const ir::Instruction& instruction, ValueId source);
  void becomeConstant(const ir::Instruction& instruction, const ir::Operand& number);

  // ---- queries of outOfSsa() --------------------------------------------------------------------
  struct Edit {
    enum class Kind : std::uint8_t { None, Erase, Copy, Constant };
    Kind kind = Kind::None;
    ValueId source = ValueId::None;  // of a Copy
    ir::Operand number;              // of a Constant
  };
  Edit editOf(const ir::Instruction& instruction) const;
  bool isChanged() const { return isChanged_; }
  bool isReplaced(ValueId value) const { return replacement_[value] != value; }
  // Calls visit(value) for the values that the instruction, which must be reachable, now reads.
  template <class Visitor>
  void forEachUse(const ir::Instruction& instruction, Visitor&& visit) const;
  // Calls visit(value) for the current sources of a value: the operands of a phi, or the old value
  // of a partial definition.
  template <class Visitor>
  void forEachSource(ValueId value, Visitor&& visit) const;
  // Calls visit(value) for the phis of registers that are pinned, like the results of a .func: such
  // phis have no visible use.
  template <class Visitor>
  void forEachPinnedPhi(analysis::BlockId block, Visitor&& visit) const {
    for (const ValueId phi : ssa_->phis(block)) {
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
  // The block ends in a branch to a list of labels, of which a nested scope may hide one.
  bool mayHideTargets(analysis::BlockId block) const;
  void findScopedNames();

  ir::Function* function_;
  const analysis::Ssa* ssa_;
  BitSet pinned_;  // by register
  BitSet scoped_;
  BitSet late_;  // declared below the first instruction
  ir::DeclaredNames namesInScopes_;
  mutable IdVector<ValueId, ValueId> replacement_;  // itself if not replaced
  std::vector<Note> edits_;                         // by instruction
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
  if (note.kind == Edit::Kind::Copy) visit(resolve(ValueId{note.detail}));
}

template <class Visitor>
void SsaRewrite::forEachSource(ValueId value, Visitor&& visit) const {
  if (ssa_->isPhi(value)) {
    for (const ValueId operand : ssa_->phiOperands(value)) {
      if (operand != ValueId::None) visit(resolve(operand));
    }
  } else if (ssa_->old(value) != ValueId::None) {
    visit(resolve(ssa_->old(value)));
  }
}

}  // namespace ptxopt::passes
