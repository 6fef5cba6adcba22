// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds integer arithmetic on constants where PTX defines it exactly (docs/soundness/ D3.5).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "isa/isa.h"

namespace ptxopt::passes {

// If this is false, the functions below give nothing for such an instruction; quick.
bool isFoldable(const isa::InstructionDesc& desc);

// The bits of the result of add, sub, mul.lo, mad.lo, and, or, xor, not, neg, shl, shr, min, max on
// integers; nothing for any other InstructionDesc.  `sources` are in operand order.
std::optional<std::uint64_t> folded(const isa::InstructionDesc& desc,
                                    std::span<const std::uint64_t> sources);

// The source that the result always equals if the other one (of two) is `constant`: x + 0, x * 1, x
// & ~0, x << 0, max(x, 0) and the like.  `constantAt` is the index of the constant.  Nothing if
// there is no such source.
std::optional<std::size_t> identity(const isa::InstructionDesc& desc, std::size_t constantAt,
                                    std::uint64_t constant);

// The result if one source (of two) alone determines it: x & 0, x * 0, x | ~0, x >> 32, 0 << x.
// `constantAt` is as above.
std::optional<std::uint64_t> absorbed(const isa::InstructionDesc& desc, std::size_t constantAt,
                                      std::uint64_t constant);

}  // namespace ptxopt::passes
