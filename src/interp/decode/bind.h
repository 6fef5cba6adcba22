// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selects the function that computes an instruction, from its InstructionDesc.
//
// Each binder looks at op.type, op.sourceType, op.flags and the qualifiers of the InstructionDesc,
// and returns null for unknown combinations.  The operands are in d, q, a, b, c, e in the order of
// the text.
#pragma once

#include "interp/program.h"
#include "isa/isa.h"

namespace ptxopt::interp {

Compute bindInteger(const isa::InstructionDesc& desc, Op& op);
Compute bindFloat(const isa::InstructionDesc& desc, Op& op);    // f32, f32x2, f64
Compute bindHalf(const isa::InstructionDesc& desc, Op& op);     // f16, bf16 and their pairs
Compute bindCompare(const isa::InstructionDesc& desc, Op& op);  // setp, set, selp, slct, testp
Compute bindConvert(const isa::InstructionDesc& desc, Op& op);
Compute bindAddress(const isa::InstructionDesc& desc, Op& op,
                    const Windows& windows);  // cvta, isspacep, mapa

// What cvta adds to an address in the space.
std::uint64_t windowOf(isa::Space space, const Windows& windows);

Compute copySlot();
Compute negatePredicate();
Compute extractBits();  // d = a >> immediate, `width` bits
Compute insertBits();   // d |= (a, `width` bits) << immediate
Compute invertBits();   // d ^= immediate
Compute clearSlot();
// ld, atom, cvt: d = a of `type`, extended to `width` bits with its signedness.
std::uint64_t widen(isa::Type type, std::uint64_t bits, int width);

}  // namespace ptxopt::interp
