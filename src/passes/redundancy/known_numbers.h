// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values are numbers, and what an instruction comes to where its sources are
// (docs/soundness/ D3.5; fold.h has the arithmetic).
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
  // Of what the value is equal to.
  std::optional<std::uint64_t> of(ValueId value) const;

  struct Result {
    enum class Kind : std::uint8_t {
      Unknown,
      Number,  // `number`, whatever the registers among its sources hold
      Given,   // the same, and it says so itself: mov of a number
      Copy,    // `source`, a register
      Moved,   // mov of something else: nothing is computed
    };
    Kind kind = Kind::Unknown;
    std::uint64_t number = 0;
    const ir::Operand* source = nullptr;
  };
  // Of an expression (ExpressionKeys::isExpression) with one result and up to three sources.
  Result result(const ir::Instruction& instruction) const;

 private:
  std::optional<std::uint64_t> of(const ir::Instruction& instruction,
                                  const ir::Operand& operand) const;
  bool areEqual(const ir::Instruction& instruction, const ir::Operand& a,
                const ir::Operand& b) const;
  int widthOf(ir::RegisterId reg) const {
    return isa::bitWidth(rewrite_.function().rangeOf(reg).type);
  }

  const SsaRewrite& rewrite_;
  const ExpressionKeys& keys_;
  std::vector<std::uint64_t> numbers_;  // by value
  BitSet isNumber_;
};

}  // namespace ptxopt::passes
