// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores that are neither volatile nor synchronising: those that early-cse may remove
// (docs/soundness/ D1, D2).
#pragma once

#include <cstdint>

#include "ir/function.h"
#include "ir/statement.h"

namespace ptxopt::passes {

struct PlainAccess {
  enum class Kind : std::uint8_t { None, Load, Store };
  Kind kind = Kind::None;
  isa::Space space = isa::Space::None;  // None: generic
  bool isImmutable = false;             // the memory is never written
  bool isNonCoherent = false;           // .nc: never written either, if that is assumed (C10.7)
  isa::Type type = isa::Type::None;     // of one element
  std::uint32_t elementBytes = 0;
  std::uint32_t elements = 0;
  const ir::Operand* address = nullptr;
  const ir::Operand* data = nullptr;  // the first element; the others follow it
  // The "used_bytes_mask" of a load.  It goes if the load goes, and bytes that it leaves out need
  // not be loaded (E.9.12).
  ir::Pragma* mask = nullptr;
  std::uint64_t usedBytes = ~std::uint64_t{0};

  bool isUsed(std::uint32_t element) const {
    const std::uint64_t bytes = (std::uint64_t{1} << elementBytes) - 1;
    return (~usedBytes >> (element * elementBytes) & bytes) == 0;
  }
};

// Weak `ld` and `st` of const, global, local and shared memory and of generic addresses, and `ld`
// of kernel parameters, with one address in brackets.  Kind::None for anything else, including
// parameters of calls and instructions to which a pragma before them may apply (A5.5), except for
// loads right below their own mask of used bytes.
PlainAccess plainAccess(const ir::Function& function, const ir::Instruction& instruction);

// The same for a relaxed `ld`: no such access is removed, but weak loads may take its value
// (D1.17).
PlainAccess relaxedLoad(const ir::Function& function, const ir::Instruction& instruction);

}  // namespace ptxopt::passes
