// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks, shifts and extensions that change no bit, or leave none, because most bits of their source
// are 0 (docs/soundness/ E.9.11).
//
// Nothing is computed in advance: from a mask or a shift a few definitions are followed up.  So a
// value that a phi gives can have any bits.  Cost: O(1) for such an instruction, at most
// Limit::KnownBitsDefinitions definitions.
#pragma once

#include <cstdint>

#include "passes/redundancy/known_numbers.h"
#include "passes/ssa/ssa_rewrite.h"

namespace ptxopt::passes {

class KnownBits {
 public:
  using ValueId = analysis::ValueId;

  // Both must outlive the object.
  KnownBits(const SsaRewrite& rewrite, const KnownNumbers& numbers)
      : rewrite_(rewrite), numbers_(numbers) {}

  // For an expression that KnownNumbers does not know.
  KnownNumbers::Result result(const ir::Instruction& instruction) const {
    switch (instruction.desc->opcode) {
      case isa::Opcode::And:
        return ofMask(instruction);
      case isa::Opcode::Shr:
        return ofShift(instruction);
      case isa::Opcode::Cvt:
        return ofExtension(instruction);
      default:
        return {};
    }
  }

  // The bits of the register of `value` that may be 1.
  std::uint64_t mayBeOne(ValueId value) const;

 private:
  KnownNumbers::Result ofMask(const ir::Instruction& instruction) const;
  KnownNumbers::Result ofShift(const ir::Instruction& instruction) const;
  KnownNumbers::Result ofExtension(const ir::Instruction& instruction) const;
  ValueId extended(ValueId value, unsigned bits) const;
  KnownNumbers::Result copyOf(const ir::Instruction& instruction, const ir::Operand& source) const;
  std::uint64_t mayBeOne(ValueId value, unsigned definitions) const;
  std::uint64_t mayBeOne(const ir::Instruction& instruction, std::size_t operand, unsigned bits,
                         unsigned definitions) const;
  std::uint64_t ofDefinition(const ir::Instruction& instruction, unsigned bits,
                             unsigned definitions) const;
  std::uint64_t ofConversion(const ir::Instruction& instruction, unsigned bits,
                             unsigned definitions) const;
  unsigned widthOf(ir::RegisterId reg) const {
    return static_cast<unsigned>(isa::bitWidth(rewrite_.function().rangeOf(reg).type));
  }

  const SsaRewrite& rewrite_;
  const KnownNumbers& numbers_;
};

}  // namespace ptxopt::passes
