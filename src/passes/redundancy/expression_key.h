// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys of expressions: words that can be compared.
//
// Two instructions with equal keys give equal results in every thread that executes both
// (docs/soundness/ D3): they have the same opcode, modifiers and types, and the same values as
// operands.  Operands of commutative operations are sorted, `setp.lt a, b` has the key of `setp.gt
// b, a`, and add.s32 that of add.u32.  If ranges prove that no source is negative, signed and
// unsigned variants of other operations are equal too: cvt.s64.s32 and cvt.u64.u32.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/values/value_range.h"
#include "passes/ssa/ssa_rewrite.h"

namespace ptxopt::passes {

class ExpressionKeys {
 public:
  using ValueId = analysis::ValueId;

  // `ranges` may be null.
  ExpressionKeys(const SsaRewrite& rewrite, const analysis::ValueRanges* ranges);

  // `value` holds the same bits as `leader`, in a register of the same width.
  void makeEqual(ValueId value, ValueId leader) { leaders_[value] = leaderOf(leader); }
  ValueId leaderOf(ValueId value) const { return leaders_[value]; }

  // Pure, without the carry flag, without volatile special registers, and known to the instruction
  // table (D3.2, D3.3).
  static bool isComputation(const ir::Instruction& instruction);
  // A computation that defines its registers in full: it has no guard and writes no single element.
  static bool isExpression(const ir::Instruction& instruction);
  // The key, or nothing if an operand cannot be part of a key.  Valid until the next call.
  const std::vector<std::uint64_t>& of(const ir::Instruction& instruction);

 private:
  const isa::InstructionDesc* canonical(const isa::InstructionDesc& desc);
  const isa::InstructionDesc* unsignedWhereSafe(const ir::Instruction& instruction,
                                                const isa::InstructionDesc* desc);
  const isa::InstructionDesc* exchanged(const isa::InstructionDesc& desc);

  const SsaRewrite& rewrite_;
  const analysis::ValueRanges* ranges_;
  IdVector<ValueId, ValueId> leaders_;
  std::unordered_map<const isa::InstructionDesc*, const isa::InstructionDesc*> canonical_;
  std::unordered_map<const isa::InstructionDesc*, const isa::InstructionDesc*> exchanged_;
  std::unordered_map<const isa::InstructionDesc*, const isa::InstructionDesc*> unsigned_;
  std::vector<std::uint64_t> key_;
};

}  // namespace ptxopt::passes
