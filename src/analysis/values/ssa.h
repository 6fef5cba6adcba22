// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pruned SSA form of a function, as an overlay: the IR does not change.
//
// Every register, including predicates and vector registers, and the carry flag (`CC.CF`) is a
// variable.  A value is
//   - Entry: the contents of a variable at the start of the function.  For a formal parameter it is
//     the argument, for any other variable it is undefined.  Made only if something reads it.
//   - Phi: at the start of a block, with one operand for each edge into it.
//   - Definition: the value that one operand of an instruction writes.  If the definition is
//   partial
//     (a guard, an element of a vector register, an operand that an instruction which is not
//     understood may read or write: ir::isPartial), the new value depends on old(), the previous
//     value: under a guard it is the result of the instruction or old(), depending on the guard
//     (docs/soundness/ D6.4).  A call defines the carry flag, which does not survive it.
//
// Phis are pruned by liveness, so if nothing reads a partial definition, its old() may be any
// value.
//
// Values are numbered along a walk down the dominator tree, so that the values that an instruction
// reads, and old(), have smaller numbers than those that it defines; only operands of phis may have
// larger ones.  Unreachable code has no values.  Phis are placed where a variable is live, in the
// iterated dominance frontier of its definitions; also at the virtual exit, for the results of a
// .func that are registers.
//
// Source: Cytron et al., TOPLAS 1991, with the frontiers of Cooper, Harvey and Kennedy (2001), and
// an explicit stack for the renaming.  Cost: O(operands + edges + phi operands) and the size of the
// frontiers, which is linear for real code.  If the frontiers are larger than sixteen times the
// graph (deep ladders), they are walked for each variable instead (DominanceFrontiers::iterated).
// Memory: 16 bytes a value, 4 bytes an operand, 8 bytes an instruction and a register.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/flow/cfg.h"
#include "analysis/flow/dominators.h"
#include "analysis/flow/instruction_numbers.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/manager.h"
#include "support/ids.h"

namespace ptxopt::analysis {

enum class ValueId : std::uint32_t { None = ~0u };  // dense; None: no value

// usesCarry(): the instruction reads, or may read, the carry flag.  definesCarry(): it writes, or
// may write, the flag.
inline bool usesCarry(const ir::Instruction& instruction) {
  return instruction.desc->readsCarry || !instruction.desc->known();
}
inline bool definesCarry(const ir::Instruction& instruction) {
  return instruction.desc->writesCarry || !instruction.desc->known() ||
         instruction.desc->control == isa::Control::Call;
}

class Ssa {
 public:
  enum class Kind : std::uint8_t { Entry, Phi, Definition };

  // All arguments must outlive the object.  `liveness` must be computed with Kill::FullDefinition.
  Ssa(const Cfg& cfg, const Liveness& liveness, const Dominators& dominators);

  const Cfg& cfg() const { return *cfg_; }
  const Dominators& dominators() const { return *dominators_; }
  const InstructionNumbers& instructions() const { return numbers_; }
  std::uint32_t valueCount() const { return values_.size(); }
  IdRange<ValueId> values() const { return values_.ids(); }
  // False for an id that somebody gave to something else, above all values.
  bool contains(ValueId value) const { return indexOf(value) < valueCount(); }

  // ---- values ---------------------------------------------------------------------------------
  Kind kind(ValueId value) const { return values_[value].kind; }
  bool isPhi(ValueId value) const { return kind(value) == Kind::Phi; }
  bool isDefinition(ValueId value) const { return kind(value) == Kind::Definition; }
  // The register; RegisterId::None for the carry flag.
  ir::RegisterId reg(ValueId value) const { return values_[value].reg; }
  bool isCarry(ValueId value) const { return reg(value) == ir::RegisterId::None; }
  // The block of the value.  An Entry and a Phi are defined at its start.
  BlockId block(ValueId value) const;
  // For a Definition: the instruction, its operand (null for the carry flag), and the previous
  // value that remains in part if the definition is partial (None if it is not).
  const ir::Instruction& instruction(ValueId value) const { return numbers_[values_[value].where]; }
  const ir::Operand* operand(ValueId value) const;
  ValueId old(ValueId value) const {
    return isDefinition(value) ? ValueId{values_[value].extra} : ValueId::None;
  }
  // For a Phi: one operand for each of cfg().inEdges(block), in that order, None for an edge from
  // unreachable code.  At the entry block there is one more at the end, for the start of the
  // function.
  std::span<const ValueId> phiOperands(ValueId value) const;
  // The phis of a block, which have consecutive numbers.
  IdRange<ValueId> phis(BlockId block) const { return phisOfBlock_[block]; }

  // ---- uses and definitions -------------------------------------------------------------------
  // For an instruction of the function; None in unreachable code.  `operand` must be one of its
  // operands, and must read (use) or write (definition) a register.
  ValueId use(const ir::Instruction& instruction, const ir::Operand& operand) const;
  ValueId definition(const ir::Instruction& instruction, const ir::Operand& operand) const;
  ValueId guard(const ir::Instruction& instruction) const;  // the instruction must have a guard
  ValueId carryUse(const ir::Instruction& instruction) const;
  ValueId carryDefinition(const ir::Instruction& instruction) const;
  // Calls visit(value) for every value that the instruction reads, the guard first and the carry
  // flag last; without old().
  template <class Visitor>
  void forEachUse(const ir::Instruction& instruction, Visitor&& visit) const;
  // Calls visit(value) for every value that the instruction defines: consecutive numbers, the
  // carry flag last.  None in unreachable code.
  template <class Visitor>
  void forEachDefinition(const ir::Instruction& instruction, Visitor&& visit) const {
    for (const ValueId value : definitions_[numbers_.of(instruction)]) visit(value);
  }

