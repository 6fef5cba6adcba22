// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values are known numbers, and what an instruction with such sources computes
// (docs/soundness/ D3.5; the arithmetic is in fold.h).
//
// O(operands) for each instruction, 9 bytes a value.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "passes/redundancy/expression_key.h"
#include "passes/ssa/ssa_rewrite.h"
#include "support/bit_set.h"

namespace ptxopt::passes {

class KnownNumbers {
 public:
  using ValueId = analysis::ValueId;

  // Both must outlive the object.
  KnownNumbers(const SsaRewrite& rewrite, const ExpressionKeys& keys);

  void set(ValueId value, std::uint64_t number) {
    isNumber_.set(value);
    numbers_[value] = number;
  }
  // The number that the value, or a value equal to it, is known to be.
  std::optional<std::uint64_t> of(ValueId value) const;
  // The same for a source, a number or a register; an integer is not cut to its type.
  std::optional<std::uint64_t> of(const ir::Instruction& instruction,
                                  const ir::Operand& operand) const;

  struct Result {
    enum class Kind : std::uint8_t {
      Unknown,
      Number,  // `number`, whatever its source registers hold
      Given,   // `number`, which the instruction itself names: mov of a number
      Copy,    // `source`, a value in a register of the same width
      Equal,   // the same, but not read here: its register may hold another value by now
      Moved,   // mov of something else: nothing is computed
    };
    Kind kind = Kind::Unknown;
    std::uint64_t number = 0;
    ValueId source = ValueId::None;
  };
  // For an expression (ExpressionKeys::isExpression) with one result and at most three sources.
  Result result(const ir::Instruction& instruction) const;

 private:
  bool areEqual(const ir::Instruction& instruction, const ir::Operand& a,
                const ir::Operand& b) const;
  int widthOf(ir::RegisterId reg) const {
    return isa::bitWidth(rewrite_.function().rangeOf(reg).type);
  }

  const SsaRewrite& rewrite_;
  const ExpressionKeys& keys_;
  IdVector<ValueId, std::uint64_t> numbers_;
  BitSet isNumber_;
};

}  // namespace ptxopt::passes
