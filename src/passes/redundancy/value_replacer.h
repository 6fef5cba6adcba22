// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces what instructions define by values that are known to be equal, where that takes no copy
// on an edge: what `early-cse` does to instructions, with its remarks, counters and claims.
//
// docs/soundness/ D6.
#pragma once

#include <span>
#include <string_view>

#include "passes/engine/claim_sink.h"
#include "passes/engine/pass.h"
#include "passes/redundancy/expression_key.h"
#include "passes/ssa/ssa_rewrite.h"
#include "support/bit_set.h"

namespace ptxopt::passes {

class ValueReplacer {
 public:
  using ValueId = analysis::ValueId;

  // All must outlive the object.  O(values + operands of phis).
  ValueReplacer(SsaRewrite& rewrite, ExpressionKeys& keys, ValueClaims& claims,
                PassContext& context);

  // The budget for changes is spent.
  bool isStopped() const { return isStopped_; }
  bool spend() {
    isStopped_ = !context_.budget.spend();
    return !isStopped_;
  }

  // All reads of `value` may read the register of `by` instead.
  bool canReplace(ValueId value, ValueId by) const;
  // Erases the instruction.  All that it defines is in `values`, in their order.
  bool replaceAll(const ir::Instruction& instruction, std::span<const ValueId> values,
                  std::string_view counter, MergedInstruction::Why why,
                  bool assumesInvariance = false);
  // The load, of one element, becomes a copy of `value`, which its register must still hold.
  bool copyInstead(const ir::Instruction& load, const ir::Operand& data, ValueId value,
                   std::string_view counter, bool assumesInvariance);

  // Both hold the same bits, in registers of the same width.
  void becomeEqual(ValueId value, ValueId other) {
    keys_.makeEqual(value, other);
    claims_.equal(value, other);
  }
  // What the instruction defines equals `values`, where widths agree.
  void becomeEqual(const ir::Instruction& instruction, std::span<const ValueId> values);
  int widthOf(ValueId value) const {
    return isa::bitWidth(rewrite_.function().rangeOf(ssa_.reg(value)).type);
  }

  // Counts a change, and says it in a remark, with the register of `value` unless that is None.
  void note(const ir::Instruction& instruction, std::string_view counter,
            MergedInstruction::Why why, ValueId value, bool assumesInvariance = false);

 private:
  void findWebs();

  SsaRewrite& rewrite_;
  const analysis::Ssa& ssa_;
  ExpressionKeys& keys_;
  ValueClaims& claims_;
  PassContext& context_;
  // Values that phis take or partial definitions let show through, and the registers of both: to
  // move any of these takes copies.
  BitSet feedsPhi_;
  BitSet isShared_;  // by register
  bool isStopped_ = false;
};

}  // namespace ptxopt::passes