 private:
  static constexpr std::uint16_t kCarryOperand = 0xffff;
  struct Value {
    ir::RegisterId reg = ir::RegisterId::None;
    std::uint32_t where = 0;      // Definition: number of the instruction; else the block
    std::uint32_t extra = kNone;  // Definition: old(); Phi: first in phiOperands_
    std::uint16_t operand = kCarryOperand;
    Kind kind = Kind::Entry;
  };
  enum class Access : std::uint8_t { Use, Definition };
  class Builder;

  // The slots of an instruction: the guard, each operand, a second slot for each operand if one of
  // them is both read and written, the carry flag.  Calls visit(access, operand, slot) for each
  // slot that holds a value, in this order, except that the definition of an operand that is read
  // and written follows its use.  The operand is null for the guard and the carry flag.
  template <class Visitor>
  static void forEachSlot(const ir::Instruction& instruction, Visitor&& visit);
  static std::uint32_t slotCount(const ir::Instruction& instruction);
  static std::uint32_t slotOf(const ir::Instruction& instruction, Access access,
                              const ir::Operand& operand);
  const ValueId* slotsOf(const ir::Instruction& instruction) const {
    assert(numbers_.of(instruction) != kNone && "numbered by the analyses of another copy");
    return slots_.data() + firstSlot_[numbers_.of(instruction)];
  }

  const Cfg* cfg_;
  const Dominators* dominators_;
  InstructionNumbers numbers_;
  IdVector<ValueId, Value> values_;
  std::vector<ValueId> phiOperands_;
  IdVector<BlockId, IdRange<ValueId>> phisOfBlock_;
  std::vector<IdRange<ValueId>> definitions_;  // by instruction
  std::vector<std::uint32_t> firstSlot_;       // by instruction, and one element more
  std::vector<ValueId> slots_;
};

template <>
struct InputsOf<Ssa> {
  using type = Inputs<Cfg, Liveness, Dominators>;
};

// ---- templates ---------------------------------------------------------------------------------

inline std::uint32_t Ssa::slotOf(const ir::Instruction& instruction, Access access,
                                 const ir::Operand& operand) {
  const std::span<const ir::Operand> operands = instruction.operands();
  const std::size_t second =
      access == Access::Definition && operand.reads ? operands.size() : std::size_t{0};
  const std::size_t index = static_cast<std::size_t>(&operand - operands.data());
  return static_cast<std::uint32_t>(std::size_t{bool{instruction.guard}} + index + second);
}

inline ValueId Ssa::use(const ir::Instruction& instruction, const ir::Operand& operand) const {
  assert(operand.reads);
  return slotsOf(instruction)[slotOf(instruction, Access::Use, operand)];
}

inline ValueId Ssa::definition(const ir::Instruction& instruction,
                               const ir::Operand& operand) const {
  assert(operand.writes);
  return slotsOf(instruction)[slotOf(instruction, Access::Definition, operand)];
}

inline std::uint32_t Ssa::slotCount(const ir::Instruction& instruction) {
  const auto isBoth = [](const ir::Operand& operand) { return operand.reads && operand.writes; };
  const bool isAnyBoth = std::ranges::any_of(instruction.operands(), isBoth);
  return std::uint32_t{bool{instruction.guard}} + instruction.operandCount * (isAnyBoth ? 2u : 1u) +
         std::uint32_t{usesCarry(instruction)} + std::uint32_t{definesCarry(instruction)};
}

template <class Visitor>
void Ssa::forEachSlot(const ir::Instruction& instruction, Visitor&& visit) {
  constexpr const ir::Operand* kNoOperand = nullptr;
  if (instruction.guard) visit(Access::Use, kNoOperand, 0u);
  ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
    if (operand.reads) visit(Access::Use, &operand, slotOf(instruction, Access::Use, operand));
    if (!operand.writes) return;
    visit(Access::Definition, &operand, slotOf(instruction, Access::Definition, operand));
  });
  const bool uses = usesCarry(instruction);
  const bool defines = definesCarry(instruction);
  if (!uses && !defines) return;
  const std::uint32_t end = slotCount(instruction);
  if (uses) visit(Access::Use, kNoOperand, end - (defines ? 2u : 1u));
  if (defines) visit(Access::Definition, kNoOperand, end - 1);
}

template <class Visitor>
void Ssa::forEachUse(const ir::Instruction& instruction, Visitor&& visit) const {
  const ValueId* const slots = slotsOf(instruction);
  forEachSlot(instruction, [&](Access access, const ir::Operand*, std::uint32_t slot) {
    if (access == Access::Use) visit(slots[slot]);
  });
}

}  // namespace ptxopt::analysis
