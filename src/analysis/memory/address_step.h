// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How one instruction computes an address from others: the transfer function of all analyses that
// follow variables through registers, each with its own lattice (docs/soundness/ C3.3.3, C3.3.4,
// E.10.1).
//
// Cost: O(1).
#pragma once

#include <cstdint>

#include "ir/statement.h"

namespace ptxopt::analysis {

struct AddressStep {
  enum class Kind : std::uint8_t {
    None,         // anything else: the result contains no address that can be followed
    Copy,         // a
    Sum,          // a + b
    Difference,   // a - b
    ScaledSum,    // a * b + c, the low half or all of the product
    Select,       // a or b
    ToGeneric,    // the generic address of a, in `space`
    FromGeneric,  // the address in `space` of the generic address a
    Resize,       // a with 32 or 64 bits; another number if it does not fit
  };
  Kind kind = Kind::None;
  int bits = 0;  // 32 or 64: of the type; for mad.wide, that of the factors
  isa::Space space = isa::Space::None;
  bool isZeroExtension = false;  // Resize: u64 of u32, or u32 of u64
  // Scalars: neither groups, nor components of registers, nor negated.
  const ir::Operand* a = nullptr;
  const ir::Operand* b = nullptr;
  const ir::Operand* c = nullptr;
};

// False if no instruction of this form has a step.
bool mayComputeAddress(const isa::InstructionDesc& desc);

// The step of an instruction when its guard holds.  The result is its first operand.
AddressStep addressStep(const ir::Instruction& instruction);

}  // namespace ptxopt::analysis
