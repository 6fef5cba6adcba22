// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic on constants, where PTX makes it exact (docs/soundness/ D3.5).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "isa/isa.h"

namespace ptxopt::passes {

// The bits of the result of add, sub, mul.lo, mad.lo, and, or, xor, not, neg, shl, shr, min, max of
// integers; nothing for any other form.  Operands are the sources in their order.
std::optional<std::uint64_t> folded(const isa::InstructionDesc& desc,
                                    std::span<const std::uint64_t> sources);

// Which source the result equals whatever it is, where the other one (of two) is `constant`: x + 0,
// x * 1, x & ~0, x << 0 and the like; `constantAt` is its place.  Nothing where that is not so.
std::optional<std::size_t> identity(const isa::InstructionDesc& desc, std::size_t constantAt,
                                    std::uint64_t constant);

// The result that one source (of two) settles alone: x & 0, x * 0, x | ~0.
std::optional<std::uint64_t> absorbed(const isa::InstructionDesc& desc, std::uint64_t constant);

}  // namespace ptxopt::passes
