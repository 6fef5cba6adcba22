// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How one instruction makes an address out of others: the transfer function that all analyses share
// that follow variables through registers, each with a lattice of its own (docs/soundness/ C3.3.3,
// C3.3.4, E.10.1).
//
// Cost: O(1).
#pragma once

#include <cstdint>

#include "ir/statement.h"

namespace ptxopt::analysis {

struct AddressStep {
  enum class Kind : std::uint8_t {
    None,         // anything else: a result that holds no address that can be followed
    Copy,         // a
    Sum,          // a + b
    Difference,   // a - b
    ScaledSum,    // a * b + c, the low half or all of the product
    Select,       // a or b
    ToGeneric,    // the generic address of a, in `space`
    FromGeneric,  // the address in `space` of a, a generic one
    Resize,       // a with 32 or 64 bits; the other number where it does not fit
  };
  Kind kind = Kind::None;
  int bits = 0;  // 32 or 64: of the type, which is that of the factors in mad.wide
  isa::Space space = isa::Space::None;
  bool isZeroExtension = false;  // Resize: u64 of u32, or u32 of u64
  // Scalars: neither groups, nor parts of registers, nor negated.
  const ir::Operand* a = nullptr;
  const ir::Operand* b = nullptr;
  const ir::Operand* c = nullptr;
};

// Of an instruction under its guard.  The result is its first operand.
AddressStep addressStep(const ir::Instruction& instruction);

}  // namespace ptxopt::analysis
